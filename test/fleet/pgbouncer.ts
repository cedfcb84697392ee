import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { type Database, freePort } from "./database.ts";

/** A pooler in front of a database. */
export interface Pooler {
  /** Logs in as the role without special rights, through the pooler. */
  readonly url: string;
  stop(): Promise<void>;
}

/** pgbouncer in its mode `transaction`, with so few connections that each of them serves many clients. */
export async function startPooler(database: Database): Promise<Pooler> {
  const port = await freePort();
  const { port: behind } = new URL(database.url);
  const [config, users] = ["pgbouncer.ini", "users.txt"].map((name) => join(database.folder, name));
  writeFileSync(users as string, '"agent" "agent"\n');
  const lines = [
    "[databases]",
    `* = host=127.0.0.1 port=${behind}`,
    "[pgbouncer]",
    `listen_addr = 127.0.0.1`,
    `listen_port = ${port}`,
    "unix_socket_dir =",
    "auth_type = plain",
    `auth_file = ${users}`,
    "pool_mode = transaction",
    "default_pool_size = 4",
    "max_client_conn = 1000",
  ];
  writeFileSync(config as string, `${lines.join("\n")}\n`);
  for (const file of [config, users]) chmodSync(file as string, 0o644);
  const isRoot = process.getuid?.() === 0;
  const child = spawn("pgbouncer", [...(isRoot ? ["-u", "postgres"] : []), config as string], {
    stdio: ["ignore", "ignore", "pipe"],
  });
  await listening(child);
  return {
    url: database.url.replace(`:${behind}/`, `:${port}/`),
    async stop() {
      child.kill("SIGKILL");
      if (child.exitCode === null) await once(child, "exit");
    },
  };
}

async function listening({ stderr }: ChildProcessByStdio<null, null, Readable>): Promise<void> {
  const said: string[] = [];
  for await (const chunk of stderr.iterator({ destroyOnReturn: false })) {
    said.push(String(chunk));
    if (said.join("").includes("process up")) return void stderr.resume();
  }
  throw new Error(`pgbouncer did not start: ${said.join("")}`);
}

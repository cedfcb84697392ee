import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openArchive } from "../../src/archive/open.ts";
import { createMetrics } from "../../src/gateway/metrics.ts";
import { createContext, type Message } from "../../src/index.ts";
import { MAIN } from "../cli/run-cli.ts";
import { HAS_S3, type S3Server, startS3 } from "./bucket.ts";
import { type Database, INSTALLED, startDatabase } from "./database.ts";
import { work } from "./replicas.ts";

const PAGE = readFileSync("docs/fleet.md", "utf8");

/** The commands of a section of the page. */
function commandsOf(section: string): readonly string[] {
  const [, text = ""] = new RegExp(`\n## ${section}\n(.*?)\n## `, "s").exec(PAGE) ?? [];
  return [...text.matchAll(/```sh\n(.*?)```/gs)].map(([, commands = ""]) => commands);
}

/** The names of metrics and the statements that the table of what to watch has. */
function watched(): {
  readonly metrics: readonly string[];
  readonly statements: readonly string[];
} {
  const [, table = ""] = /\n(\| what \| where \|.*?)\n\n/s.exec(PAGE) ?? [];
  const words = [...table.matchAll(/`([^`]+)`/g)].map(([, word = ""]) => word);
  return {
    metrics: words.filter((word) => /^[a-z]+(?:_[a-z]+)*$/.test(word)),
    statements: words.filter((word) => word.startsWith("select ")),
  };
}

describe.skipIf(INSTALLED === undefined || !HAS_S3)("docs/fleet.md", () => {
  let database: Database;
  let bucket: S3Server;
  let port: string;
  const folder = mkdtempSync(join(tmpdir(), "longhaul-setup-"));

  beforeAll(async () => {
    [database, bucket] = await Promise.all([startDatabase([], { isInstalled: true }), startS3()]);
    for (const [name, value] of Object.entries(bucket.env)) vi.stubEnv(name, value);
    await bucket.bucket("agents");
    await database.query("create role owner login createdb password 'owner'");
    port = new URL(database.url).port;
    const passwords = ["admin", "owner", "agent"].map((role) => `*:*:*:${role}:${role}\n`);
    writeFileSync(join(folder, "passwords"), passwords.join(""), { mode: 0o600 });
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all([database.stop(), bucket.stop()]);
  });

  /** Runs commands of the page, with the names that it takes for examples as they are here. */
  async function run(commands: string): Promise<void> {
    const here = commands
      .replaceAll("db.example.com/", `127.0.0.1:${port}/`)
      .replaceAll("db.example.com", `127.0.0.1 PGPORT=${port}`)
      .replaceAll("-U postgres", `-h 127.0.0.1 -p ${port} -U admin`)
      .replaceAll("createdb again", `createdb -h 127.0.0.1 -p ${port} -U admin again`)
      .replaceAll("PGPASSWORD=…", "");
    const script = `set -euo pipefail
      npm() { :; }
      npx() { "$@"; }
      longhaul() { "${process.execPath}" "${MAIN}" "$@"; }
      ${here}`;
    const child = spawn("bash", ["-c", script], {
      cwd: folder,
      env: {
        ...process.env,
        PATH: [INSTALLED, process.env["PATH"]].join(delimiter),
        PGPASSFILE: join(folder, "passwords"),
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const said: string[] = [];
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (bytes) => said.push(String(bytes)));
    }
    const [code] = (await once(child, "close")) as [number];
    expect([code, said.join("")]).toEqual([0, said.join("")]);
  }

  const addressOf = (name: string): string => `postgres://agent:agent@127.0.0.1:${port}/${name}`;

  /** The list that a context of the conversation sends for so many steps. */
  async function sentFor(address: string, steps: number): Promise<readonly Message[]> {
    const archive = await openArchive(address);
    const context = createContext({ window: 24_000, conversation: "goes on", archive });
    const { messages, report } = await context.prepare(work(steps));
    expect(report.failures).toEqual([]);
    await archive.close();
    return messages;
  }

  it("sets it up in five commands", async () => {
    const [commands = ""] = commandsOf("Set-up");
    expect(commands.trim().split("\n")).toHaveLength(5);
    await run(commands);
    const sent = await sentFor(addressOf("agents"), 45);
    expect(sent.length).toBeLessThan(60);
  });

  it("makes copies from which a conversation goes on with the same bytes", async () => {
    const before = await sentFor(addressOf("agents"), 60);
    const backups = commandsOf("Backup and restore");
    expect(backups).toHaveLength(2);
    for (const commands of backups) await run(commands);
    for (const restored of [addressOf("again"), "s3://agents/again"]) {
      const [from, to] = await Promise.all(
        [addressOf("agents"), restored].map((it) => openArchive(it)),
      );
      const [own, copy] = [from?.conversation("goes on"), to?.conversation("goes on")];
      const entries = (await own?.list()) ?? [];
      expect(entries.length).toBeGreaterThan(1);
      for (const { handle } of entries)
        expect(await copy?.get(handle)).toBe(await own?.get(handle));
      expect(await copy?.journal?.read()).toEqual(await own?.journal?.read());
      await Promise.all([from?.close(), to?.close()]);
      expect(await sentFor(restored, 60)).toEqual(before);
      // It goes on from there, with an edit of its own.
      expect((await sentFor(restored, 110)).length).toBeLessThan(before.length + 100);
    }
  });

  it("names metrics that there are, and statements that give a number", async () => {
    const { metrics, statements } = watched();
    const text = createMetrics().text();
    expect(metrics.length).toBeGreaterThan(8);
    const missing = metrics
      .filter((name) => name !== "failed" && name !== "failures")
      .filter((name) => !text.includes(`longhaul_gateway_${name}_total `));
    expect(missing).toEqual([]);
    expect(statements).toHaveLength(4);
    const admin = await openAdmin("agents");
    for (const statement of statements) expect(await admin(statement)).toHaveLength(1);
  });

  async function openAdmin(name: string): Promise<(text: string) => Promise<readonly unknown[]>> {
    const { default: pg } = await import("pg");
    return async (text) => {
      const client = new pg.Client(database.admin.replace(/postgres$/, name));
      await client.connect();
      const { rows } = await client.query(text);
      await client.end();
      return rows as readonly unknown[];
    };
  }
});

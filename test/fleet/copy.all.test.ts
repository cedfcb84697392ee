import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { openArchive } from "../../src/archive/open.ts";
import { postgresArchive, type PostgresArchive } from "../../src/entry/postgres.ts";
import { s3Archive } from "../../src/entry/s3.ts";
import { MAIN, runCli } from "../cli/run-cli.ts";
import { describeArchive } from "../conformance/describe-archive.ts";
import { HAS_S3, type S3Server, startS3 } from "./bucket.ts";
import { type Database, startDatabase } from "./database.ts";

let database: Database;
let server: S3Server;
let stores = 0;
const open: PostgresArchive[] = [];

const large = (): ReturnType<typeof s3Archive> => s3Archive({ bucket: "tests", prefix: "large" });

function archiveIn(schema: string, more: object = {}): PostgresArchive {
  const archive = postgresArchive({
    connectionString: database.url,
    schema,
    migrate: true,
    large: large(),
    ...more,
  });
  open.push(archive);
  return archive;
}

describe.skipIf(!HAS_S3)("PostgreSQL with large originals in S3", () => {
  beforeAll(async () => {
    [database, server] = await Promise.all([startDatabase(), startS3()]);
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    await server.bucket("tests");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all(open.map((archive) => archive.close()));
    await Promise.all([database.stop(), server.stop()]);
  });

  describeArchive(
    "postgres and s3",
    async () => archiveIn("kit", { largerThan: 100 }).conversation(`new ${++stores}`),
    async () => {
      const store = archiveIn(`s${++stores}`, { largerThan: 10 });
      return (id) => store.conversation(id);
    },
  );

  const objectsOf = (schema: string): Promise<readonly { readonly key: string }[]> =>
    large().objects.list(`large/${schema}/`);

  it("stores in the bucket what is large, once, and removes it with its conversation", async () => {
    const archive = archiveIn("once", { largerThan: 1_000 });
    const texts = ["a".repeat(1_000), "b".repeat(1_001), "c".repeat(3_000_000)];
    const many = texts.flatMap((text) => [text, text, text, text]);
    await Promise.all(many.map((text) => archive.put("out", text)));
    for (const text of texts) expect((await archive.put("out", text)).bytes).toBe(text.length);
    expect(await archive.list()).toHaveLength(3);
    expect(await objectsOf("once")).toHaveLength(2);
    await database.query("update once.conversations set used_at = now() - interval '8 days'");
    expect(await archive.collect({ maxAgeMs: 3_600_000 })).toEqual({
      conversations: 1,
      bytes: 3_002_001,
    });
    expect(await objectsOf("once")).toEqual([]);
  });

  it("removes after a day what no row names, and nothing else", async () => {
    const objects = large().objects;
    // A bucket in which everything is two days old.
    const old = {
      ...objects,
      list: async (start: string) =>
        (await objects.list(start)).map((each) => ({
          ...each,
          modifiedAt: Date.now() - 2 * 86_400_000,
        })),
    };
    const archive = archiveIn("swept", { largerThan: 10, large: { objects: old } });
    const { handle } = await archive.put("out", "a large original");
    await objects.write("large/swept/default/x/left-over", "of a writer that was killed");
    await archiveIn("swept").collect({ maxAgeMs: 3_600_000 });
    expect(await objectsOf("swept")).toHaveLength(2);
    await archive.collect({ maxAgeMs: 3_600_000 });
    expect(await objectsOf("swept")).toHaveLength(1);
    expect(await archive.get(handle)).toBe("a large original");
  });

  it("says what is wrong where the bucket is not there, or another object is", async () => {
    const archive = archiveIn("wrong", { largerThan: 10 });
    const { handle } = await archive.put("out", "a large original");
    const without = archiveIn("wrong", { large: undefined });
    await expect(without.get(handle)).rejects.toThrow("give postgresArchive the option `large`");
    const [object] = await objectsOf("wrong");
    await large().objects.write(object?.key ?? "", "another original");
    await expect(archive.get(handle)).rejects.toThrow("does not hold the original");
    await large().objects.remove([object?.key ?? ""]);
    await expect(archive.get(handle)).rejects.toThrow("is not in the bucket");
    const nowhere = s3Archive({ bucket: "nowhere" });
    const failing = archiveIn("wrong", { large: nowhere, largerThan: 10 });
    await expect(failing.put("out", "another large one")).rejects.toThrow("no such bucket");
    expect(await archive.list()).toHaveLength(1);
  });
});

/** Conversations with every kind of content. */
async function filled(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-fleet-"));
  const archive = await openArchive(folder);
  for (let at = 0; at < 10; at++) {
    const own = archive.conversation(`Conversation ${at}`);
    for (let n = 0; n < 10; n++) await own.put("out", `original ${n} of ${at}\n`.repeat(1 << n));
    await own.put("head", `${at}`.repeat(1_500_000));
    for (let n = 0; n < 3; n++) await own.journal?.append({ at, n, text: "\u0000é" });
  }
  return folder;
}

/** All that an archive holds, in order. */
async function contentsOf(address: string): Promise<unknown> {
  const archive = await openArchive(address);
  const all = [];
  for (const id of (await archive.conversations()).toSorted()) {
    const own = archive.conversation(id);
    const entries = await own.list();
    const texts = [];
    for (const { handle } of entries) texts.push(handle, await own.get(handle));
    all.push({ id, texts, journal: await own.journal?.read() });
  }
  await archive.close();
  return all;
}

describe.skipIf(!HAS_S3)("longhaul archive copy", () => {
  beforeAll(async () => {
    [database, server] = await Promise.all([startDatabase(), startS3()]);
    for (const [name, value] of Object.entries(server.env)) vi.stubEnv(name, value);
    await server.bucket("tests");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    await Promise.all([database.stop(), server.stop()]);
  });

  const storedIn = async (schema: string): Promise<number> => {
    const [row] = await database.query(`select count(*)::int as n from ${schema}.originals`);
    return Number(row?.["n"]);
  };

  const copy = async (from: string, to: string): Promise<Record<string, unknown>> => {
    const run = await runCli(["archive", "copy", from, to, "--json"], { env: server.env });
    expect([run.code, run.stdout]).toEqual([0, run.stdout]);
    expect(run.stdout).not.toContain("agent:agent");
    return JSON.parse(run.stdout) as Record<string, unknown>;
  };

  it("moves a folder into a database and a bucket, from there on, and back", async () => {
    const from = await filled();
    const bucket = encodeURIComponent("s3://tests/with-database");
    const database1 = `${database.url}?schema=one&large=${bucket}&largerThan=100000`;
    const back = mkdtempSync(join(tmpdir(), "longhaul-fleet-"));
    const fleet = archiveOfUrl(database1);
    await fleet.migrate();
    await fleet.close();
    const way = [from, database1, "s3://tests/alone", back];
    for (const [at, to] of way.slice(1).entries()) {
      const report = await copy(way[at] ?? "", to);
      expect(report).toMatchObject({ conversations: 10, originals: 110, copied: 110 });
      expect(report).toMatchObject({ entries: 30, appended: 30, problems: [] });
      expect(await copy(way[at] ?? "", to)).toMatchObject({ copied: 0, appended: 0 });
    }
    const wanted = await contentsOf(from);
    for (const to of way.slice(1)) expect(await contentsOf(to)).toEqual(wanted);
  });

  it("goes on after it was killed, wherever that was", async () => {
    const from = await filled();
    const to = `${database.url}?schema=killed`;
    const fleet = archiveOfUrl(to);
    await fleet.migrate();
    for (let round = 1; round <= 4; round++) {
      const child = spawn(process.execPath, [MAIN, "archive", "copy", from, to], {
        env: { ...process.env, ...server.env },
        stdio: "ignore",
      });
      // In the middle of it: some originals are there, and never all.
      while (child.exitCode === null && (await storedIn("killed")) < round * 15) await delay(10);
      child.kill("SIGKILL");
      await once(child, "exit");
    }
    await fleet.close();
    const before = await storedIn("killed");
    expect(before).toBeLessThan(110);
    const report = await copy(from, to);
    expect(report).toMatchObject({ originals: 110, entries: 30, problems: [] });
    expect(report["copied"]).toBe(110 - before);
    expect(await contentsOf(to)).toEqual(await contentsOf(from));
  });
});

function archiveOfUrl(address: string): PostgresArchive {
  const schema = new URL(address).searchParams.get("schema") ?? "";
  return postgresArchive({ connectionString: database.url, schema });
}

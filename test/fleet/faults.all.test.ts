import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { createContext } from "../../src/index.ts";
import { postgresArchive, type PostgresArchive } from "../../src/entry/postgres.ts";
import { describeArchive } from "../conformance/describe-archive.ts";
import { type Database, startDatabase } from "./database.ts";
import { type Pooler, startPooler } from "./pgbouncer.ts";
import { work } from "./replicas.ts";

let database: Database;
let pooler: Pooler;
const open: PostgresArchive[] = [];
let schemas = 0;

function archiveAt(connectionString: string, schema = `f${++schemas}`): PostgresArchive {
  const archive = postgresArchive({ connectionString, schema, migrate: true });
  open.push(archive);
  return archive;
}

/** Whatever stands in the archive stands there as a whole. */
async function isWhole(
  archive: PostgresArchive,
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const entries = await archive.list();
  for (const { handle, bytes } of entries) {
    const text = await archive.get(handle);
    expect(Buffer.byteLength(text)).toBe(bytes);
    expect((await archive.put("out", text)).handle).toBe(handle);
  }
  for (const [handle, text] of known) expect((await archive.get(handle)) === text).toBe(true);
}

describe("faults of a database", () => {
  beforeAll(async () => {
    database = await startDatabase();
    pooler = await startPooler(database);
  });
  afterAll(async () => {
    await Promise.all(open.map((archive) => archive.close()));
    await pooler.stop();
    await database.stop();
  });

  describeArchive(
    "postgres behind pgbouncer",
    async () => archiveAt(pooler.url, "pooled").conversation(`new ${++schemas}`),
    async () => {
      const store = archiveAt(pooler.url);
      return (id) => store.conversation(id);
    },
  );

  it("has all that it said was stored, and nothing torn, after kill -9 in the middle of writes", async () => {
    const archive = archiveAt(database.url);
    await archive.list();
    const stored = new Map<string, string>();
    const told: number[] = [];
    const failures: unknown[] = [];
    for (let round = 0; round < 3; round++) {
      const before = stored.size;
      const writers = Array.from({ length: 12 }, async (_, writer) => {
        for (let count = 0; count < 10; count++) {
          const at = (round * 12 + writer) * 10 + count;
          const text = `original ${at} `.repeat(count === 0 ? 200_000 : 500);
          try {
            stored.set((await archive.put("out", text)).handle, text);
            await archive.journal.append({ at });
            told.push(at);
          } catch (error) {
            failures.push(error);
          }
        }
      });
      // In the middle of writes, however long the first one takes here.
      await vi.waitFor(() => expect(stored.size).toBeGreaterThan(before), 60_000);
      await delay(round * 40);
      await database.crash();
      await delay(300);
      await database.restart();
      await Promise.all(writers);
    }
    for (const error of failures) expect(error).toMatchObject({ code: "archive-failed" });
    // The number that give up depends on how long a restart takes here.
    expect(stored.size).toBeGreaterThan(0);
    await isWhole(archive, stored);
    const entries = (await archive.journal.read()) as { at: number }[];
    const kept = new Set(entries.map(({ at }) => at));
    expect(told.filter((at) => !kept.has(at))).toEqual([]);
  });

  it("says that its disk is full, edits nothing then, and goes on when there is room", async ({
    skip,
  }) => {
    const full = await startDatabase();
    const disk = join(full.folder, "disk");
    mkdirSync(disk);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m,mode=777", "tmpfs", disk]);
    } catch {
      await full.stop();
      return skip("a small disk of its own needs the right to mount one");
    }
    try {
      execFileSync("sh", ["-c", `mkdir ${disk}/tables && chown postgres ${disk}/tables`]);
      await full.query(`create tablespace small location '${disk}/tables'`);
      await full.query("grant create on tablespace small to agent");
      await full.query("alter role agent set default_tablespace = small");
      const archive = archiveAt(full.url);
      const stored = new Map<string, string>();
      const random = (at: number): string =>
        Array.from({ length: 9_000 }, (_, index) =>
          Math.imul(at * 9_000 + index, 0x9e3779b1),
        ).join();
      const fill = async (): Promise<unknown> => {
        for (let at = 0; at < 150; at++) {
          const text = random(at);
          const entry = await archive.put("out", text).catch((error: unknown) => error);
          if (entry instanceof Error) return entry;
          stored.set((entry as { handle: string }).handle, text);
        }
        return undefined;
      };
      expect(await fill()).toMatchObject({
        code: "archive-failed",
        message: expect.stringContaining("no room left: free some") as string,
      });
      const context = createContext({ window: 24_000, conversation: "full", archive });
      const list = work(60);
      const passed = await context.prepare(list);
      expect([passed.report.action, passed.messages]).toEqual(["none", list]);
      expect(JSON.stringify(passed.report.failures)).toContain("no room left");
      await isWhole(archive, stored);
      execFileSync("mount", ["-o", "remount,size=200m", disk]);
      expect((await context.prepare(list)).report).toMatchObject({
        action: "compact",
        failures: [],
      });
      expect(await fill()).toBe(undefined);
      await isWhole(archive, stored);
      await archive.close();
    } finally {
      execFileSync("umount", ["-l", disk]);
      await full.stop();
    }
  });

  it("hears an abort while another process edits, and changes nothing", async () => {
    const archive = archiveAt(database.url);
    await archive.list();
    const other = archive.conversation("busy").journal;
    let end = (): void => undefined;
    const busy = other.alone?.(() => new Promise<void>((done) => (end = done)));
    await vi.waitFor(async () => expect(await leases()).toBe(1));
    const context = createContext({ window: 24_000, conversation: "busy", archive });
    const reason = new Error("the user went away");
    const abort = new AbortController();
    const waiting = context.prepare(work(45), { signal: abort.signal });
    await delay(500);
    abort.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    end();
    await busy;
    expect(await other.read()).toEqual([]);
    expect(await leases()).toBe(0);
    expect((await context.prepare(work(45))).report.action).toBe("compact");

    async function leases(): Promise<number> {
      const [row] = await database.query(`select count(*)::int as n from f${schemas}.leases`);
      return Number(row?.["n"]);
    }
  });

  it("waits for one that edits for ever no longer than six minutes, and then takes its place", async () => {
    const archive = archiveAt(database.url);
    await archive.list();
    const [slow, next] = [archive.conversation("slow"), archive.conversation("slow")];
    let end = (): void => undefined;
    const late = slow.journal.alone?.(async () => {
      await new Promise<void>((done) => (end = done));
      await slow.journal.append({ by: "slow" });
    });
    const context = createContext({ window: 24_000, conversation: "slow", archive });
    await delay(500);
    // The clock of this process is the one that waits.
    const clock = performance.now.bind(performance);
    const ahead = vi.spyOn(performance, "now");
    try {
      const waiting = context.prepare(work(45));
      await delay(500);
      ahead.mockImplementation(() => clock() + 6.1 * 60_000);
      const { report, messages } = await waiting;
      expect([report.action, messages]).toEqual(["none", work(45)]);
      expect(report.failures[0]?.message).toContain("for 6 minutes");
      // It is not renewed any more, so another one takes over, and the slow one cannot store its edit.
      expect(await next.journal.alone?.(() => next.journal.append({ by: "next" }))).toBe(undefined);
      end();
      await expect(late).rejects.toMatchObject({ code: "archive-failed" });
      expect(await next.journal.read()).toEqual([{ by: "next" }]);
    } finally {
      ahead.mockRestore();
    }
  });

  it("keeps ten thousand conversations apart", async () => {
    const archive = archiveAt(database.url);
    await archive.list();
    const ids = Array.from({ length: 10_000 }, (_, at) => `conversation ${at}`);
    const handles = new Map<string, string>();
    const next = ids.values();
    await Promise.all(
      Array.from({ length: 8 }, async () => {
        for (const id of next) {
          const own = archive.conversation(id);
          handles.set(id, (await own.put("out", `the output of ${id}`)).handle);
          await own.journal.append({ id });
        }
      }),
    );
    for (const at of [0, 1, 4_711, 9_999]) {
      const [id, other] = [ids[at] as string, ids[(at + 1) % ids.length] as string];
      const own = archive.conversation(id);
      expect(await own.list()).toHaveLength(1);
      expect(await own.journal.read()).toEqual([{ id }]);
      expect(await own.get(handles.get(id) as string)).toBe(`the output of ${id}`);
      expect(await own.has(handles.get(other) as string)).toBe(false);
    }
    const removed = await archive.collect({ maxAgeMs: -60_000, journals: true, batch: 1_000 });
    expect(removed.conversations).toBe(10_000);
  });
});

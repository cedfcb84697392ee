import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, writeSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Archive } from "../../src/archive/index.ts";
import {
  chooseGarbage,
  collectGarbage,
  type RetentionOptions,
  type StoredConversation,
} from "../../src/archive/retention.ts";
import { runs } from "../property/runs.ts";

const HOUR = 60 * 60 * 1000;
const DAY = 24 * HOUR;

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-gc-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

async function newFolder(): Promise<string> {
  return join(await fs.mkdtemp(join(scratch, "case-")), "archive");
}

function archiveIn(folder: string, conversation?: string): Archive {
  return directoryArchive(folder, { retention: false, conversation });
}

/** Makes a conversation look as if it was used last so long ago. */
async function age(folder: string, conversation: string, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms);
  await fs.utimes(join(folder, conversation, ".used"), then, then);
}

/** A conversation with these originals that was used last so long ago. */
async function stored(
  folder: string,
  conversation: string,
  ageMs: number,
  ...contents: readonly string[]
): Promise<readonly string[]> {
  const archive = archiveIn(folder, conversation);
  const handles: string[] = [];
  for (const content of contents) handles.push((await archive.put("out", content)).handle);
  await age(folder, conversation, ageMs);
  return handles;
}

/** The conversations that are there. */
async function namesIn(folder: string): Promise<readonly string[]> {
  const names = await fs.readdir(folder);
  return names.filter((name) => !name.startsWith(".")).toSorted();
}

describe("retention", () => {
  it("removes the conversations that were not used for 7 days, and nothing else", async () => {
    const folder = await newFolder();
    await stored(folder, "old", 8 * DAY, "one", "two");
    const [kept = ""] = await stored(folder, "new", 6 * DAY, "kept");
    expect(await collectGarbage(folder)).toMatchObject({
      ran: true,
      removed: { conversations: 1, originals: 2, bytes: 6 },
      kept: { conversations: 1, originals: 1, bytes: 4 },
      names: ["old"],
      warnings: [],
    });
    expect(await namesIn(folder)).toEqual(["new"]);
    expect(await archiveIn(folder, "new").get(kept)).toBe("kept");
  });

  it("removes those that were used longest ago until the rest fits", async () => {
    const folder = await newFolder();
    await stored(folder, "b", 2 * DAY, "b".repeat(1_000));
    await stored(folder, "a", 3 * DAY, "a".repeat(1_000));
    await stored(folder, "c", 1.5 * DAY, "c".repeat(1_000));
    await collectGarbage(folder, { maxBytes: 2_000 });
    expect(await namesIn(folder)).toEqual(["b", "c"]);
  });

  it("keeps what was used within a day, whatever its size, and says so", async () => {
    const folder = await newFolder();
    await stored(folder, "now", 23 * HOUR, "x".repeat(1_000));
    const report = await collectGarbage(folder, { maxBytes: 0, maxAgeMs: 0 });
    expect(report).toMatchObject({ removed: { conversations: 0 } });
    expect(report.warnings).toEqual([expect.stringContaining("used too recently")]);
    const sooner = { maxBytes: 0, minAgeMs: 22 * HOUR };
    expect((await collectGarbage(folder, sooner)).names).toEqual(["now"]);
  });

  it("removes what a journal names only by a limit that was given", async () => {
    const folder = await newFolder();
    const [handle = ""] = await stored(folder, "named", 30 * DAY, "x");
    await archiveIn(folder, "named").journal?.append({ version: 1 });
    await age(folder, "named", 30 * DAY);
    expect((await collectGarbage(folder)).names).toEqual([]);
    expect(await archiveIn(folder, "named").get(handle)).toBe("x");
    await age(folder, "named", 30 * DAY);
    expect((await collectGarbage(folder, { maxAgeMs: 29 * DAY })).names).toEqual(["named"]);
    expect(await namesIn(folder)).toEqual([]);
  });

  it("with dryRun says what it would do and does nothing", async () => {
    const folder = await newFolder();
    await stored(folder, "old", 8 * DAY, "old");
    const before = await fs.readdir(folder, { recursive: true });
    const report = await collectGarbage(folder, { dryRun: true });
    expect(report).toMatchObject({ dryRun: true, removed: { originals: 1, bytes: 3 } });
    expect(await fs.readdir(folder, { recursive: true })).toEqual(before);
  });

  it("removes no file that is not its own, and no folder without a stamp", async () => {
    const folder = await newFolder();
    await stored(folder, "noted", 8 * DAY, "old");
    await fs.writeFile(join(folder, "noted", "notes.md"), "mine");
    await fs.mkdir(join(folder, "pictures"));
    await fs.writeFile(join(folder, "pictures", "one.png"), "mine too");
    await fs.utimes(join(folder, "pictures"), new Date(0), new Date(0));
    await collectGarbage(folder, { maxBytes: 0, maxAgeMs: 0 });
    expect(await fs.readdir(join(folder, "noted"))).toEqual(["notes.md"]);
    expect(await fs.readdir(join(folder, "pictures"))).toEqual(["one.png"]);
  });

  it("does nothing where there is nothing, and refuses limits that are none", async () => {
    const folder = await newFolder();
    expect(await collectGarbage(folder)).toMatchObject({ ran: true, kept: { originals: 0 } });
    await expect(fs.stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
    for (const limit of [{ maxBytes: -1 }, { maxAgeMs: Number.NaN }, { minAgeMs: 60_000 }]) {
      const refused = { code: "invalid-options" };
      await expect(collectGarbage(folder, limit)).rejects.toMatchObject(refused);
    }
  });

  it("gives a conversation that comes from the future no age: it goes last, for its size", async () => {
    const folder = await newFolder();
    await stored(folder, "future", -400 * DAY, "xx");
    await stored(folder, "past", 2 * DAY, "xx");
    expect((await collectGarbage(folder, { maxAgeMs: 3 * DAY })).names).toEqual([]);
    expect((await collectGarbage(folder, { maxBytes: 2 })).names).toEqual(["past"]);
    expect((await collectGarbage(folder, { maxBytes: 1 })).names).toEqual(["future"]);
  });
});

describe("a use", () => {
  it.each([
    ["storing again", (archive: Archive) => archive.put("out", "x")],
    ["recalling", (archive: Archive, handle: string) => archive.get(handle)],
    [
      "reading in pieces",
      async (archive: Archive, handle: string) => {
        await (await archive.read?.(handle))?.close();
      },
    ],
    ["looking", (archive: Archive, handle: string) => archive.has(handle)],
    ["spilling", async (archive: Archive) => (await archive.open?.("out"))?.discard()],
    ["the journal", (archive: Archive) => archive.journal!.read()],
  ])("is %s: the conversation is as new", async (_, use) => {
    const folder = await newFolder();
    const [handle = ""] = await stored(folder, "one", 8 * DAY, "x");
    await use(archiveIn(folder, "one"), handle);
    expect((await collectGarbage(folder)).names).toEqual([]);
  });

  it("is not what only looks at a conversation", async () => {
    const folder = await newFolder();
    const [handle = ""] = await stored(folder, "one", 8 * DAY, "x");
    const observer = directoryArchive(folder, { conversation: "one", observe: true });
    expect(await observer.get(handle)).toBe("x");
    await observer.list();
    expect((await collectGarbage(folder)).names).toEqual(["one"]);
  });

  it("is an output that is still written", async () => {
    const folder = await newFolder();
    const spill = await archiveIn(folder, "one").open?.("out");
    writeSync(spill?.fd ?? -1, "begun");
    await age(folder, "one", 8 * DAY);
    expect((await collectGarbage(folder)).names).toEqual([]);
    expect((await spill?.commit())?.bytes).toBe(5);
  });
});

describe("several collectors", () => {
  it("do not get into each other's way", async () => {
    const folder = await newFolder();
    for (let at = 0; at < 20; at++) await stored(folder, `old-${at}`, 8 * DAY, `old ${at}`);
    const reports = await Promise.all([1, 2, 3].map(() => collectGarbage(folder)));
    expect(reports.filter(({ ran }) => ran)).toHaveLength(1);
    expect(await namesIn(folder)).toEqual([]);
    expect((await collectGarbage(folder)).ran).toBe(true);
  });

  it("take over a lock after an hour", async () => {
    const folder = await newFolder();
    await stored(folder, "old", 8 * DAY, "old");
    const lock = join(folder, ".gc", "lock");
    await fs.mkdir(lock, { recursive: true });
    expect((await collectGarbage(folder)).ran).toBe(false);
    const then = new Date(Date.now() - 2 * HOUR);
    await fs.utimes(lock, then, then);
    expect((await collectGarbage(folder)).names).toEqual(["old"]);
  });
});

describe("what a killed process leaves", () => {
  it("of a spill is removed after a day", async () => {
    const folder = await newFolder();
    await stored(folder, "one", HOUR, "x");
    const left = join(folder, "one", `.spill.${"0".repeat(16)}.tmp`);
    const young = join(folder, "one", `.write.${"1".repeat(16)}.tmp`);
    for (const path of [left, young]) await fs.writeFile(path, "half of it");
    const then = new Date(Date.now() - 1.1 * DAY);
    await fs.utimes(left, then, then);
    await collectGarbage(folder);
    const names = await fs.readdir(join(folder, "one"));
    expect(names).not.toContain(basename(left));
    expect(names).toContain(basename(young));
  });

  it("of a collection is finished, or put back where it came into use meanwhile", async () => {
    const folder = await newFolder();
    const [handle = ""] = await stored(folder, "back", 0, "used");
    await stored(folder, "gone", 8 * DAY, "old");
    await fs.mkdir(join(folder, ".gc"));
    for (const name of ["back", "gone"]) {
      await fs.rename(join(folder, name), join(folder, ".gc", `${name}.${"a".repeat(16)}`));
    }
    await collectGarbage(folder);
    expect(await namesIn(folder)).toEqual(["back"]);
    expect(await archiveIn(folder, "back").get(handle)).toBe("used");
    expect(await fs.readdir(join(folder, ".gc"))).toEqual([]);
  });

  it("is put together with what was stored since", async () => {
    const folder = await newFolder();
    const [first = ""] = await stored(folder, "both", 0, "first");
    await archiveIn(folder, "both").journal?.append({ entry: 1 });
    await fs.mkdir(join(folder, ".gc"));
    await fs.rename(join(folder, "both"), join(folder, ".gc", `both.${"a".repeat(16)}`));
    const archive = archiveIn(folder, "both");
    const { handle } = await archive.put("out", "second");
    await archive.put("out", "first");
    await archive.journal?.append({ entry: 2 });
    await collectGarbage(folder);
    expect(await archive.get(first)).toBe("first");
    expect(await archive.get(handle)).toBe("second");
    expect(await archive.journal?.read()).toEqual([{ entry: 2 }, { entry: 1 }]);
  });

  it("keeps what a person put there, also where both have a file of that name", async () => {
    const folder = await newFolder();
    const put = async (text: string): Promise<void> => {
      await stored(folder, "both", 0, text);
      await fs.writeFile(join(folder, "both", "notes.txt"), text);
      await fs.mkdir(join(folder, "both", "mine"));
      await fs.writeFile(join(folder, "both", "mine", "own.txt"), text);
    };
    await put("first");
    await fs.mkdir(join(folder, ".gc"));
    await fs.rename(join(folder, "both"), join(folder, ".gc", `both.${"a".repeat(16)}`));
    await put("second");
    await collectGarbage(folder);
    const read = (...names: string[]): Promise<string> =>
      fs.readFile(join(folder, "both", ...names), "utf8");
    expect(await read("notes.txt")).toBe("second");
    expect(await read("notes.txt.1")).toBe("first");
    expect(await read("mine", "own.txt")).toBe("second");
    expect(await read("mine.1", "own.txt")).toBe("first");
    expect(await fs.readdir(join(folder, ".gc"))).toEqual([]);
  });
});

it("a collection that is killed in the middle leaves an archive that works", async () => {
  const folder = await newFolder();
  const total = 3_000;
  await stored(folder, "paused", 8 * DAY, "first");
  for (let at = 0; at < total; at++) {
    const digits = at.toString(16).padStart(16, "0");
    await fs.writeFile(join(folder, "paused", `run_${digits}.txt`), "old");
  }
  await stored(folder, "other", 0, "kept");
  const collector = spawn(process.execPath, ["test/.built/archive-collector.js", folder], {
    stdio: "inherit",
  });
  const ended = once(collector, "exit");
  const isRemoving = (): boolean => !readdirSync(folder).includes("paused");
  await expect.poll(isRemoving, { interval: 1, timeout: 30_000 }).toBe(true);
  collector.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
  const archive = archiveIn(folder, "paused");
  const { handle } = await archive.put("out", "new");
  const then = new Date(Date.now() - 2 * HOUR);
  await fs.utimes(join(folder, ".gc", "lock"), then, then);
  await collectGarbage(folder);
  expect(await archive.get(handle)).toBe("new");
  expect(await archive.list()).toHaveLength(1);
  expect(await namesIn(folder)).toEqual(["other", "paused"]);
  expect(await fs.readdir(join(folder, ".gc"))).toEqual([]);
}, 60_000);

describe.skipIf(process.platform === "win32")("a planted symbolic link", () => {
  it("is neither followed nor removed", async () => {
    const folder = await newFolder();
    await stored(folder, "one", 8 * DAY, "x");
    const outside = await fs.mkdtemp(join(scratch, "outside-"));
    const victim = join(outside, `out_ab${"0".repeat(14)}.txt`);
    await fs.writeFile(victim, "mine");
    await fs.writeFile(join(outside, ".used"), "");
    const then = new Date(Date.now() - 30 * DAY);
    await fs.utimes(join(outside, ".used"), then, then);
    await fs.symlink(outside, join(folder, "evil"));
    await fs.symlink(victim, join(folder, "one", basename(victim)));
    const report = await collectGarbage(folder, { maxBytes: 0, maxAgeMs: 0 });
    expect(report.removed).toMatchObject({ conversations: 1, originals: 1 });
    expect(await fs.readFile(victim, "utf8")).toBe("mine");
  });

  it("in place of what a collection keeps does not lead it out of the archive", async () => {
    const folder = await newFolder();
    await stored(folder, "one", 8 * DAY, "x");
    const outside = await fs.mkdtemp(join(scratch, "outside-"));
    await fs.symlink(outside, join(folder, ".gc"));
    await expect(collectGarbage(folder)).rejects.toMatchObject({ details: { code: "ELOOP" } });
    expect(await fs.readdir(outside)).toEqual([]);
    expect(await namesIn(folder)).toEqual(["one"]);
  });

  it("or a pipe in place of a stamp is not written through and makes nobody wait", async ({
    skip,
  }) => {
    const folder = await newFolder();
    const victim = join(await fs.mkdtemp(join(scratch, "outside-")), "victim");
    await fs.writeFile(victim, "mine");
    const before = (await fs.stat(victim)).mtimeMs;
    await fs.mkdir(join(folder, "linked"), { recursive: true });
    await fs.symlink(victim, join(folder, "linked", ".used"));
    await archiveIn(folder, "linked").put("out", "new");
    expect((await fs.stat(victim)).mtimeMs).toBe(before);
    await fs.mkdir(join(folder, "piped"));
    if (spawnSync("mkfifo", [join(folder, "piped", ".used")]).status !== 0) skip("no pipes here");
    const piped = archiveIn(folder, "piped");
    expect(await piped.get((await piped.put("out", "x")).handle)).toBe("x");
    expect((await collectGarbage(folder, { maxBytes: 0, maxAgeMs: 0 })).names).toEqual([]);
  });
});

it("runs by itself when something is stored, at most once an hour", async () => {
  const folder = await newFolder();
  await stored(folder, "before", 8 * DAY, "old");
  await directoryArchive(folder, { conversation: "now" }).put("out", "first");
  await expect.poll(() => namesIn(folder)).toEqual(["now"]);
  await expect.poll(() => fs.readdir(join(folder, ".gc"))).toEqual([]);
  await stored(folder, "before", 8 * DAY, "old again");
  await directoryArchive(folder, { conversation: "later" }).put("out", "second");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await namesIn(folder)).toEqual(["before", "later", "now"]);
});

describe("a disk of its own", () => {
  async function withDisk(
    skip: (reason: string) => void,
    work: (folder: string) => Promise<void>,
  ): Promise<void> {
    if (process.platform !== "linux" || process.getuid?.() !== 0) return skip("needs a mount");
    const folder = await newFolder();
    await fs.mkdir(folder, { recursive: true });
    const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
    if (mounted.status !== 0) return skip("cannot mount a file system here");
    try {
      await work(folder);
    } finally {
      spawnSync("umount", [folder]);
    }
  }

  it("that is full gets room", async ({ skip }) => {
    await withDisk(skip, async (folder) => {
      await stored(folder, "paused", 8 * DAY, "old".repeat(100_000));
      const rest = await fs.open(join(folder, "somebody else's"), "w");
      await expect(rest.writeFile("x".repeat(2_000_000))).rejects.toMatchObject({ code: "ENOSPC" });
      await rest.close();
      const archive = directoryArchive(folder, { conversation: "now" });
      const large = "x".repeat(200_000);
      await archive.put("out", large).catch(() => undefined);
      await expect.poll(async () => (await namesIn(folder)).includes("paused")).toBe(false);
      expect(await archive.get((await archive.put("out", large)).handle)).toBe(large);
    });
  });

  it("that cannot be written is left alone, and the error says why", async ({ skip }) => {
    await withDisk(skip, async (folder) => {
      await stored(folder, "old", 8 * DAY, "old");
      spawnSync("mount", ["-o", "remount,ro", folder]);
      await expect(collectGarbage(folder)).rejects.toMatchObject({
        code: "archive-failed",
        details: { code: "EROFS" },
      });
    });
  });
});

const NOW = Date.UTC(2026, 0, 1);
const CONVERSATION: fc.Arbitrary<StoredConversation> = fc.record({
  name: fc.uuid(),
  bytes: fc.nat({ max: 3_000_000_000 }),
  usedAt: fc.oneof(
    fc.integer({ min: NOW - 30 * DAY, max: NOW + 2 * DAY }),
    fc.integer({ min: NOW - 25 * HOUR, max: NOW }),
  ),
  isNamed: fc.boolean(),
});
const LIMITS: fc.Arbitrary<RetentionOptions> = fc.record(
  {
    maxAgeMs: fc.nat({ max: 30 * DAY }),
    maxBytes: fc.nat({ max: 5_000_000_000 }),
    minAgeMs: fc.integer({ min: HOUR, max: 10 * DAY }),
  },
  { requiredKeys: [] },
);

describe("whatever is stored, and whatever the limits", () => {
  const given = (
    check: (stored: readonly StoredConversation[], limits: RetentionOptions) => void,
  ): void =>
    fc.assert(fc.property(fc.array(CONVERSATION, { maxLength: 12 }), LIMITS, check), {
      numRuns: runs(300, 5_000),
    });

  it("nothing goes that was used recently, nor what a journal names unless a limit was given", () => {
    given((stored, limits) => {
      for (const { usedAt, isNamed } of chooseGarbage(stored, limits, NOW)) {
        expect(Math.abs(NOW - usedAt)).toBeGreaterThanOrEqual(limits.minAgeMs ?? DAY);
        const isAsked = limits.maxAgeMs !== undefined || limits.maxBytes !== undefined;
        if (!isAsked) expect(isNamed).toBe(false);
      }
    });
  });

  it("the rest is under both limits, where anything could still go", () => {
    given((stored, limits) => {
      const chosen = new Set(chooseGarbage(stored, limits, NOW));
      const left = stored.filter((each) => !chosen.has(each));
      const could = (each: StoredConversation, limit: unknown): boolean =>
        Math.abs(NOW - each.usedAt) >= (limits.minAgeMs ?? DAY) &&
        (limit !== undefined || !each.isNamed);
      for (const each of left.filter((one) => could(one, limits.maxAgeMs))) {
        expect(NOW - each.usedAt).toBeLessThanOrEqual(limits.maxAgeMs ?? 7 * DAY);
      }
      const counted = left.filter(({ isNamed }) => limits.maxBytes !== undefined || !isNamed);
      const total = counted.reduce((sum, { bytes }) => sum + bytes, 0);
      const isUnder = total <= (limits.maxBytes ?? 2_000_000_000);
      expect(isUnder || !left.some((each) => could(each, limits.maxBytes))).toBe(true);
    });
  });

  it("a second collection has nothing to do", () => {
    given((stored, limits) => {
      const chosen = new Set(chooseGarbage(stored, limits, NOW));
      const left = stored.filter((each) => !chosen.has(each));
      expect(chooseGarbage(left, limits, NOW)).toEqual([]);
    });
  });

  it("goes or stays as a whole, on the disk as well", async () => {
    const folderOf = fc.record({ ageHours: fc.nat({ max: 400 }), originals: fc.nat({ max: 3 }) });
    const folders = fc.array(folderOf, { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(folders, fc.nat({ max: 40 }), async (list, maxBytes) => {
        const folder = await newFolder();
        for (const [at, { ageHours, originals }] of list.entries()) {
          const contents = Array.from({ length: originals }, (_, count) => `${at} of ${count}`);
          await archiveIn(folder, `c${at}`).put("msg", "0123456789");
          await stored(folder, `c${at}`, ageHours * HOUR, ...contents);
        }
        const { names, kept } = await collectGarbage(folder, { maxBytes });
        const left = list.flatMap((_, at) => (names.includes(`c${at}`) ? [] : [at]));
        if (list.length > 0) expect(await namesIn(folder)).toEqual(left.map((at) => `c${at}`));
        for (const at of left) {
          const entries = await archiveIn(folder, `c${at}`).list();
          expect(entries).toHaveLength((list[at]?.originals ?? 0) + 1);
        }
        for (const [at, { ageHours }] of list.entries()) {
          if (ageHours < 24) expect(left).toContain(at);
        }
        expect(kept.conversations).toBe(left.length);
      }),
      { numRuns: runs(15, 100) },
    );
  });
});

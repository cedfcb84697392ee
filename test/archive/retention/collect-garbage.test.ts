import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync, readdirSync, writeSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectGarbage } from "../../../src/archive/retention/collect-garbage.ts";
import { directoryArchive } from "../../../src/archive/directory.ts";
import { ownHolder } from "../../../src/archive/files/holder.ts";
import {
  type Archive,
  type ArchiveEntry,
  recallRange,
  searchArchive,
} from "../../../src/archive/index.ts";

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
  return directoryArchive(folder, {
    retention: false,
    ...(conversation !== undefined && { conversation }),
  });
}

/** Makes a file look as if it was used last so long ago. */
async function age(path: string | undefined, ms: number): Promise<void> {
  const then = new Date(Date.now() - ms);
  await fs.utimes(path ?? "", then, then);
}

/** What a process that ended leaves of a conversation: nobody holds it, and it was used long ago. */
async function end(folder: string, conversation?: string): Promise<void> {
  const own = conversation === undefined ? folder : join(folder, "conversations", conversation);
  for (const name of await fs.readdir(own)) {
    if (name.startsWith(".open.")) await fs.rm(join(own, name));
  }
}

async function stored(
  folder: string,
  originals: readonly (readonly [content: string, ageMs: number])[],
  conversation?: string,
): Promise<readonly string[]> {
  const archive = archiveIn(folder, conversation);
  const handles = [];
  for (const [content, ageMs] of originals) {
    const { handle, path } = await archive.put("out", content);
    await age(path, ageMs);
    handles.push(handle);
  }
  await end(folder, conversation);
  return handles;
}

async function handlesIn(folder: string, conversation?: string): Promise<readonly string[]> {
  return (await archiveIn(folder, conversation).list()).map(({ handle }) => handle);
}

async function markOf(folder: string, conversation: string): Promise<string> {
  const own = join(folder, "conversations", conversation);
  const name = (await fs.readdir(own)).find((each) => each.startsWith(".open."));
  return join(own, name ?? "");
}

function conversationNames(folder: string): readonly string[] {
  return readdirSync(join(folder, "conversations"));
}

describe("retention", () => {
  it("removes what was not used for 7 days, and nothing else", async () => {
    const folder = await newFolder();
    const [, kept] = await stored(folder, [
      ["old", 8 * DAY],
      ["new", 6 * DAY],
    ]);
    const report = await collectGarbage(folder);
    expect(report).toMatchObject({ removed: { originals: 1, bytes: 3 }, kept: { originals: 1 } });
    expect(await handlesIn(folder)).toEqual([kept]);
  });

  it("removes the oldest until the rest fits", async () => {
    const folder = await newFolder();
    const handles = await stored(folder, [
      ["b".repeat(1_000), 2 * DAY],
      ["a".repeat(1_000), 3 * DAY],
      ["c".repeat(1_000), 1 * DAY],
    ]);
    await collectGarbage(folder, { maxBytes: 2_000 });
    expect(new Set(await handlesIn(folder))).toEqual(new Set([handles[0], handles[2]]));
  });

  it("counts an original that was stored again as used", async () => {
    const folder = await newFolder();
    const [handle] = await stored(folder, [["again", 8 * DAY]]);
    await archiveIn(folder).put("out", "again");
    await end(folder);
    await collectGarbage(folder);
    expect(await handlesIn(folder)).toEqual([handle]);
  });

  it("with dryRun says what it would do and does nothing", async () => {
    const folder = await newFolder();
    const handles = await stored(folder, [["old", 8 * DAY]]);
    const before = await fs.readdir(folder, { recursive: true });
    const report = await collectGarbage(folder, { dryRun: true });
    expect(report).toMatchObject({ dryRun: true, removed: { originals: 1, bytes: 3 } });
    expect(await handlesIn(folder)).toEqual(handles);
    expect(await fs.readdir(folder, { recursive: true })).toEqual(before);
  });

  it("removes the folder of a conversation with nothing in it, but no file that is not its own", async () => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]], "gone");
    await stored(folder, [["older", 8 * DAY]], "noted");
    await fs.writeFile(join(folder, "conversations", "noted", "journal.jsonl"), "{}\n");
    await collectGarbage(folder);
    expect(await fs.readdir(join(folder, "conversations"))).toEqual(["noted"]);
    expect(await fs.readdir(join(folder, "conversations", "noted"))).toEqual(["journal.jsonl"]);
  });

  it("removes a journal with the last of what it names, and no younger one", async () => {
    const folder = await newFolder();
    for (const name of ["old", "young"]) {
      await stored(folder, [["x".repeat(100) + name, 8 * DAY]], name);
      await archiveIn(folder, name).journal?.append({ version: 1 });
      const journal = join(folder, "conversations", name, "journal.jsonl");
      await age(journal, name === "old" ? 8 * DAY : DAY);
      await end(folder, name);
    }
    await collectGarbage(folder);
    expect(await fs.readdir(join(folder, "conversations"))).toEqual(["young"]);
    expect(await archiveIn(folder, "young").journal?.read()).toEqual([{ version: 1 }]);
  });

  it("does nothing where there is nothing, and refuses negative limits", async () => {
    const folder = await newFolder();
    expect(await collectGarbage(folder)).toMatchObject({ ran: true, kept: { originals: 0 } });
    await expect(fs.stat(folder)).rejects.toMatchObject({ code: "ENOENT" });
    await expect(collectGarbage(folder, { maxBytes: -1 })).rejects.toMatchObject({
      code: "invalid-options",
    });
  });
});

describe("a live conversation", () => {
  it("keeps everything while this process has it open, whatever its age and size", async () => {
    const folder = await newFolder();
    const archive = archiveIn(folder, "open");
    const { handle, path } = await archive.put("out", "old and open");
    await age(path, 30 * DAY);
    const mark = await markOf(folder, "open");
    await age(mark, 2 * DAY);
    const report = await collectGarbage(folder, { maxBytes: 0 });
    expect(report).toMatchObject({ removed: { originals: 0 }, live: ["open"] });
    expect(report.warnings).toEqual([expect.stringContaining("still larger")]);
    expect(await archive.get(handle)).toContain("old");
  });

  it("is one that was used within the last hour, also when its process has ended", async () => {
    const folder = await newFolder();
    const { path } = await archiveIn(folder, "ended").put("out", "old");
    await age(path, 30 * DAY);
    const mark = await markOf(folder, "ended");
    const dead = mark.replace(/\.open\.(\w+)\.\d+\.\d+$/, ".open.$1.4194304.7");
    await fs.rename(mark, dead);
    await age(dead, HOUR / 2);
    expect((await collectGarbage(folder)).removed.originals).toBe(0);
    await age(dead, 2 * HOUR);
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
    await expect(fs.stat(dead)).rejects.toMatchObject({ code: "ENOENT" });
  });

  it("of another machine counts for a day after its last use", async () => {
    const folder = await newFolder();
    const { path } = await archiveIn(folder, "far").put("out", "old");
    await age(path, 30 * DAY);
    const mark = await markOf(folder, "far");
    const far = mark.replace(/\.open\.\w+\./, ".open.00000000.");
    await fs.rename(mark, far);
    await age(far, DAY / 2);
    expect((await collectGarbage(folder)).live).toEqual(["far"]);
    await age(far, 2 * DAY);
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
  });
});

describe("a clock that jumps", () => {
  it("back: what seems to come from the future has no age, and goes last for its size", async () => {
    const folder = await newFolder();
    const [older, newer] = await stored(folder, [
      ["from the future", -400 * DAY],
      ["from further on", -401 * DAY],
    ]);
    await collectGarbage(folder, { maxAgeMs: 0 });
    expect(await handlesIn(folder)).toEqual([older, newer]);
    await stored(folder, [["from the past", 2 * HOUR]]);
    await collectGarbage(folder, { maxBytes: 20 });
    expect(await handlesIn(folder)).toEqual([newer]);
  });

  it("back: a mark from the future counts for an hour from now on", async () => {
    const folder = await newFolder();
    const { path } = await archiveIn(folder, "before").put("out", "old");
    await age(path, 30 * DAY);
    const mark = await markOf(folder, "before");
    const dead = mark.replace(/\.open\.(\w+)\.\d+\.\d+$/, ".open.$1.4194304.7");
    await fs.rename(mark, dead);
    await age(dead, -400 * DAY);
    expect((await collectGarbage(folder)).live).toEqual(["before"]);
    expect(Math.abs((await fs.stat(dead)).mtimeMs - Date.now())).toBeLessThan(HOUR);
    await age(dead, 2 * HOUR);
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
  });

  it("forward, before anything was ever collected: what a process holds stays", async () => {
    const folder = await newFolder();
    const archive = archiveIn(folder, "since 1970");
    const { handle, path } = await archive.put("out", "kept");
    // The process and its originals are from before the clock was set.
    await age(path, 50 * 365 * DAY);
    await age(await markOf(folder, conversationNames(folder)[0] ?? ""), 50 * 365 * DAY);
    expect((await collectGarbage(folder)).removed.originals).toBe(0);
    expect(await archive.get(handle)).toBe("kept");
  });

  it("forward: ages count again only when everything from before is that old", async () => {
    const folder = await newFolder();
    const handles = await stored(folder, [["fresh", 2 * HOUR]]);
    const at = (days: number, ranDays: number): Promise<{ readonly originals: number }> =>
      collectGarbage(folder, {
        now: () => Date.now() + days * DAY,
        uptime: () => 1_000_000 + ranDays * DAY,
      }).then(({ removed }) => removed);
    expect(await at(0, 0)).toMatchObject({ originals: 0 });
    expect(await at(3_000, 0.1)).toMatchObject({ originals: 0 });
    expect(await at(3_006, 6.1)).toMatchObject({ originals: 0 });
    expect(await handlesIn(folder)).toEqual(handles);
    expect(await at(3_007.2, 7.3)).toMatchObject({ originals: 1 });
  });

  it("forward and back: is over when the clock is right again", async () => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]]);
    const now = Date.now();
    const at = (days: number, ranDays: number): ReturnType<typeof collectGarbage> =>
      collectGarbage(folder, {
        now: () => now + days * DAY,
        uptime: () => ranDays * DAY,
        maxAgeMs: 30 * DAY,
      });
    await at(0, 1);
    expect((await at(5_000, 1.1)).warnings).toEqual([expect.stringContaining("set forward")]);
    await at(0.2, 1.2);
    expect((await at(31, 32)).removed.originals).toBe(1);
  });

  it("survives a stamp that is damaged", async () => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]]);
    await fs.writeFile(join(folder, ".gc.json"), '{"now": "yesterd');
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
  });
});

describe("several collectors", () => {
  it("do not get into each other's way", async () => {
    const folder = await newFolder();
    await stored(
      folder,
      Array.from({ length: 50 }, (_, index) => [`old ${index}`, 8 * DAY]),
    );
    const reports = await Promise.all([1, 2, 3].map(() => collectGarbage(folder)));
    expect(reports.filter(({ ran }) => ran)).toHaveLength(1);
    expect(await handlesIn(folder)).toEqual([]);
    expect((await collectGarbage(folder)).ran).toBe(true);
  });

  it.each(["", "00000000.1.1"])("take over a stale lock (%j)", async (holder) => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]]);
    await fs.writeFile(join(folder, ".gc.lock"), holder);
    expect((await collectGarbage(folder)).ran).toBe(false);
    await age(join(folder, ".gc.lock"), 2 * HOUR);
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
  });

  it("take over the lock of a process that is dead at once", async () => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]]);
    const dead = ownHolder().replace(/\.\d+\.\d+$/, ".4194304.7");
    await fs.writeFile(join(folder, ".gc.lock"), dead);
    expect((await collectGarbage(folder)).ran).toBe(true);
  });
});

describe("equal files", () => {
  it("of several conversations become one, and each conversation keeps its own", async () => {
    const folder = await newFolder();
    const large = "the same large output\n".repeat(100_000);
    const entries: { archive: Archive; run?: ArchiveEntry; out: ArchiveEntry }[] = [];
    for (const conversation of ["one", "two", "three"]) {
      const archive = archiveIn(folder, conversation);
      const spill = await archive.open?.("out");
      writeSync(spill?.fd ?? -1, large);
      entries.push({ archive, run: await spill?.commit(), out: await archive.put("out", "small") });
    }
    const other = await archiveIn(folder, "one").put("out", "SMALL");
    expect((await collectGarbage(folder)).linked).toEqual({ files: 2, bytes: 10 });
    // Nobody writes into them any more.
    for (const { run } of entries) await age(run?.path, 2 * HOUR);
    const report = await collectGarbage(folder);
    expect(report.linked).toEqual({ files: 2, bytes: 2 * large.length });
    const inodes = async (kind: "run" | "out"): Promise<number> =>
      new Set(
        await Promise.all(entries.map(async (each) => (await fs.stat(each[kind]?.path ?? "")).ino)),
      ).size;
    expect([await inodes("run"), await inodes("out")]).toEqual([1, 1]);
    for (const { archive, run, out } of entries) {
      expect(await archive.get(run?.handle ?? "")).toBe(large);
      expect(await archive.get(out.handle)).toBe("small");
      expect(await archive.list()).toHaveLength(archive === entries[0]?.archive ? 3 : 2);
    }
    expect(await archiveIn(folder, "one").get(other.handle)).toBe("SMALL");
    expect((await collectGarbage(folder)).linked.files).toBe(0);
  });

  it("stay while one of their conversations is live", async () => {
    const folder = await newFolder();
    const [handle = ""] = await stored(folder, [["shared", 30 * DAY]], "ended");
    const { path } = await archiveIn(folder, "live").put("out", "shared");
    await age(path, 30 * DAY);
    await collectGarbage(folder, { maxAgeMs: 365 * DAY });
    await age(path, 30 * DAY);
    expect((await collectGarbage(folder)).removed.originals).toBe(0);
    expect(await archiveIn(folder, "ended").get(handle)).toBe("shared");
  });

  it("that are still written stay apart", async () => {
    const folder = await newFolder();
    const large = "the same large output\n".repeat(100_000);
    const runs: { readonly writer: number; readonly path: string }[] = [];
    for (const conversation of ["one", "two"]) {
      const spill = await archiveIn(folder, conversation).open?.("out");
      writeSync(spill?.fd ?? -1, large);
      // As a command in the background has it.
      const writer = openSync(spill?.path ?? "", "a");
      runs.push({ writer, path: (await spill?.commit())?.path ?? "" });
    }
    await collectGarbage(folder);
    for (const [index, { writer }] of runs.entries()) {
      writeSync(writer, `more of ${index}`);
      closeSync(writer);
    }
    for (const [index, { path }] of runs.entries()) {
      expect(await fs.readFile(path, "utf8")).toBe(`${large}more of ${index}`);
    }
  });

  it("that only look equal, because one was changed, stay apart", async () => {
    const folder = await newFolder();
    const one = await archiveIn(folder, "one").put("out", "shared");
    const two = await archiveIn(folder, "two").put("out", "shared");
    await fs.writeFile(two.path ?? "", "tamper");
    expect((await collectGarbage(folder)).linked.files).toBe(0);
    expect(await fs.readFile(one.path ?? "", "utf8")).toBe("shared");
  });
});

describe("what a killed process leaves", () => {
  it("of a spill is removed, and what a living one writes is not", async () => {
    const folder = await newFolder();
    await archiveIn(folder).put("out", "x");
    const spill = await archiveIn(folder).open?.("out");
    const left = (spill?.path ?? "").replace(/\.\d+\.\d+(\.[0-9a-f]{16}\.tmp)$/, ".4194304.7$1");
    await fs.writeFile(left, "half of it");
    await collectGarbage(folder);
    const names = await fs.readdir(folder);
    expect(names).toContain(basename(spill?.path ?? ""));
    expect(names).not.toContain(basename(left));
    await spill?.discard();
  });
});

it("a collection that is killed in the middle leaves an archive that works", async () => {
  const folder = await newFolder();
  const total = 3_000;
  const originals = Array.from({ length: total }, (_, index) => [`old ${index}`, 8 * DAY] as const);
  await stored(folder, originals, "paused");
  const script = join(import.meta.dirname, "..", "archive-collector.ts");
  const collector = spawn(process.execPath, ["--import", "tsx", script, folder], {
    stdio: "inherit",
  });
  const ended = once(collector, "exit");
  const own = join(folder, "conversations", "paused");
  const isRemoving = (): boolean => readdirSync(own).some((name) => name.startsWith(".removing."));
  await expect.poll(isRemoving, { interval: 1, timeout: 30_000 }).toBe(true);
  collector.kill("SIGKILL");
  expect((await ended)[1]).toBe("SIGKILL");
  const archive = archiveIn(folder, "paused");
  const [left] = await archive.list();
  expect(await archive.get(left?.handle ?? "")).toContain("old");
  await age((await archive.put("out", "new")).path, 8 * DAY);
  await end(folder, "paused");
  await collectGarbage(folder);
  // What was read is in use; of the killed one nothing is left.
  expect(await handlesIn(folder, "paused")).toEqual([left?.handle]);
  expect(readdirSync(folder)).toEqual([".gc.json", "conversations"]);
  const names = readdirSync(own, { recursive: true, encoding: "utf8" });
  expect(names.filter((name) => basename(name).startsWith("."))).toEqual([]);
}, 60_000);

describe("a planted symbolic link", () => {
  it("is neither followed nor removed", async () => {
    const folder = await newFolder();
    const { path = "" } = await archiveIn(folder).put("out", "x");
    const outside = join(scratch, "outside");
    await fs.mkdir(join(outside, "ab"), { recursive: true });
    const victim = join(outside, "ab", `out_ab${"0".repeat(14)}.txt`);
    await fs.writeFile(victim, "mine");
    await age(victim, 30 * DAY);
    await fs.symlink(join(outside, "ab"), join(folder, "ab"));
    await fs.mkdir(join(folder, "conversations"));
    await fs.symlink(outside, join(folder, "conversations", "evil"));
    await fs.symlink(
      victim,
      join(dirname(path), `out_${basename(dirname(path))}${"0".repeat(14)}.txt`),
    );
    await end(folder);
    const now = (): number => Date.now() + 2 * DAY;
    const report = await collectGarbage(folder, { maxBytes: 0, maxAgeMs: 0, now });
    expect(report.removed.originals).toBe(1);
    expect(await fs.readFile(victim, "utf8")).toBe("mine");
  });
});

describe("a planted file in place of what a collection keeps", () => {
  it("does not lead it out of the archive", async () => {
    const folder = await newFolder();
    const outside = await fs.mkdtemp(join(scratch, "outside-"));
    const victim = join(outside, "theirs", "ab", `out_ab${"0".repeat(14)}.txt`);
    await fs.mkdir(dirname(victim), { recursive: true });
    await fs.writeFile(victim, "mine");
    await age(victim, 30 * DAY);
    await stored(folder, [["old", 8 * DAY]]);
    await fs.symlink(outside, join(folder, "conversations"));
    await expect(collectGarbage(folder)).rejects.toMatchObject({ details: { code: "ELOOP" } });
    expect(await fs.readFile(victim, "utf8")).toBe("mine");
  });

  it("is not written through", async () => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]]);
    const victim = join(await fs.mkdtemp(join(scratch, "outside-")), "victim");
    await fs.writeFile(victim, "mine");
    for (const name of [".gc.json", ".gc.json.tmp"]) await fs.symlink(victim, join(folder, name));
    await fs.symlink(victim, join(folder, `.open.${ownHolder()}`));
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
    await archiveIn(folder).put("out", "new");
    expect(await fs.readFile(victim, "utf8")).toBe("mine");
    await fs.symlink(victim, join(folder, ".gc.lock"));
    await expect(collectGarbage(folder)).rejects.toMatchObject({ details: { code: "ELOOP" } });
  });

  it("does not make it wait for ever", async ({ skip }) => {
    const folder = await newFolder();
    await stored(folder, [["old", 8 * DAY]]);
    const made = [".gc.json", `.open.${ownHolder()}`].map((name) =>
      spawnSync("mkfifo", [join(folder, name)]),
    );
    if (made.some(({ status }) => status !== 0)) skip("no named pipes here");
    expect((await collectGarbage(folder)).removed.originals).toBe(1);
    expect(await archiveIn(folder).get((await archiveIn(folder).put("out", "x")).handle)).toBe("x");
  });
});

describe("an original that is recalled", () => {
  it("was used, where it was only searched it was not", async () => {
    const folder = await newFolder();
    const [recalled = "", searched = ""] = await stored(folder, [
      ["recalled", 6.9 * DAY],
      ["searched", 6.9 * DAY],
    ]);
    const archive = archiveIn(folder);
    await recallRange(archive, recalled);
    await searchArchive(archive, "e");
    await end(folder);
    const now = (): number => Date.now() + DAY;
    await collectGarbage(folder, { now });
    expect(await handlesIn(folder)).toEqual([recalled]);
    expect(await archiveIn(folder).has(searched)).toBe(false);
  });
});

it("runs by itself when something is stored, at most once an hour", async () => {
  const folder = await newFolder();
  await stored(folder, [["old", 8 * DAY]], "before");
  const archive = directoryArchive(folder, { conversation: "now" });
  await archive.put("out", "first");
  await expect.poll(() => handlesIn(folder, "before")).toEqual([]);
  await expect.poll(() => fs.readdir(folder)).not.toContain(".gc.lock");
  await stored(folder, [["old again", 8 * DAY]], "before");
  await directoryArchive(folder, { conversation: "later" }).put("out", "second");
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(await handlesIn(folder, "before")).toHaveLength(1);
});

it("makes room on a disk that is full", async ({ skip }) => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) skip("needs a mount");
  const folder = await newFolder();
  await fs.mkdir(folder, { recursive: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (mounted.status !== 0) skip("cannot mount a file system here");
  try {
    await stored(folder, [["old".repeat(100_000), 8 * DAY]], "paused");
    const rest = await fs.open(join(folder, "somebody else's"), "w");
    await expect(rest.writeFile("x".repeat(2_000_000))).rejects.toMatchObject({ code: "ENOSPC" });
    await rest.close();
    const archive = directoryArchive(folder, { conversation: "now" });
    const large = "x".repeat(200_000);
    await archive.put("out", large).catch(() => undefined);
    await expect.poll(() => handlesIn(folder, "paused")).toEqual([]);
    expect(await archive.get((await archive.put("out", large)).handle)).toBe(large);
  } finally {
    spawnSync("umount", [folder]);
  }
});

it("leaves a file system that cannot be written alone and says why", async ({ skip }) => {
  if (process.platform !== "linux" || process.getuid?.() !== 0) skip("needs a mount");
  const folder = await newFolder();
  await fs.mkdir(folder, { recursive: true });
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=1m", "tmpfs", folder]);
  if (mounted.status !== 0) skip("cannot mount a file system here");
  try {
    await stored(folder, [["old", 8 * DAY]]);
    spawnSync("mount", ["-o", "remount,ro", folder]);
    await expect(collectGarbage(folder)).rejects.toMatchObject({
      code: "archive-failed",
      details: { code: "EROFS" },
    });
  } finally {
    spawnSync("umount", [folder]);
  }
});

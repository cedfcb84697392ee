import { spawnSync } from "node:child_process";
import { writeSync } from "node:fs";
import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { collectGarbage } from "../../src/archive/collect-garbage.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import type { Archive, ArchiveEntry } from "../../src/archive/index.ts";

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

  async function markOf(folder: string, conversation: string): Promise<string> {
    const own = join(folder, "conversations", conversation);
    const name = (await fs.readdir(own)).find((each) => each.startsWith(".open."));
    return join(own, name ?? "");
  }
});

describe("a clock that jumps", () => {
  it("back: what seems to come from the future stays", async () => {
    const folder = await newFolder();
    const handles = await stored(folder, [["from the future", -400 * DAY]]);
    await collectGarbage(folder, { maxBytes: 0, maxAgeMs: 0 });
    expect(await handlesIn(folder)).toEqual(handles);
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
    const { ownHolder } = await import("../../src/archive/holder.ts");
    const dead = ownHolder().replace(/\.\d+\.\d+$/, ".4194304.7");
    await fs.writeFile(join(folder, ".gc.lock"), dead);
    expect((await collectGarbage(folder)).ran).toBe(true);
  });
});

describe("equal files", () => {
  it("of several conversations become one, and each conversation keeps its own", async () => {
    const folder = await newFolder();
    const large = "the same large output\n".repeat(100_000);
    const entries: { archive: Archive; run?: ArchiveEntry | undefined; out: ArchiveEntry }[] = [];
    for (const conversation of ["one", "two", "three"]) {
      const archive = archiveIn(folder, conversation);
      const spill = await archive.open?.("out");
      writeSync(spill?.fd ?? -1, large);
      entries.push({ archive, run: await spill?.commit(), out: await archive.put("out", "small") });
    }
    const other = await archiveIn(folder, "one").put("out", "SMALL");
    const report = await collectGarbage(folder);
    expect(report.linked).toEqual({ files: 4, bytes: 2 * (large.length + 5) });
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

import { execFileSync, spawn } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { runCommand } from "../../src/spill/index.ts";
import { isAlive, newArchive, outputsIn } from "./scratch.ts";

/** Mounting needs privileges that most machines rightly do not give. */
function mountTiny(folder: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=400k", "tmpfs", folder], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** A folder on a file system of 400 kB of its own. */
async function withTinyDisk(
  skip: (reason: string) => void,
  work: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
  if (!mountTiny(folder)) return skip("a file system cannot be mounted here");
  try {
    await work(folder);
  } finally {
    execFileSync("umount", ["-l", folder]);
  }
}

/** The command knows from its own exit code and stderr whether it could print. */
const PRINTER = "seq 1 200000 && echo well >&2";

describe("a disk that is full", () => {
  it("is no concern of the command; the preview is right, and the notice says what is lost", async ({
    skip,
  }) => {
    await withTinyDisk(skip, async (folder) => {
      const archive = directoryArchive(join(folder, "archive"));
      const result = await runCommand({ command: PRINTER, archive });
      expect(result.exitCode).toBe(0);
      expect(result.truncation.total).toEqual({ lines: 200_001, bytes: 1_288_900 });
      expect(result.truncation.text.endsWith("\n200000\nwell\n")).toBe(true);
      expect(result.text).toContain("was not kept");
      expect(result.text).toContain("disk is full");
      expect(outputsIn(join(folder, "archive"))).toEqual([]);
      const small = await runCommand({ command: "seq 1 20000", archive });
      expect(readFileSync(small.entry!.path!, "utf8")).toMatch(/^1\n2\n[^]*\n20000\n$/);
    });
  });

  it("that fills up while the command runs is named in a warning", async ({ skip }) => {
    await withTinyDisk(skip, async (folder) => {
      const fill = (name: string): string => `head -c 180000 /dev/zero > ${join(folder, name)}`;
      const result = await runCommand({
        command: `${fill("a")}; ${fill("b")}; seq 1 200000; echo "ended with $?"`,
        archive: directoryArchive(join(folder, "archive")),
        maxFileBytes: 200_000,
      });
      expect(result.warnings.join()).toContain("The disk became full");
      expect(result.truncation.total.bytes).toBeLessThan(60_000);
      expect(result.text).toContain("disk is full");
    });
  });

  it("that cannot be written at all is the same", async ({ skip }) => {
    await withTinyDisk(skip, async (folder) => {
      const archive = directoryArchive(join(folder, "archive"));
      execFileSync("mount", ["-o", "remount,ro", folder]);
      const result = await runCommand({ command: PRINTER, archive });
      expect(result).toMatchObject({ exitCode: 0, truncation: { total: { lines: 200_001 } } });
      expect(result.text).toContain("read-only");
    });
  });
});

describe("an archive that cannot be written", () => {
  it("lets the command run, and the notice says why nothing was kept", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "longhaul-spill-")), "file");
    writeFileSync(folder, "mine");
    const result = await runCommand({ command: PRINTER, archive: directoryArchive(folder) });
    expect(result).toMatchObject({ exitCode: 0, truncation: { total: { lines: 200_001 } } });
    expect(result.text).toContain("A file stands where a folder is needed");
    expect(result).not.toHaveProperty("entry");
    expect(readFileSync(folder, "utf8")).toBe("mine");
  });

  it("is not mentioned when nothing was cut", async () => {
    const folder = join(mkdtempSync(join(tmpdir(), "longhaul-spill-")), "file");
    writeFileSync(folder, "mine");
    const result = await runCommand({ command: "echo fine", archive: directoryArchive(folder) });
    expect(result).toMatchObject({ text: "fine\n", warnings: [] });
  });
});

describe("a command that writes into a pipe, as the archive has no files", () => {
  const archive = memoryArchive();

  it("has both streams in order, and its whole output in the archive", async () => {
    const command = "i=0; while [ $i -lt 2000 ]; do echo out $i; echo err $i >&2; i=$((i+1)); done";
    const { entry, truncation } = await runCommand({ command, archive });
    const lines = Array.from(
      { length: 4_000 },
      (_, at) => `${at % 2 ? "err" : "out"} ${at >> 1}\n`,
    );
    expect(await archive.get(entry!.handle)).toBe(lines.join(""));
    expect(truncation.total.lines).toBe(4_000);
  });

  it.each([
    ["exit 7", { exitCode: 7 }],
    ["kill -TERM $$", { signal: "SIGTERM" }],
    ["no-such-command-at-all", { exitCode: 127 }],
  ])("ends as it would anywhere: %s", async (command, expected) => {
    expect(await runCommand({ command, archive })).toMatchObject(expected);
  });

  it("is not held back by a process in the background", async () => {
    const result = await runCommand({ command: "seq 1 50000; sleep 90 & echo $!", archive });
    const pid = Number(result.truncation.text.trimEnd().split("\n").at(-1));
    expect(isAlive(pid)).toBe(true);
    expect(result.truncation.total.lines).toBe(50_001);
    process.kill(pid);
  });

  it("may print on in the background without coming to harm", async () => {
    // The shell leads the group, so its number is also that of the group.
    const command = "(sleep 0.3; echo late; echo later; sleep 20) & echo $! $$";
    const result = await runCommand({ command, archive });
    const [pid = 0, group = 0] = result.truncation.text.split(" ").map(Number);
    await sleep(800);
    expect(isAlive(pid)).toBe(true);
    process.kill(-group, "SIGKILL");
  });

  it("is stopped at the limit, exactly", async () => {
    const result = await runCommand({ command: "yes", archive, maxFileBytes: 1_048_576 });
    expect(result.truncation.total.bytes).toBe(1_048_576);
    expect(result.entry!.bytes).toBe(1_048_576);
    expect(result.warnings.join()).toContain("limit");
  });

  it("ends in time", async () => {
    const result = await runCommand({ command: "echo a; sleep 30", archive, timeoutMs: 1_500 });
    expect(result).toMatchObject({ timedOut: true, truncation: { text: "a\n" } });
  });
});

const PROCESS = resolve("test/.built/spill-process.js");

describe("kill -9 while an output is spilled", () => {
  it.each([
    ["run", "while :; do seq 1 100000; done"],
    ["stream", "100000000000"],
  ])("%s: nothing of it is ever listed, and others go on", async (mode, what) => {
    const { archive, folder } = newArchive();
    const child = spawn(process.execPath, [PROCESS, mode, folder, what]);
    await new Promise((ready) => child.stdout.once("data", ready));
    const before = await archive.list();
    const isSpilling = (): boolean =>
      outputsIn(folder).some((name) => name.endsWith(".tmp") && sizeOf(folder, name) > 3_000_000);
    await expect.poll(isSpilling, { timeout: 20_000 }).toBe(true);
    child.kill("SIGKILL");
    await new Promise((gone) => child.once("exit", gone));
    await endOrphans(folder);
    expect(await archive.list()).toEqual(before);
    for (const { handle, bytes } of before) {
      expect(Buffer.byteLength(await archive.get(handle))).toBe(bytes);
    }
    const { entry } = await runCommand({ command: "seq 1 100000", archive });
    expect(await archive.list()).toContainEqual(entry);
  });
});

function sizeOf(folder: string, name: string): number {
  const path = join(folder, name);
  return existsSync(path) ? statSync(path).size : 0;
}

/** The command of a process that was killed goes on, into a file that nobody will ever list. */
async function endOrphans(folder: string): Promise<void> {
  await expect.poll(() => killWriters(folder), { timeout: 10_000 }).toBe(0);
}

/** Kills whoever has its stdout in a folder; how many there were. */
function killWriters(folder: string): number {
  if (process.platform !== "linux") return 0;
  const writers = readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readlinkSync(`/proc/${pid}/fd/1`).startsWith(folder);
    } catch {
      return false;
    }
  });
  for (const pid of writers) {
    try {
      process.kill(Number(pid), "SIGKILL");
    } catch {
      // It ended by itself.
    }
  }
  return writers.length;
}

it("a process without any descriptor left still has what its command printed", () => {
  const { folder } = newArchive();
  mkdirSync(folder, { recursive: true });
  const words = [process.execPath, PROCESS, "crowded", folder, "echo begun; sleep 30"];
  const limited = ["-c", 'ulimit -n 200; exec "$@"', "sh", ...words];
  const out = execFileSync("/bin/sh", limited, { encoding: "utf8" });
  expect(JSON.parse(out.trim().split("\n").at(-1)!)).toMatchObject({ bytes: 6 });
});

describe("memory", () => {
  const BYTES = 400_000_000;

  it.each([
    ["run", `yes 'a line that is printed over and over again' | head -c ${BYTES}`],
    ["stream", String(BYTES)],
  ])("%s: grows by less than 64 MB for 400 MB", async (mode, what) => {
    const { folder } = newArchive();
    mkdirSync(folder, { recursive: true });
    const args = [PROCESS, mode, folder, what];
    const out = execFileSync(process.execPath, args, { encoding: "utf8" });
    const { bytes, grown } = JSON.parse(out.trim().split("\n").at(-1)!) as Record<string, number>;
    expect(bytes).toBeGreaterThanOrEqual(BYTES);
    expect(grown).toBeLessThan(64_000_000);
  });
});

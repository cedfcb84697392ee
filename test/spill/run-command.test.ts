import {
  existsSync,
  mkdtempSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, vi } from "vitest";
import { directoryArchive } from "../../src/archive/directory.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import { runCommand } from "../../src/spill/index.ts";
import { runs } from "../property/runs.ts";
import { isAlive, newArchive, openDescriptors, outputsIn } from "./scratch.ts";

/** `expect.poll` does not know which of several tests at once asks. */
const PATIENCE = { timeout: 30_000 };

describe("an output that fits", () => {
  it("is the text, byte for byte, and leaves no file behind", async () => {
    const { archive, folder } = newArchive();
    const result = await runCommand({ command: "echo one; echo two >&2; printf three", archive });
    expect(result).toMatchObject({ text: "one\ntwo\nthree", exitCode: 0, warnings: [] });
    expect(result).not.toHaveProperty("entry");
    expect(outputsIn(folder)).toEqual([]);
  });

  it("is kept when that is asked for", async () => {
    const { archive } = newArchive();
    const { entry } = await runCommand({ command: "echo kept", archive, keep: true });
    expect(await archive.get(entry!.handle)).toBe("kept\n");
  });

  it("may be empty", async () => {
    const result = await runCommand({ command: "true", archive: newArchive().archive });
    expect(result).toMatchObject({ text: "", exitCode: 0, truncation: { total: { bytes: 0 } } });
  });
});

describe("an output that is too large", () => {
  it("is cut to its end, and the whole is in the archive when the call returns", async () => {
    const { archive, folder } = newArchive();
    const result = await runCommand({ command: "seq 1 300000", direction: "tail", archive });
    const whole = Array.from({ length: 300_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(readFileSync(result.entry!.path!, "utf8")).toBe(whole);
    expect(await archive.get(result.entry!.handle)).toBe(whole);
    expect(result.truncation.total).toEqual({ lines: 300_000, bytes: whole.length });
    expect(result.truncation.text.startsWith("298001\n")).toBe(true);
    expect(result.truncation.text.endsWith("\n300000\n")).toBe(true);
    expect(result.text).toContain(result.entry!.path!);
    expect(result.text).toContain("lines 298001 to 300000 of 300000");
    expect(outputsIn(folder)).toHaveLength(1);
  });

  it.each(["head", "both"] as const)("keeps %s when that is asked for", async (direction) => {
    const { truncation } = await runCommand({
      command: "seq 1 8000000",
      direction,
      limits: { maxLines: 100 },
      archive: newArchive().archive,
    });
    expect(truncation.total.lines).toBe(8_000_000);
    expect(truncation.text.startsWith("1\n2\n")).toBe(true);
    expect(truncation.text.endsWith("\n8000000\n")).toBe(direction === "both");
  });

  it.each([
    ["seq 1 9000", "both"],
    ["make() { seq 1 9000; }; make", "head"],
  ] as const)("keeps what is best for the command: %s", async (command, direction) => {
    const { truncation } = await runCommand({ command, archive: newArchive().archive });
    expect(truncation).toMatchObject({ isTruncated: true, direction });
  });

  it("is not counted line by line when it is very large", async () => {
    const command = "yes 'the same line again and again' | head -c 70000000";
    const { truncation, text, entry } = await runCommand({
      command,
      archive: newArchive().archive,
    });
    expect(truncation.total).toEqual({ bytes: 70_000_000 });
    expect(truncation.kept.bytes).toBeLessThanOrEqual(50_000);
    expect(text).toContain(entry!.path!);
    expect(entry).toMatchObject({ kind: "run", bytes: 70_000_000 });
  });

  it("has stdout and stderr in the order in which they came", async () => {
    const command =
      'i=0; while [ $i -lt 3000 ]; do echo "out $i"; echo "err $i" >&2; i=$((i+1)); done';
    const { entry } = await runCommand({ command, archive: newArchive().archive });
    const lines = readFileSync(entry!.path!, "utf8").trimEnd().split("\n");
    expect(lines).toEqual(
      Array.from({ length: 6_000 }, (_, at) => `${at % 2 === 0 ? "out" : "err"} ${at >> 1}`),
    );
  });

  it("is kept byte for byte when it is no text", async () => {
    const command = "head -c 300000 /dev/urandom | tee copy.bin";
    const cwd = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
    const { entry, truncation } = await runCommand({ command, cwd, archive: newArchive().archive });
    expect(truncation.binary).toBeDefined();
    expect(readFileSync(entry!.path!).equals(readFileSync(join(cwd, "copy.bin")))).toBe(true);
  });

  it("comes with a warning when the command opens its own output by name", async () => {
    const command = "echo before; echo named > /dev/stderr; echo after";
    const { warnings, truncation } = await runCommand({ command, archive: newArchive().archive });
    expect(truncation.text).toContain("after\n");
    expect(warnings).toEqual([expect.stringContaining("opens its own output by name")]);
  });

  it("says that it is lost where there is no archive", async () => {
    const result = await runCommand({ command: "seq 1 100000" });
    expect(result.truncation.text.endsWith("100000\n")).toBe(true);
    expect(result.text).toContain("not kept (there is no archive)");
  });
});

describe("how a command ends", () => {
  it.each([
    ["exit 7", { exitCode: 7, signal: undefined }],
    ["kill -TERM $$", { exitCode: undefined, signal: "SIGTERM" }],
    ["kill -KILL $$", { exitCode: undefined, signal: "SIGKILL" }],
    ["no-such-command-at-all", { exitCode: 127 }],
  ])("%s", async (command, expected) => {
    expect(await runCommand({ command, archive: newArchive().archive })).toMatchObject(expected);
  });

  it("with 127 and a sentence when a program is not there", async () => {
    const result = await runCommand({
      file: "no-such-program",
      args: ["x"],
      archive: newArchive().archive,
    });
    expect(result.exitCode).toBe(127);
    expect(result.text).toContain("no-such-program: command not found");
  });

  it("with 126 when a file is no program", async () => {
    const file = join(mkdtempSync(join(tmpdir(), "longhaul-spill-")), "plain");
    writeFileSync(file, "no program");
    const result = await runCommand({ file, archive: newArchive().archive });
    expect(result.exitCode).toBe(126);
    expect(result.text).toContain("permission denied");
  });

  it("is invalid-options when the folder is not there", async () => {
    const { archive, folder } = newArchive();
    const cwd = join(tmpdir(), "not", "there");
    await expect(runCommand({ command: "true", cwd, archive })).rejects.toMatchObject({
      code: "invalid-options",
      details: { cwd },
    });
    expect(outputsIn(folder)).toEqual([]);
    const file = join(mkdtempSync(join(tmpdir(), "longhaul-spill-")), "plain");
    writeFileSync(file, "no folder");
    await expect(runCommand({ command: "true", cwd: file, archive })).rejects.toMatchObject({
      code: "invalid-options",
    });
  });

  it("with 126 and what to do when it is longer than the system allows", async () => {
    const command = `: ${"x".repeat(3_000_000)}`;
    const result = await runCommand({ command, archive: newArchive().archive });
    expect(result.exitCode).toBe(126);
    expect(result.text).toContain("to a file first");
  });

  it.each([
    ["a NUL byte", { command: "echo a\0b" }],
    ["no time", { command: "true", timeoutMs: 0 }],
    ["a time that is no number", { command: "true", timeoutMs: Number.NaN }],
    ["a negative grace", { command: "true", graceMs: -1 }],
    ["no room", { command: "true", maxFileBytes: 0 }],
    ["no such direction", { command: "true", direction: "middle" as "both" }],
  ])("is invalid-options for %s", async (_, options) => {
    const { archive, folder } = newArchive();
    const running = runCommand({ ...options, archive });
    await expect(running).rejects.toMatchObject({ code: "invalid-options" });
    expect(existsSync(folder) ? outputsIn(folder) : []).toEqual([]);
  });

  it.each([Infinity, 1e12])("takes its time when it has %d ms", async (ms) => {
    const command = "sleep 0.2; echo done";
    const result = await runCommand({
      command,
      timeoutMs: ms,
      graceMs: ms,
      archive: newArchive().archive,
    });
    expect(result).toMatchObject({ text: "done\n", timedOut: false });
  });

  it("without a warning about the disk when the archive is removed meanwhile", async () => {
    const { archive, folder } = newArchive();
    const command = `rm -rf '${folder}'; seq 1 200000`;
    const { warnings, text, truncation } = await runCommand({ command, archive });
    expect(warnings).toEqual([]);
    expect(truncation.total.lines).toBe(200_000);
    expect(text).toContain("was not kept");
  });

  it("passes arguments, environment and folder on as they are", async () => {
    const args = ["-c", 'printf "%s|" "$@" "$NAME" "$PWD"', "sh", "a b", "$HOME", "'"];
    const cwd = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
    const env = { PATH: process.env["PATH"], NAME: "x y" };
    const { text } = await runCommand({
      file: "sh",
      args,
      cwd,
      env,
      archive: newArchive().archive,
    });
    expect(text).toBe(`a b|$HOME|'|x y|${cwd}|`);
  });

  it("finds an empty stdin", async () => {
    expect(
      await runCommand({ command: "cat; echo done", archive: newArchive().archive }),
    ).toMatchObject({
      text: "done\n",
      exitCode: 0,
    });
  });
});

describe.concurrent("a command that takes too long", () => {
  it("is asked to end, and what it printed is there", async () => {
    const command = 'trap "echo bye; exit 3" TERM; echo hello; sleep 30 & wait';
    const result = await runCommand({ command, timeoutMs: 1_000, archive: newArchive().archive });
    expect(result).toMatchObject({ timedOut: true, aborted: false, exitCode: 3 });
    expect(result.truncation.text).toBe("hello\nbye\n");
    expect(result.text).toContain("stopped after 1 s");
  });

  it("is killed when it does not listen, with everything it started", async () => {
    const command = 'trap "" TERM; sh -c \'trap "" TERM; echo $$; sleep 30\' & echo $$; sleep 30';
    const result = await runCommand({
      command,
      timeoutMs: 1_000,
      graceMs: 200,
      archive: newArchive().archive,
    });
    expect(result).toMatchObject({ timedOut: true, signal: "SIGKILL" });
    const pids = result.truncation.text.trim().split("\n").map(Number);
    expect(pids).toHaveLength(2);
    await vi.waitFor(() => expect(pids.filter(isAlive)).toEqual([]), PATIENCE);
  });

  it.skipIf(process.platform !== "linux").each([
    ["asked to end", "", 0],
    ["killed, if they do not listen", 'trap "" TERM; ', 200],
  ])("has its processes in other sessions %s", async (_, trap, graceMs) => {
    const inner = `${trap}echo $$; (sleep 30; :) & while :; do sleep 0.1; done`;
    // A shell may tell of its child's end before its own comes.
    const command = `exec 2>/dev/null; setsid sh -c '${inner}' & sleep 0.5; exit 0`;
    const started = await runCommand({ command, archive: newArchive().archive });
    const left = Number(started.truncation.text);
    expect(isAlive(left)).toBe(true);
    process.kill(-left, "SIGKILL");
    const stopped = await runCommand({
      command: command.replace("exit 0", "wait"),
      timeoutMs: 1_500,
      graceMs,
      archive: newArchive().archive,
    });
    expect(stopped.timedOut).toBe(true);
    expect(stopped.truncation.text).toMatch(/^\d+\n$/);
    const pid = Number(stopped.truncation.text);
    expect(pid).toBeGreaterThan(1);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
  });

  it("leaves no child behind when only the shell listens", async () => {
    const command = "sh -c 'trap \"\" TERM; echo $$; sleep 30; sleep 30' & wait";
    const result = await runCommand({
      command,
      timeoutMs: 1_000,
      graceMs: 200,
      archive: newArchive().archive,
    });
    const pid = Number(result.truncation.text);
    expect(pid).toBeGreaterThan(1);
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), PATIENCE);
  });
});

describe.concurrent("a command that is aborted", () => {
  it("ends, and what it printed is there", async () => {
    const stop = new AbortController();
    const result = await runCommand({
      command: "echo begun; sleep 30",
      signal: stop.signal,
      onProgress: ({ bytes }) => bytes > 0 && stop.abort(),
      archive: newArchive().archive,
    });
    expect(result).toMatchObject({ aborted: true, timedOut: false, signal: "SIGTERM" });
    expect(result.truncation.text).toBe("begun\n");
  });

  it("gets the signal that the abort names", async () => {
    const stop = new AbortController();
    const result = await runCommand({
      command: 'trap "echo interrupted; exit 130" INT; echo begun; sleep 30 & wait',
      signal: stop.signal,
      graceMs: 200,
      onProgress: ({ bytes }) => bytes > 0 && stop.abort("SIGINT"),
      archive: newArchive().archive,
    });
    expect(result).toMatchObject({ exitCode: 130, truncation: { text: "begun\ninterrupted\n" } });
  });

  it.skipIf(process.platform !== "linux")("sends it to what left its group, too", async () => {
    const stop = new AbortController();
    const inner = 'trap "echo gone; exit" HUP; echo begun; while :; do sleep 0.1; done';
    const command = `sh -c 'trap "echo once" HUP; setsid sh -c "$INNER" 2>/dev/null & while :; do wait && exit; done'`;
    const { truncation } = await runCommand({
      command,
      env: { ...process.env, INNER: inner },
      signal: stop.signal,
      onProgress: ({ bytes }) => bytes > 0 && stop.abort("SIGHUP"),
      archive: newArchive().archive,
    });
    const lines = truncation.text.trimEnd().split("\n");
    expect(lines.toSorted()).toEqual(["begun", "gone", "once"]);
  });

  it("is not even started when that was before", async () => {
    const { archive, folder } = newArchive();
    const command = `trap "" TERM; touch ${join(folder, "ran")}; sleep 30`;
    const result = await runCommand({ command, signal: AbortSignal.abort(), archive });
    expect(result).toMatchObject({ aborted: true, exitCode: undefined, signal: "SIGTERM" });
    expect(outputsIn(folder)).toEqual([]);
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });
});

describe.concurrent("a process that stays in the background", () => {
  it("does not hold the call back, and a warning names it", async () => {
    const result = await runCommand({
      command: "sleep 90 & echo $!",
      archive: newArchive().archive,
    });
    expect(result.warnings.join()).toContain("still runs in the background");
    const pid = Number(result.truncation.text);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid);
  });

  it("is known also where the archive's folder has another name", async () => {
    const folder = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
    const link = `${folder}-link`;
    symlinkSync(folder, link);
    const archive = directoryArchive(join(link, "archive"));
    const result = await runCommand({ command: "sleep 20 & echo $!", archive });
    process.kill(Number(result.truncation.text));
    expect(result.warnings.join()).toContain("still runs in the background");
  });

  it("does not change what has a handle by now", async () => {
    const { archive } = newArchive();
    const command = "(sleep 0.5; echo late) & seq 1 50000";
    const { entry } = await runCommand({ command, archive });
    const before = readFileSync(entry!.path!, "utf8");
    await sleep(800);
    expect(readFileSync(entry!.path!, "utf8")).toBe(before);
    expect(await archive.get(entry!.handle)).toBe(before);
  });

  it("writes on into the file of a large output, and the warning names it", async () => {
    const { archive } = newArchive();
    const command = "seq 1 400000; (sleep 0.3; echo more; sleep 20) & echo pid $!";
    const { entry, truncation, warnings } = await runCommand({ command, archive });
    expect(warnings.join()).toContain(`goes on into ${entry!.path}, without a limit`);
    await vi.waitFor(
      () => expect(readFileSync(entry!.path!, "utf8").endsWith("more\n")).toBe(true),
      PATIENCE,
    );
    process.kill(Number(/^pid (\d+)$/m.exec(truncation.text)?.[1]));
  });

  it("cannot hold the call back with what it prints into a pipe", async () => {
    // Its number comes first: later it may stand among what is cut.
    const result = await runCommand({ command: "sh -c 'echo $$; exec yes' & sleep 0.1" });
    process.kill(Number(/^\d+$/m.exec(result.truncation.text)));
    expect(result.text).toContain("still runs in the background");
  });

  it("is named also when it prints elsewhere", async () => {
    const command = "sleep 20 > /dev/null 2>&1 & echo $!";
    const result = await runCommand({ command, archive: newArchive().archive });
    process.kill(Number(result.truncation.text));
    expect(result.warnings.join()).toContain("still runs in the background");
  });
});

describe.concurrent("a command that writes without end", () => {
  it("is stopped by the kernel at the limit that was set", async () => {
    const result = await runCommand({
      command: "yes",
      maxFileBytes: 5_000_000,
      archive: newArchive().archive,
    });
    expect(result.truncation.total.bytes).toBe(Math.floor(5_000_000 / 512) * 512);
    expect(result.entry!.bytes).toBe(result.truncation.total.bytes);
    expect(result.text).toContain("reached the limit of 4999680 bytes");
  });

  it("is stopped too when it does not mind the signal of the kernel", async () => {
    const command = 'trap "" XFSZ; while :; do echo again 2>/dev/null; done';
    const result = await runCommand({
      command,
      maxFileBytes: 20_000,
      archive: newArchive().archive,
    });
    expect(result.truncation.total.bytes).toBe(Math.floor(20_000 / 512) * 512);
    expect(result.warnings.join()).toContain("limit");
  });

  it("is told when another file was the one that grew too large", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
    const command = "head -c 3000000 /dev/zero > other";
    const result = await runCommand({
      command,
      cwd,
      maxFileBytes: 1_000_000,
      archive: newArchive().archive,
    });
    expect(statSync(join(cwd, "other")).size).toBe(Math.floor(1_000_000 / 512) * 512);
    expect(result.truncation.total.bytes).toBeLessThan(100);
    expect(result.text).toContain("limit on the size of files");
  });

  it("may write other files when no limit was set", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "longhaul-spill-"));
    const command = "head -c 3000000 /dev/zero > other; echo done";
    const result = await runCommand({ command, cwd, archive: newArchive().archive });
    expect(result.text).toBe("done\n");
    expect(existsSync(join(cwd, "other"))).toBe(true);
  });
});

describe.concurrent("progress", () => {
  it("tells what is new while the command runs", async () => {
    const seen: string[] = [];
    await runCommand({
      command: "for i in 1 2 3 4 5; do echo $i; sleep 0.15; done",
      onProgress: ({ latest }) => void seen.push(Buffer.from(latest).toString()),
      archive: newArchive().archive,
    });
    expect(seen.join("")).toBe("1\n2\n3\n4\n5\n");
    expect(seen.length).toBeGreaterThan(3);
  });

  it("shows what is in the pipe still when the command ends", async () => {
    let seen = 0;
    const { truncation } = await runCommand({
      command: "head -c 1100000 /dev/zero",
      archive: memoryArchive(),
      onProgress: ({ latest, skipped }) => (seen += latest.length + skipped),
    });
    expect(truncation.total.bytes).toBe(1_100_000);
    expect(seen).toBe(1_100_000);
  });

  it.each([
    () => {
      throw new Error("no screen");
    },
    (): unknown => Promise.reject(new Error("no screen, later")),
  ])("that cannot be shown stops nothing (%#)", async (onProgress) => {
    const command = "sleep 0.3; echo done";
    expect(await runCommand({ command, onProgress, archive: newArchive().archive })).toMatchObject({
      text: "done\n",
      exitCode: 0,
    });
  });

  it("names what went by between two looks", async () => {
    let seen = 0;
    const { truncation } = await runCommand({
      command: "seq 1 3000000",
      onProgress: ({ latest, skipped }) => (seen += latest.length + skipped),
      archive: newArchive().archive,
    });
    expect(seen).toBe(truncation.total.bytes);
  });
});

it.runIf(process.platform === "linux")(
  "leaks no descriptor when a command cannot start",
  async () => {
    const { archive } = newArchive();
    const command = "echo x >&2";
    await runCommand({ command, archive });
    const before = openDescriptors();
    for (let round = 0; round < 10; round++) {
      expect((await runCommand({ command, archive })).text).toBe("x\n");
      await expect(runCommand({ command, archive, cwd: "/not/there" })).rejects.toThrow("cwd");
      expect((await runCommand({ file: "not-there", archive })).exitCode).toBe(127);
    }
    await expect.poll(openDescriptors).toBeLessThanOrEqual(before ?? 0);
  },
);

it.runIf(process.platform === "linux")("leaks no descriptor in many quick commands", async () => {
  const { archive, folder } = newArchive();
  await runCommand({ command: "true", archive });
  const before = openDescriptors();
  for (let round = 0; round < runs(10, 100); round++) {
    const results = await Promise.all(
      Array.from({ length: 10 }, (_, at) =>
        runCommand({ file: "echo", args: [`${round} ${at}`], archive }),
      ),
    );
    expect(results.map(({ text }) => text)).toEqual(
      Array.from({ length: 10 }, (_, at) => `${round} ${at}\n`),
    );
  }
  await expect.poll(openDescriptors).toBeLessThanOrEqual(before ?? 0);
  expect(outputsIn(folder)).toEqual([]);
});

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCommandLine } from "../../src/cli/run.ts";
import { capturedIo } from "./captured-io.ts";
import { MAIN, runCli, runHere, temporaryFolder } from "./run-cli.ts";

describe("longhaul run", () => {
  it("prints what the command prints, and ends as it ends", async () => {
    const run = await runHere(["run", "--", "sh", "-c", "echo out; echo err >&2; exit 5"]);
    expect(run).toEqual({ code: 5, stdout: "out\nerr\n", stderr: "" });
  });

  it("takes one argument as a line for the shell", async () => {
    const run = await runHere(["run", "--", "seq 3 | tail -n 1"]);
    expect(run).toMatchObject({ code: 0, stdout: "3\n" });
  });

  it("leaves the command's own options to the command", async () => {
    const run = await runHere(["run", "printf", "%s ", "--json", "--max-lines", "1"]);
    expect(run).toMatchObject({ code: 0, stdout: "--json --max-lines 1 \n" });
  });

  it.each([
    ["kill -TERM $$", 143],
    ["kill -KILL $$", 137],
    ["no-such-command-at-all", 127],
  ])("%s ends with %i, as in a shell", async (command, code) => {
    expect((await runHere(["run", "--", command])).code).toBe(code);
  });

  it("cuts a large output and names the file that has all of it", async () => {
    const state = temporaryFolder();
    const run = await runHere(
      ["run", "--max-lines", "3", "--direction", "head", "--", "seq 1000"],
      {
        env: { LONGHAUL_HOME: state },
      },
    );
    expect(run.code).toBe(0);
    expect(run.stdout.startsWith("1\n2\n3\n<")).toBe(true);
    const file = /\S+\.txt/.exec(run.stdout)![0];
    expect(readFileSync(file.replace(/^file="/, ""), "utf8")).toMatch(/^1\n2\n[^]*\n1000\n$/);
    expect(file).toContain(path.join(state, "archive"));
  });

  it("ends as its command does also when nobody reads on", () => {
    const main = [process.execPath, MAIN];
    const run = ["run", "--max-lines", "400000", "--max-bytes", "3000000", "--"];
    const words = [...main, ...run, "seq 300000; exit 3"];
    const { stdout, stderr } = spawnSync(
      "/bin/sh",
      ["-c", '{ "$@"; echo "ended with $?" >&2; } | head -n 1', "sh", ...words],
      { encoding: "utf8", env: { ...process.env, LONGHAUL_HOME: temporaryFolder() } },
    );
    expect(stdout).toBe("1\n");
    expect(stderr).toContain("ended with 3\n");
  });

  it("is not stopped where nobody hears what is said", () => {
    const main = [process.execPath, MAIN];
    const { stdout } = spawnSync(
      "/bin/sh",
      [
        "-c",
        '{ { "$@" 2>&1 >/dev/null 3>&-; echo "ended with $?" >&3; } | true; } 3>&1',
        "sh",
        ...main,
        "recall",
        "--search",
        "nothing",
      ],
      { encoding: "utf8", env: { ...process.env, LONGHAUL_HOME: temporaryFolder() } },
    );
    expect(stdout).toContain("ended with 0");
  });

  it("stops a command after a time, with 124", async () => {
    const run = await runHere(["run", "--timeout", "0.4", "--", "echo begun; sleep 30"]);
    expect(run.code).toBe(124);
    expect(run.stdout).toMatch(/^begun\n\[The command was stopped after 0.4 s/);
  });

  it("stops a command that writes without end", async () => {
    const run = await runHere(["run", "--max-file-bytes", "100000", "--", "yes"]);
    expect(run.stdout).toContain("reached the limit");
    expect(run.code).not.toBe(0);
  });

  it.runIf(process.platform === "linux")("says so when its result cannot be written", async () => {
    const words = [process.execPath, MAIN, "run", "seq 9"];
    const run = spawnSync("sh", ["-c", '"$@" > /dev/full', "sh", ...words], { encoding: "utf8" });
    expect(run.stderr).toBe("longhaul: the result could not be written (ENOSPC).\n");
    expect(run.status).toBe(1);
  });

  it("gives its stdin to the command", async () => {
    const run = await runCli(["run", "--", "tr a-z A-Z"], { input: "typed\n" });
    expect(run).toMatchObject({ code: 0, stdout: "TYPED\n" });
  });

  it("prints all there is to know with --json", async () => {
    const run = await runHere(["run", "--json", "--max-lines", "2", "--", "seq 9; exit 4"]);
    expect(run.code).toBe(4);
    expect(JSON.parse(run.stdout)).toMatchObject({
      version: 1,
      exitCode: 4,
      signal: null,
      timedOut: false,
      aborted: false,
      isTruncated: true,
      direction: "tail",
      total: { lines: 9, bytes: 18 },
      kept: { lines: 2, bytes: 4 },
      handle: expect.stringMatching(/^out_[0-9a-f]{16}$/) as string,
      path: expect.stringContaining(".txt") as string,
      warnings: [],
    });
  });

  it.each([
    [["run"], "command"],
    [["run", "--timeout", "soon", "--", "true"], "number of seconds"],
    [["run", "--max-lines", "0", "--", "true"], "whole number"],
    [["run", "--direction", "up", "--", "true"], "head"],
  ])("%j is wrong usage", async (args, sentence) => {
    const run = await runHere(args);
    expect(run.code).toBe(2);
    expect(run.stderr).toContain(sentence);
  });

  it.runIf(process.platform !== "win32")("hands an interrupt on to the command", async () => {
    const cwd = temporaryFolder();
    const command =
      'trap "echo interrupted; exit 9" INT; echo begun; touch begun; while :; do sleep 0.1; done';
    const env = { ...process.env, LONGHAUL_HOME: temporaryFolder() };
    const child = spawn(process.execPath, [MAIN, "run", "--", command], { cwd, env });
    const out: Buffer[] = [];
    child.stdout.on("data", (chunk: Buffer) => out.push(chunk));
    await expect.poll(() => existsSync(path.join(cwd, "begun")), { timeout: 30_000 }).toBe(true);
    child.kill("SIGINT");
    const code = await new Promise((resolve) => child.once("close", resolve));
    expect(code).toBe(9);
    expect(Buffer.concat(out).toString()).toMatch(/^begun\ninterrupted\n/);
  });
});

describe("longhaul run on a terminal", () => {
  const terminal = (): ReturnType<typeof capturedIo> =>
    capturedIo({ env: { ...process.env, LONGHAUL_HOME: temporaryFolder() }, columns: 80 });

  it("shows the output as it comes, with nothing added", async () => {
    const io = terminal();
    const code = await runCommandLine(io, ["for i in 1 2 3; do echo $i; sleep 0.2; done"], {});
    expect(code).toBe(0);
    expect(io.text()).toBe("1\n2\n3\n");
    expect(io.talk()).toBe("");
  });

  it("counts bytes below the output of a command that takes longer", async () => {
    const io = terminal();
    const stderr = { ...io.stderr, isTTY: true };
    await runCommandLine({ ...io, stderr }, ["seq 40; sleep 1.1"], {});
    expect(io.text()).toBe(Array.from({ length: 40 }, (_, at) => `${at + 1}\n`).join(""));
    expect(io.talk()).toMatch(/111 B, \d+ seconds?/);
  });

  it("says where the whole of a large output is, and what went by", async () => {
    const io = terminal();
    await runCommandLine(io, ["seq 1000000"], {});
    expect(io.text()).toContain("went by");
    expect(io.text().endsWith("\n999999\n1000000\n")).toBe(true);
    const file = /The whole output: (.*)\n/.exec(io.talk())![1]!;
    expect(readFileSync(file, "utf8").length).toBe(6_888_896);
  });

  it("shows the preview of what went by when nothing could be kept", async () => {
    const io = capturedIo({ env: { ...process.env, LONGHAUL_HOME: "/dev/null" }, columns: 80 });
    await runCommandLine(io, ["seq 1000000"], {});
    expect(io.text()).toContain("was not kept");
  });

  it("begins a line of its own below an output that ends without one", async () => {
    const io = terminal();
    await runCommandLine(io, ["printf abc; sleep 30"], { timeout: 0.4, keep: true });
    expect(io.text()).toBe("abc");
    expect(io.talk()).toMatch(/^\n[^\n]*stopped after 0.4 s[^\n]*\n[^\n]*The whole output: /);
  });

  it("tells in its talk what went wrong", async () => {
    const io = terminal();
    expect(await runCommandLine(io, ["sleep 30"], { timeout: 0.3 })).toBe(124);
    expect(io.talk()).toContain("stopped after 0.3 s");
    expect(io.text()).toBe("");
  });
});

import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { runProgram } from "../../src/cli/program.ts";
import { capturedIo } from "./captured-io.ts";

/** What a run of the command line left behind. */
export interface CliRun {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface CliOptions {
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string;
  /** What stands on stdin in place of a pipe with `input`: a descriptor, or nothing. */
  readonly stdin?: number | "ignore";
}

/** The command line, made by `build-cli.ts` before the tests. */
export const MAIN: string = path.resolve("test/.built/main.js");

/** A fresh empty folder. */
export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "longhaul-test-"));
}

/** A state folder of its own, unless `env` names one. */
function environment(env: CliOptions["env"]): Record<string, string> {
  const home = temporaryFolder();
  const PATH = process.env["PATH"] ?? "";
  return { PATH, HOME: home, LONGHAUL_HOME: path.join(home, "state"), ...env };
}

/** Runs a command in this process, which takes a tenth of the time; what is printed has no colours. */
export async function runHere(
  args: readonly string[],
  { cwd = temporaryFolder(), env }: Pick<CliOptions, "cwd" | "env"> = {},
): Promise<CliRun> {
  const io = capturedIo({ cwd, env: environment(env) });
  const code = await runProgram(io, args, "1.0.0");
  return { code, stdout: io.text(), stderr: io.talk() };
}

/** Runs the real command line in a process of its own. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { cwd = temporaryFolder(), env, input, stdin = "pipe" } = options;
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: environment(env),
      stdio: [stdin, "pipe", "pipe"],
    });
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    child.stdout!.on("data", (chunk: Buffer) => out.push(chunk));
    child.stderr!.on("data", (chunk: Buffer) => err.push(chunk));
    child.on("error", reject);
    child.on("close", (code) => {
      const [stdout, stderr] = [out, err].map((chunks) => Buffer.concat(chunks).toString("utf8"));
      resolve({ code, stdout: stdout!, stderr: stderr! });
    });
    child.stdin?.end(input);
  });
}

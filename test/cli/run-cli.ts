import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

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

/** Made by `build-cli.ts` before the tests. */
const MAIN = path.resolve("test/.built/main.js");

/** A fresh empty folder. */
export function temporaryFolder(): string {
  return mkdtempSync(path.join(tmpdir(), "longhaul-test-"));
}

/** Runs the real command line in a process of its own, with a state folder of its own. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliRun> {
  const { cwd = temporaryFolder(), env = {}, input, stdin = "pipe" } = options;
  const home = temporaryFolder();
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [MAIN, ...args], {
      cwd,
      env: {
        PATH: process.env["PATH"] ?? "",
        HOME: home,
        LONGHAUL_HOME: path.join(home, "state"),
        ...env,
      },
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

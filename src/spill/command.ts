import { type ChildProcess, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { type Stats, statSync } from "node:fs";
import { ContextError } from "../core/error.ts";

/** A command line that `sh -c` runs, or a program with its arguments. */
export type CommandLine =
  | { readonly command: string; readonly file?: never; readonly args?: never }
  | { readonly file: string; readonly args?: readonly string[]; readonly command?: never };

export interface StartOptions {
  /** `undefined`: that of this process. */
  readonly cwd: string | undefined;
  readonly env: NodeJS.ProcessEnv;
  readonly stdin: "ignore" | "inherit";
  /** A descriptor that takes stdout and stderr, or a pipe that both go into. */
  readonly output: number | "pipe";
  /** The kernel stops whoever writes a file beyond so many bytes. */
  readonly fileLimit: number | undefined;
}

/** The end of a command. */
export interface Ending {
  /** `undefined` when a signal ended it. 126 and 127 as in a shell: it could not be started. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  /** The reason why it could not be started. */
  readonly failure?: string;
}

export interface RunningCommand {
  /** `undefined` when the system refused at once. */
  readonly child: ChildProcess | undefined;
  /** Stands in the environment of every process that the command starts. */
  readonly mark: string;
  /**
   * Settles when the command itself has ended; what it left in the background may go on. Rejects
   * with `invalid-options` when its folder is not there.
   */
  readonly ended: Promise<Ending>;
}

/** The variable that tells whose processes these are, wherever they went. */
const MARK = "LONGHAUL_RUN";
const SHELL = "/bin/sh";
/** POSIX counts this limit in such blocks, whatever the shell. */
const LIMIT_BLOCK = 512;
const IS_WINDOWS = process.platform === "win32";

/**
 * Starts a command in a process group of its own. A command that is not there ends with 127 as it
 * does in a shell. Throws `invalid-options` for words that no command can have.
 */
export function startCommand(line: CommandLine, options: StartOptions): RunningCommand {
  const [file = "", ...args] = wrapped(wordsOf(line), options);
  const { cwd, stdin, output } = options;
  const mark = randomUUID();
  // A run inside of a run has the marks of both.
  const env = { ...options.env, [MARK]: `${options.env[MARK] ?? ""}${mark}:` };
  const isMerged = output === "pipe" && !IS_WINDOWS;
  try {
    const child = spawn(file, args, {
      cwd,
      env,
      stdio: [stdin, output, isMerged ? "ignore" : output],
      detached: !IS_WINDOWS,
      windowsHide: true,
      shell: IS_WINDOWS && line.command !== undefined,
    });
    return { child, mark, ended: endOf(child, file, cwd) };
  } catch (error) {
    if (error instanceof TypeError) throw invalidWords(error);
    checkFolder(cwd);
    return { child: undefined, mark, ended: Promise.resolve(notStarted(file, error)) };
  }
}

function invalidWords(cause: TypeError): ContextError {
  return new ContextError(
    "invalid-options",
    `The command cannot be started: ${cause.message} Give a command, or a file and its arguments, without NUL bytes.`,
    { cause },
  );
}

/** Only asked when a command could not be started: the system does not say which of both is missing. */
function checkFolder(cwd: string | undefined): void {
  if (cwd === undefined) return;
  const stats = folderStats(cwd);
  if (stats?.isDirectory() === true) return;
  const what = stats === undefined ? "does not exist" : "is not a folder";
  throw new ContextError(
    "invalid-options",
    `The command cannot start in ${cwd}, which ${what}. Give a folder that is there as cwd.`,
    { details: { cwd } },
  );
}

function folderStats(cwd: string): Stats | undefined {
  try {
    return statSync(cwd);
  } catch {
    return undefined;
  }
}

function wordsOf(line: CommandLine): readonly string[] {
  if (line.command === undefined) return [line.file, ...(line.args ?? [])];
  return IS_WINDOWS ? [line.command] : [SHELL, "-c", line.command];
}

/** The words with a set-up that only a shell can make before the command takes its place. */
function wrapped(words: readonly string[], { output, fileLimit }: StartOptions): readonly string[] {
  const limit = `ulimit -f ${Math.ceil((fileLimit ?? 0) / LIMIT_BLOCK)} 2>/dev/null; `;
  const setup = `${output === "pipe" ? "exec 2>&1; " : ""}${fileLimit === undefined ? "" : limit}`;
  return IS_WINDOWS || setup === "" ? words : [SHELL, "-c", `${setup}exec "$@"`, "sh", ...words];
}

/** `exit`, not `close`: a process in the background may keep a pipe open for ever. */
function endOf(child: ChildProcess, file: string, cwd: string | undefined): Promise<Ending> {
  return new Promise((resolve, reject) => {
    child.once("error", (error) => {
      if (child.pid !== undefined) return;
      try {
        checkFolder(cwd);
        resolve(notStarted(file, error));
      } catch (problem) {
        reject(problem);
      }
    });
    child.once("exit", (exitCode, signal) =>
      resolve({ exitCode: exitCode ?? undefined, signal: signal ?? undefined }),
    );
  });
}

function notStarted(file: string, error: unknown): Ending {
  const code = error instanceof Error && "code" in error ? String(error.code) : "unknown";
  const exitCode = code === "ENOENT" ? 127 : 126;
  return { exitCode, signal: undefined, failure: failureOf(file, code) };
}

function failureOf(file: string, code: string): string {
  if (code === "ENOENT") return `${file}: command not found. Check its name and the PATH.`;
  if (code === "EACCES") return `${file}: permission denied. Is it a program that may be run?`;
  if (code === "E2BIG") {
    return "The command and its environment are longer than the system allows (E2BIG). Write what is long to a file first.";
  }
  return `${file} could not be started (${code}).`;
}

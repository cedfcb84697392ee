import { checkNames, type OptionNames } from "../core/options.ts";
import { checkValues } from "../core/rules.ts";
import { statfsSync } from "node:fs";
import { constants } from "node:os";
import { dirname } from "node:path";
import {
  checkedDirection,
  commandDirection,
  completeLimits,
  windowBytes,
  type Direction,
  type Limits,
} from "../core/truncate/limits.ts";
import { type CommandLine, startCommand } from "./command.ts";
import { cutAndKeep, type Kept, previewText, SPILL_RULES } from "./cut.ts";
import {
  DEFAULT_MAX_BYTES,
  SPILL_OPTIONS,
  type SpillOptions,
  type SpillResult,
} from "./create-spill.ts";
import { fileOutput, type Output, pipeOutput, type Progress, reporter } from "./output.ts";
import { createSink, reasonOf } from "./sink.ts";
import { supervise, type Supervised } from "./supervise.ts";
import type { Archive } from "../archive/index.ts";

/** Settings of a run; the command itself is `command`, or `file` and `args`. */
export interface RunOptions extends Pick<SpillOptions, "archive" | "limits" | "keep"> {
  /**
   * The part of a large output that stays.
   * @default that of a shell tool: the start for compilers, else both ends
   */
  readonly direction?: Direction;
  /** @default process.cwd() */
  readonly cwd?: string;
  /** @default process.env */
  readonly env?: NodeJS.ProcessEnv;
  /** `inherit` lets a person type. @default "ignore" */
  readonly stdin?: "ignore" | "inherit";
  /** After so many ms the command is asked to end (SIGTERM). @default none */
  readonly timeoutMs?: number;
  /** Ends the command when it is aborted; with the name of a signal as reason, by that signal. */
  readonly signal?: AbortSignal;
  /** From being asked to end until the whole group is killed. @default 2,000 */
  readonly graceMs?: number;
  /**
   * No file that the command writes, its output included, grows beyond so many bytes (whole blocks of
   * 512, at least one): the kernel sees to it. Without this only the output is limited, to 4 GiB, and files are left alone.
   */
  readonly maxFileBytes?: number;
  /** Called ten times a second at most while the command runs, and once at its end. May throw. */
  readonly onProgress?: (progress: Progress) => void;
}

/** The outcome of a command. */
export interface CommandResult extends SpillResult {
  /** `undefined` when a signal ended it; 127 when there is no such command. */
  readonly exitCode: number | undefined;
  readonly signal: NodeJS.Signals | undefined;
  readonly timedOut: boolean;
  readonly aborted: boolean;
  readonly durationMs: number;
}

const DEFAULT_GRACE_MS = 2_000;
/** A disk that had room for everything and has no more than this was filled meanwhile. */
const FULL_BYTES = 65_536;
/** The kernel counts a file's limit in blocks. */
const BLOCK_BYTES = 512;

const RUN_OPTIONS: OptionNames<CommandLine & RunOptions> = {
  ...SPILL_OPTIONS,
  command: true,
  file: true,
  args: true,
  cwd: true,
  env: true,
  stdin: true,
  timeoutMs: true,
  signal: true,
  graceMs: true,
  onProgress: true,
};

/**
 * Runs a command whose output may be of any size. The command writes straight into a file of the
 * archive, stdout and stderr in the order in which they come; memory stays flat. The call returns
 * when the command itself ends, also if it left something in the background. Rejects only with
 * `invalid-options`: whatever else goes wrong is in the result.
 */
export async function runCommand(options: CommandLine & RunOptions): Promise<CommandResult> {
  checkNames(options, RUN_OPTIONS);
  const startedAt = performance.now();
  const limits = completeLimits(options.limits);
  const { command, file = "", args = [] } = options;
  const line = command ?? [file, ...args].join(" ");
  // As for the shell tool of an agent.
  const direction = checkedDirection(options.direction ?? commandDirection(line));
  const { timeoutMs, graceMs, maxFileBytes } = options;
  checkValues({ timeoutMs, maxFileBytes, graceMs }, SPILL_RULES);
  const maxBytes = outputLimit(options.maxFileBytes);
  const { output, notKept } = await openOutput(options.archive, { limits, maxBytes });
  const report = reporter(output, { onProgress: options.onProgress, maxBytes });
  try {
    const ending = await runInto(output, options, { maxBytes, onTick: report });
    await output.settle(maxBytes);
    report();
    const { keep = false } = options;
    const { truncation, kept } = await cutAndKeep(output, { limits, direction, keep });
    const isFile = output.path !== undefined;
    const isDiskFull = isFile && (freeBytes(output.path) ?? Infinity) < FULL_BYTES;
    const where = kept.notKept !== undefined && notKept !== undefined ? { notKept } : kept;
    const isReopened = isFile && OWN_OUTPUT.test(line);
    const facts = { options, maxBytes, size: output.size(), kept: where, isDiskFull, isReopened };
    const warnings = warningsOf(ending, facts);
    return {
      text: previewText(truncation, where, warnings),
      truncation,
      exitCode: ending.exitCode,
      signal: ending.signal,
      timedOut: ending.stopped === "time-out",
      aborted: ending.stopped === "abort",
      ...(kept.entry && { entry: kept.entry }),
      durationMs: performance.now() - startedAt,
      warnings,
    };
  } catch (error) {
    await output.discard();
    throw error;
  }
}

function outputLimit(maxFileBytes: number | undefined): number {
  if (maxFileBytes === undefined) return DEFAULT_MAX_BYTES;
  const blocks = Math.floor(Math.min(maxFileBytes, Number.MAX_SAFE_INTEGER) / BLOCK_BYTES);
  return Math.max(1, blocks) * BLOCK_BYTES;
}

/** A command that was aborted before must not do anything at all. */
const NOT_STARTED: Supervised = {
  exitCode: undefined,
  signal: "SIGTERM",
  stopped: "abort",
  isLeftRunning: false,
  isUnsure: false,
};

async function runInto(
  output: Output,
  options: CommandLine & RunOptions,
  { maxBytes, onTick }: { readonly maxBytes: number; readonly onTick: () => void },
): Promise<Supervised> {
  const { cwd, env = process.env, stdin = "ignore", signal } = options;
  if (signal?.aborted === true) return NOT_STARTED;
  const fileLimit = options.maxFileBytes === undefined ? undefined : maxBytes;
  const running = startCommand(options, { cwd, env, stdin, output: output.target, fileLimit });
  output.attach(running.child);
  return supervise(running, {
    timeoutMs: options.timeoutMs,
    signal,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    maxBytes,
    size: () => output.size(),
    onTick,
  });
}

interface Opened {
  readonly output: Output;
  /** The reason why nothing can be kept. */
  readonly notKept?: string;
}

/**
 * A file of the archive when its disk has room for everything the command may write: a full disk
 * is then no concern of the command. Else a pipe, and the archive gets what it can take.
 */
async function openOutput(
  archive: Archive | undefined,
  { limits, maxBytes }: { readonly limits: Limits; readonly maxBytes: number },
): Promise<Opened> {
  const capacity = windowBytes(limits);
  const pipeTo = (place: Archive | undefined): Output =>
    pipeOutput(createSink({ archive: place, capacity, maxBytes: Infinity }), maxBytes);
  if (archive?.open === undefined) return { output: pipeTo(archive) };
  try {
    const spill = await archive.open("out");
    if ((freeBytes(spill.path) ?? 0) > maxBytes) return { output: fileOutput(spill, capacity) };
    await spill.discard();
    return { output: pipeTo(archive) };
  } catch (error) {
    return { output: pipeTo(undefined), notKept: reasonOf(error) };
  }
}

/** `undefined` where the system does not say. */
function freeBytes(path: string): number | undefined {
  try {
    const { bavail, bsize } = statfsSync(dirname(path));
    return bavail * bsize;
  } catch {
    return undefined;
  }
}

interface RunFacts {
  readonly options: Pick<RunOptions, "timeoutMs">;
  readonly maxBytes: number;
  readonly size: number;
  readonly kept: Kept;
  /** The disk became full while the command wrote to it. */
  readonly isDiskFull: boolean;
  /** The output went straight into a file, which the command opened by name. */
  readonly isReopened: boolean;
}

const DISK_FULL =
  "The disk became full while the command ran: it may have failed for that reason, and the end of its output may be missing. Free some space before you run it again.";

const STRAYS =
  "Processes of the command that left its group (setsid, daemons) may still run: this system does not tell which they are.";

const FILE_LIMIT =
  "A file that the command wrote reached the limit on the size of files, so the system stopped it. Let it write less, or raise the limit (maxFileBytes, ulimit -f).";
/** A shell's exit code when the kernel stopped a program at the limit on the size of files. */
const STOPPED_AT_LIMIT = 128 + constants.signals.SIGXFSZ;

/** Facts of a run that a model must know besides its output; one sentence each. */
function warningsOf(ending: Supervised, facts: RunFacts): readonly string[] {
  const { options, size, maxBytes, kept, isDiskFull, isReopened } = facts;
  const { stopped } = ending;
  const isAtLimit = stopped === "file-limit" || size >= maxBytes;
  const isFileLimit = ending.signal === "SIGXFSZ" || ending.exitCode === STOPPED_AT_LIMIT;
  const isTimeOut = stopped === "time-out";
  return [
    ending.failure,
    stopped === "abort" ? "The command was stopped because the caller aborted it." : undefined,
    isTimeOut
      ? `The command was stopped after ${(options.timeoutMs ?? 0) / 1_000} s (time-out). Give it more time, or run it in the background with its output in a file.`
      : undefined,
    ending.isUnsure ? STRAYS : undefined,
    isAtLimit
      ? `The output reached the limit of ${maxBytes} bytes, so the command was stopped; there is no more of it. Let it print less, or raise maxFileBytes.`
      : undefined,
    !isAtLimit && isFileLimit ? FILE_LIMIT : undefined,
    isDiskFull ? DISK_FULL : undefined,
    isReopened ? REOPENED : undefined,
    ending.isLeftRunning ? leftRunning(kept) : undefined,
  ].filter((warning) => warning !== undefined);
}

/** Opening a file by these names empties it. */
const OWN_OUTPUT = /\/dev\/(?:std(?:out|err)\b|fd\/[12]\b)|\/proc\/self\/fd\//;

const REOPENED =
  "The command opens its own output by name (such as /dev/stderr), which empties the file that it goes into: what it printed before may be missing. Write >&1 or >&2 instead, or add 2>&1 | cat.";

function leftRunning({ entry }: Kept): string {
  const place =
    entry?.kind === "run"
      ? `goes on into ${entry.path}, without a limit`
      : "is not kept: redirect it to a file";
  return `A process that the command started still runs in the background. What it prints from now on ${place}.`;
}

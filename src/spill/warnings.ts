import { constants } from "node:os";
import type { CommandLine } from "./command.ts";
import type { Kept } from "./spool.ts";
import type { Supervised } from "./supervise.ts";

export interface RunFacts {
  readonly options: CommandLine & { readonly timeoutMs?: number };
  readonly maxBytes: number;
  /** Bytes of the output. */
  readonly size: number;
  readonly kept: Kept;
  /** The disk became full while the command wrote to it. */
  readonly isDiskFull: boolean;
  /** The output went straight into a file. */
  readonly isFile: boolean;
}

const DISK_FULL =
  "The disk became full while the command ran: it may have failed for that reason, and the end of its output may be missing. Free some space before you run it again.";

const FILE_LIMIT =
  "A file that the command wrote reached the limit on the size of files, so the system stopped it. Let it write less, or raise the limit (maxFileBytes, ulimit -f).";
/** What a shell answers when the kernel stopped a program at the limit on the size of files. */
const STOPPED_AT_LIMIT = 128 + constants.signals.SIGXFSZ;

/** What a model must know about a run besides its output; one sentence each. */
export function warningsOf(ending: Supervised, facts: RunFacts): readonly string[] {
  return [
    ...(ending.failure === undefined ? [] : [ending.failure]),
    ...stopWarning(ending, facts),
    ...limitWarning(ending, facts),
    ...(facts.isDiskFull ? [DISK_FULL] : []),
    ...nameWarning(facts),
    ...backgroundWarning(ending, facts),
  ];
}

function stopWarning({ stopped }: Supervised, { options }: RunFacts): readonly string[] {
  if (stopped === "abort") return ["The command was stopped because the caller aborted it."];
  if (stopped !== "time-out") return [];
  const seconds = (options.timeoutMs ?? 0) / 1_000;
  return [
    `The command was stopped after ${seconds} s (time-out). Give it more time, or run it in the background with its output in a file.`,
  ];
}

function limitWarning(ending: Supervised, { size, maxBytes }: RunFacts): readonly string[] {
  if (ending.stopped !== "file-limit" && size < maxBytes) {
    return isStoppedAtLimit(ending) ? [FILE_LIMIT] : [];
  }
  return [
    `The output reached the limit of ${maxBytes} bytes, so the command was stopped; there is no more of it. Let it print less, or raise maxFileBytes.`,
  ];
}

function isStoppedAtLimit({ signal, exitCode }: Supervised): boolean {
  return signal === "SIGXFSZ" || exitCode === STOPPED_AT_LIMIT;
}

/** Opening a file by these names empties it. */
const OWN_OUTPUT = /\/dev\/(?:std(?:out|err)\b|fd\/[12]\b)|\/proc\/self\/fd\//;

const REOPENED =
  "The command opens its own output by name (such as /dev/stderr), which empties the file that it goes into: what it printed before may be missing. Write >&1 or >&2 instead, or add 2>&1 | cat.";

function nameWarning({ options, isFile }: RunFacts): readonly string[] {
  const { command = "", file = "", args = [] } = options;
  return isFile && [command, file, ...args].some((word) => OWN_OUTPUT.test(word)) ? [REOPENED] : [];
}

function backgroundWarning(
  { isLeftRunning }: Supervised,
  { kept: { entry } }: RunFacts,
): readonly string[] {
  if (!isLeftRunning) return [];
  const place =
    entry?.kind === "run"
      ? `goes on into ${entry.path}, without a limit`
      : "is not kept: redirect it to a file";
  return [
    `A process that the command started still runs in the background. What it prints from now on ${place}.`,
  ];
}

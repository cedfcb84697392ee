import { constants } from "node:os";
import type { Kept } from "./spool.ts";
import type { Supervised } from "./supervise.ts";

export interface RunFacts {
  readonly options: { readonly timeoutMs?: number; readonly maxFileBytes?: number };
  readonly maxBytes: number;
  /** Bytes of the output. */
  readonly size: number;
  readonly kept: Kept;
  /** The disk became full while the command wrote to it. */
  readonly isDiskFull: boolean;
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

function backgroundWarning(
  { isLeftRunning }: Supervised,
  { kept: { entry } }: RunFacts,
): readonly string[] {
  if (isLeftRunning === undefined) return [];
  const place =
    entry?.kind === "run"
      ? `goes on to ${entry.path}, and is removed from there when it is more than 64 MB`
      : "is not kept: redirect it to a file";
  return [
    `A process that the command started still runs in the background. What it prints from now on ${place}.`,
  ];
}

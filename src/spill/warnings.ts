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

function limitWarning({ stopped }: Supervised, { size, maxBytes }: RunFacts): readonly string[] {
  if (stopped !== "file-limit" && size < maxBytes) return [];
  return [
    `The output reached the limit of ${maxBytes} bytes, so the command was stopped; there is no more of it. Let it print less, or raise maxFileBytes.`,
  ];
}

function backgroundWarning(
  { isInBackground }: Supervised,
  { kept: { entry } }: RunFacts,
): readonly string[] {
  if (!isInBackground) return [];
  const place =
    entry?.kind === "run" ? `goes on to ${entry.path}` : "is not kept: redirect it to a file";
  return [
    `A process that the command started still runs in the background. What it prints from now on ${place}.`,
  ];
}

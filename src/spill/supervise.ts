import { constants } from "node:os";
import type { Ending, RunningCommand } from "./command.ts";
import { type ProcessGroup, processGroup } from "./process-group.ts";

/** Why a command was stopped before it ended by itself. */
export type StopReason = "time-out" | "abort" | "file-limit";

export interface SuperviseOptions {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** How long a command that was asked to end (SIGTERM) may take before it is killed. */
  readonly graceMs: number;
  /** The command is stopped when its output has so many. */
  readonly maxBytes: number;
  /** Bytes of output so far. */
  readonly size: () => number;
  /** The file that takes the output; `undefined` for a pipe. */
  readonly path: string | undefined;
  /** Called ten times a second at most. */
  readonly onTick: () => void;
}

export interface Supervised extends Ending {
  readonly stopped: StopReason | undefined;
  /** Whether what the command left in the background still runs; absent when nothing of it may print. */
  readonly isLeftRunning?: () => boolean;
}

const TICK_MS = 100;
const SOONEST_MS = 2;
/** No disk takes more in a millisecond, so a writer cannot pass its limit far between two looks. */
const FASTEST_BYTES_PER_MS = 4_000_000;

/** Waits for a command to end, and ends it with its whole group when it is time. */
export async function supervise(
  { child, ended }: RunningCommand,
  options: SuperviseOptions,
): Promise<Supervised> {
  const group = child?.pid === undefined ? undefined : processGroup(child.pid);
  const stop = stopper(group, options.graceMs);
  const watch = watchSize(options, () => stop.now("file-limit"));
  const timer =
    options.timeoutMs === undefined
      ? undefined
      : startTimer(() => stop.now("time-out"), options.timeoutMs);
  const onAbort = (): void => stop.now("abort", namedSignal(options.signal?.reason));
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  try {
    const ending = await ended;
    const stopped = stop.reason();
    await stop.rest();
    const left = (await group?.isPrinting(options.path)) === true ? group : undefined;
    return { ...ending, stopped, ...(left && { isLeftRunning: () => left.isThere() }) };
  } finally {
    watch.close();
    stop.close();
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", onAbort);
  }
}

/** A timer for more than this is set off at once. */
const LONGEST_MS = 2_147_483_647;

function startTimer(work: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(work, Math.min(ms, LONGEST_MS));
}

interface Stopper {
  /** Asks the group to end, and kills it after the grace. The first reason counts. */
  now(reason: StopReason, signal?: NodeJS.Signals): void;
  reason(): StopReason | undefined;
  /** Once the command ended: no other process of a stopped command stays behind. */
  rest(): Promise<void>;
  close(): void;
}

function stopper(group: ProcessGroup | undefined, graceMs: number): Stopper {
  let reason: StopReason | undefined;
  let killAt = 0;
  let timer: NodeJS.Timeout | undefined;
  return {
    now(why, signal = "SIGTERM") {
      if (reason !== undefined) return;
      reason = why;
      killAt = performance.now() + graceMs;
      // A writer that ran away must not write on while it is asked to end.
      const isRunaway = why === "file-limit" || graceMs <= 0;
      group?.signal(isRunaway ? "SIGKILL" : signal);
      if (!isRunaway) timer = startTimer(() => group?.signal("SIGKILL"), graceMs);
    },
    reason: () => reason,
    async rest() {
      if (reason !== undefined) await group?.end(killAt - performance.now());
    },
    close: () => clearTimeout(timer),
  };
}

/** A caller that passes a signal on aborts with its name, e.g. `SIGINT`. */
function namedSignal(reason: unknown): NodeJS.Signals | undefined {
  return typeof reason === "string" && reason in constants.signals
    ? (reason as NodeJS.Signals)
    : undefined;
}

/** Looks sooner the nearer the limit is; a thousand looks cost a few milliseconds. */
function watchSize(options: SuperviseOptions, onLimit: () => void): { close(): void } {
  let timer: NodeJS.Timeout;
  let tickedAt = performance.now();
  const look = (): void => {
    const room = options.maxBytes - options.size();
    if (room <= 0) onLimit();
    if (performance.now() - tickedAt >= TICK_MS - 1) {
      tickedAt = performance.now();
      options.onTick();
    }
    plan(room);
  };
  const plan = (room: number): void => {
    const wait = Math.min(TICK_MS, Math.max(SOONEST_MS, room / FASTEST_BYTES_PER_MS));
    timer = setTimeout(look, room <= 0 ? TICK_MS : wait);
  };
  plan(options.maxBytes);
  return { close: () => clearTimeout(timer) };
}

import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { type Family, findsStrays, signalFamily, signalGroup } from "./family.ts";
import type { Ending, RunningCommand } from "./command.ts";

/** The reason for a stop before the command ended by itself. */
export type StopReason = "time-out" | "abort" | "file-limit";

export interface SuperviseOptions {
  readonly timeoutMs: number | undefined;
  readonly signal: AbortSignal | undefined;
  /** The time for a command that was asked to end (SIGTERM) before it is killed. */
  readonly graceMs: number;
  /** The command is stopped when its output has so many. */
  readonly maxBytes: number;
  /** Bytes of output so far. */
  readonly size: () => number;
  /** Called ten times a second at most. */
  readonly onTick: () => void;
}

export interface Supervised extends Ending {
  readonly stopped: StopReason | undefined;
  /** A process of the command's group is still there. */
  readonly isLeftRunning: boolean;
  /** It was stopped where the system does not tell what left its group. */
  readonly isUnsure: boolean;
}

const TICK_MS = 100;

/** Waits for a command to end, and ends it with all that it started when it is time. */
export async function supervise(
  { child, mark, ended }: RunningCommand,
  options: SuperviseOptions,
): Promise<Supervised> {
  const { timeoutMs, signal, maxBytes } = options;
  const stop = stopper({ group: child?.pid, mark }, options.graceMs);
  const watch = setInterval(() => {
    if (options.size() >= maxBytes) stop.now("file-limit");
    options.onTick();
  }, TICK_MS);
  const timer =
    timeoutMs === undefined ? undefined : startTimer(() => stop.now("time-out"), timeoutMs);
  const onAbort = (): void => stop.now("abort", namedSignal(signal?.reason));
  signal?.addEventListener("abort", onAbort, { once: true });
  if (signal?.aborted === true) onAbort();
  try {
    const ending = await ended;
    const stopped = stop.reason();
    const isLeftRunning = await stop.rest();
    const isUnsure = stopped !== undefined && child?.pid !== undefined && !findsStrays();
    return { ...ending, stopped, isLeftRunning, isUnsure };
  } finally {
    clearInterval(watch);
    clearTimeout(timer);
    stop.close();
    signal?.removeEventListener("abort", onAbort);
  }
}

/** A timer for more than this is set off at once. */
const LONGEST_MS = 2_147_483_647;

function startTimer(work: () => void, ms: number): NodeJS.Timeout {
  return setTimeout(work, Math.min(ms, LONGEST_MS));
}

const POLL_MS = 10;
/** A look at all processes of the system costs some ms. */
const LOOK_MS = 50;
const MOST_KILLS = 5;
/** For so long a process that ends together with the command is not taken for one that stays. */
const SETTLE_MS = 50;

function stopper(family: Family, graceMs: number) {
  let reason: StopReason | undefined;
  let killAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const isThereAt = async (until: number): Promise<boolean> => {
    while (signalGroup(family.group, 0)) {
      if (performance.now() >= until) return true;
      await sleep(POLL_MS);
    }
    return false;
  };
  return {
    /** Asks all to end, and kills them after the grace. The first reason counts. */
    now(why: StopReason, signal: NodeJS.Signals = "SIGTERM"): void {
      if (reason !== undefined) return;
      reason = why;
      killAt = performance.now() + graceMs;
      // A writer that ran away must not write on while it is asked to end.
      const isRunaway = why === "file-limit" || graceMs <= 0;
      signalFamily(family, isRunaway ? "SIGKILL" : signal);
      if (!isRunaway) timer = startTimer(() => signalFamily(family, "SIGKILL"), graceMs);
    },
    reason: () => reason,
    /**
     * After the command's own end: no other process of a stopped command stays behind. Tells
     * whether one of the group of a command that ended by itself does.
     */
    async rest(): Promise<boolean> {
      if (reason === undefined) return isThereAt(performance.now() + SETTLE_MS);
      while (performance.now() < killAt && signalFamily(family, 0)) await sleep(LOOK_MS);
      // A process may have started another just before it was killed.
      for (let rest = MOST_KILLS; rest > 0 && signalFamily(family, "SIGKILL"); rest -= 1) {
        await sleep(POLL_MS);
      }
      return false;
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

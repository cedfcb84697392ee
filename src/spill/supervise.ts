import { existsSync, readdirSync, readFileSync } from "node:fs";
import { constants } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
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
  /** A process that the command started is still there. */
  readonly isLeftRunning: boolean;
}

const TICK_MS = 100;

/** Waits for a command to end, and ends it with its whole group when it is time. */
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
    return { ...ending, stopped, isLeftRunning };
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
const FAMILY_POLL_MS = 50;
const MOST_KILLS = 5;
/** For so long a process that ends together with the command is not taken for one that stays. */
const SETTLE_MS = 50;

/** All that a command started: its group, and what left that for a session of its own. */
interface Family {
  readonly group: number | undefined;
  readonly mark: string;
}

function stopper(family: Family, graceMs: number) {
  const { group } = family;
  let reason: StopReason | undefined;
  let killAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const isThereAt = async (until: number): Promise<boolean> => {
    while (isGroupThere(group)) {
      if (performance.now() >= until) return true;
      await sleep(POLL_MS);
    }
    return false;
  };
  return {
    /** Asks the group to end, and kills it after the grace. The first reason counts. */
    now(why: StopReason, signal: NodeJS.Signals = "SIGTERM"): void {
      if (reason !== undefined) return;
      reason = why;
      killAt = performance.now() + graceMs;
      // A writer that ran away must not write on while it is asked to end.
      const isRunaway = why === "file-limit" || graceMs <= 0;
      signalAll(family, isRunaway ? "SIGKILL" : signal);
      if (!isRunaway) timer = startTimer(() => signalAll(family, "SIGKILL"), graceMs);
    },
    reason: () => reason,
    /**
     * After the command's own end: no other process of a stopped command stays behind. Tells
     * whether one of a command that ended by itself does.
     */
    async rest(): Promise<boolean> {
      if (reason === undefined) return isThereAt(performance.now() + SETTLE_MS);
      while (performance.now() < killAt && signalAll(family, 0)) await sleep(FAMILY_POLL_MS);
      // A process may have started another just before it was killed.
      for (let rest = MOST_KILLS; rest > 0 && signalAll(family, "SIGKILL"); rest -= 1) {
        await sleep(POLL_MS);
      }
      return false;
    },
    close: () => clearTimeout(timer),
  };
}

/** Sends a signal to a whole family; whether any of it is there. */
function signalAll(family: Family, signal: NodeJS.Signals | 0): boolean {
  const isThere = signalGroup(family.group, signal);
  if (!findsStrays()) return isThere;
  const members = processes().filter((pid) => isMember(pid, family));
  for (const pid of members) signalProcess(pid, signal);
  return members.length > 0;
}

/** The system tells the environment of a process, as Linux does. */
export function findsStrays(): boolean {
  return existsSync("/proc/self/environ");
}

/** None where no descriptor is left to look with. */
function processes(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

/**
 * A process is of the group, or left it with `setsid`. One that ended is none, also where nobody
 * waits for orphans, as in a container without an init process; somebody else's shows nothing.
 */
function isMember(pid: number, { group, mark }: Partial<Family>): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // After the name, which may hold anything: state, parent, group.
    const [, state = "", , own] = stat.slice(stat.lastIndexOf(")")).split(" ");
    if (group === undefined || "ZX".includes(state)) return false;
    if (Number(own) === group) return true;
    return mark !== undefined && readFileSync(`/proc/${pid}/environ`).includes(mark);
  } catch {
    return false;
  }
}

function isGroupThere(group: number | undefined): boolean {
  if (!signalGroup(group, 0)) return false;
  return !findsStrays() || processes().some((pid) => isMember(pid, { group }));
}

/** Sends a signal to all processes of a group (0: to none of them); whether one is there. */
function signalGroup(group: number | undefined, signal: NodeJS.Signals | 0): boolean {
  if (group === undefined) return false;
  return signalProcess(process.platform === "win32" ? group : -group, signal);
}

function signalProcess(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** A caller that passes a signal on aborts with its name, e.g. `SIGINT`. */
function namedSignal(reason: unknown): NodeJS.Signals | undefined {
  return typeof reason === "string" && reason in constants.signals
    ? (reason as NodeJS.Signals)
    : undefined;
}

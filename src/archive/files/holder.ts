import { readFileSync, readlinkSync } from "node:fs";
import { hostname } from "node:os";
import { createHash } from "node:crypto";

/**
 * A process, as part of a file name: `<place>.<pid>.<start>`. The place is where the number means
 * something (the machine since it was started, and the container), and the start tells a process
 * from a later one with the same number. Everything stands in the name, so that no reader ever
 * meets a file that is only half written.
 */
export const HOLDER: RegExp = /[0-9a-f]{8}\.\d+\.\d+/;

/** What is known about the process that a name stands for. */
export type HolderState = "alive" | "dead" | "elsewhere";

/** The name of this process. */
export function ownHolder(): string {
  return `${ownPlace()}.${process.pid}.${startOf("self")}`;
}

/**
 * Tells what is known about processes; `elsewhere` is one of another machine or container, or from
 * before this machine was started: nothing can be asked about it.
 */
export function holderStates(): (holder: string) => HolderState {
  const own = ownPlace();
  return (holder) => {
    const [place, pid = "", start] = holder.split(".");
    if (place !== own) return "elsewhere";
    if (!isRunning(Number(pid))) return "dead";
    const now = startOf(pid);
    return now === start || now === UNKNOWN || start === UNKNOWN ? "alive" : "dead";
  };
}

/**
 * For how long a process of this machine has been running, in ms, whatever the clock says; `Infinity`
 * where the system does not say.
 */
export function holderAge(holder: string): number {
  const [, , start = UNKNOWN] = holder.split(".");
  const uptime = Number.parseFloat(fact(() => readFileSync("/proc/uptime", "utf8")));
  if (start === UNKNOWN || Number.isNaN(uptime)) return Infinity;
  return Math.max(0, uptime * 1000 - Number(start) * TICK_MS);
}

/** Which run of the machine this is: another one after every start, where the system tells. */
export function machineRun(): string {
  return digestOf(
    hostname(),
    fact(() => readFileSync(BOOT_ID, "utf8")),
  );
}

/** What stands for the start of a process where the system does not say. */
const UNKNOWN = "0";

const BOOT_ID = "/proc/sys/kernel/random/boot_id";
/** What Linux counts the starts of processes in, for every program. */
const TICK_MS = 10;

function ownPlace(): string {
  return digestOf(
    hostname(),
    fact(() => readFileSync(BOOT_ID, "utf8")),
    fact(() => readlinkSync("/proc/self/ns/pid")),
  );
}

function digestOf(...facts: readonly string[]): string {
  return createHash("sha256").update(facts.join("\n")).digest("hex").slice(0, 8);
}

/** The 22nd field of Linux's `/proc/<pid>/stat`: clock ticks from the machine's start to its own. */
function startOf(pid: string): string {
  const stat = fact(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return fields[START_AFTER_NAME] ?? UNKNOWN;
}

const START_AFTER_NAME = 19;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // It is there and belongs to somebody else.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/** Systems other than Linux have no such files. */
function fact(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}

import { readdirSync, readFileSync, readlinkSync, type Stats, statSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** The processes that a command started, as far as they stayed in its group. */
export interface ProcessGroup {
  /** Sends a signal to all of them; nothing happens when they are gone. */
  signal(signal: NodeJS.Signals): void;
  /** Whether one of them still runs, or ended and nobody waited for it; asked at no cost. */
  isThere(): boolean;
  /** Whether one of them may still print into the output: a file with this path, or a pipe. */
  isPrinting(path: string | undefined): Promise<boolean>;
  /** Waits for all of them to end, and kills them after `graceMs`. */
  end(graceMs: number): Promise<void>;
}

const POLL_MS = 10;
const SETTLE_MS = 100;

/** The group that the process with this number leads. */
export function processGroup(pid: number): ProcessGroup {
  const target = process.platform === "win32" ? pid : -pid;
  const isThere = (): boolean => send(target, 0);
  const isRunning = (): boolean => isThere() && hasLiveMember(pid);
  return {
    signal: (signal) => void send(target, signal),
    isThere,
    async isPrinting(path) {
      // A process that was started a moment ago may be about to redirect its output.
      const until = performance.now() + SETTLE_MS;
      while (isRunning() && mayPrint(pid, fileAt(path))) {
        if (performance.now() >= until) return true;
        await sleep(POLL_MS);
      }
      return false;
    },
    async end(graceMs) {
      const until = performance.now() + graceMs;
      while (isRunning() && performance.now() < until) await sleep(POLL_MS);
      if (isRunning()) send(target, "SIGKILL");
    },
  };
}

function send(target: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(target, signal);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

/**
 * Linux also counts members that ended and that nobody waited for, which stay for ever in a
 * container without an init process. Other systems: the group is there, so one is taken to live.
 */
function hasLiveMember(group: number): boolean {
  return liveMembers(group)?.length !== 0;
}

/** `undefined` where the system does not say, or not now: this process may have no descriptor left. */
function liveMembers(group: number): readonly string[] | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name) && isLiveMember(name, group));
  } catch {
    return undefined;
  }
}

function isLiveMember(pid: string, group: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    const [state, , inGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return inGroup === String(group) && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}

function fileAt(path: string | undefined): Stats | undefined {
  return path === undefined ? undefined : statSync(path, { throwIfNoEntry: false });
}

function mayPrint(group: number, file: Stats | undefined): boolean {
  return liveMembers(group)?.some((member) => writesInto(member, file)) ?? true;
}

/** What a process prints into ours is a file of the archive, by whatever path, or a nameless pipe. */
function writesInto(pid: string, file: Stats | undefined): boolean {
  return ["1", "2"].some((fd) => {
    const place = `/proc/${pid}/fd/${fd}`;
    try {
      if (file === undefined) return /^(socket|pipe):/.test(readlinkSync(place));
      const { dev, ino } = statSync(place);
      return dev === file.dev && ino === file.ino;
    } catch {
      return false;
    }
  });
}

import { existsSync, readdirSync, readFileSync } from "node:fs";

/** All that a command started: its process group, and what left that for a session of its own. */
export interface Family {
  /** `undefined` for a command that could not be started. */
  readonly group: number | undefined;
  /** Stands in the environment of every member. */
  readonly mark: string;
}

/** The system tells the environment of a process, as Linux does. */
export function findsStrays(): boolean {
  return existsSync("/proc/self/environ");
}

/** Sends a signal to a whole family (0: to none of it); whether any of it is there. */
export function signalFamily(family: Family, signal: NodeJS.Signals | 0): boolean {
  const members = membersOf(family);
  const isThere = signalGroup(family.group, signal);
  for (const { pid, isStray } of members ?? []) if (isStray) signalled(pid, signal);
  return members === undefined ? isThere : members.length > 0;
}

/** Sends a signal to all processes of a group (0: to none of them); whether one is there. */
export function signalGroup(group: number | undefined, signal: NodeJS.Signals | 0): boolean {
  return group !== undefined && signalled(process.platform === "win32" ? group : -group, signal);
}

function signalled(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}

interface Member {
  readonly pid: number;
  /** It left the group. */
  readonly isStray: boolean;
}

/** `undefined` where the system does not tell, or no descriptor is left to look with. */
function membersOf(family: Family): readonly Member[] | undefined {
  if (family.group === undefined || !findsStrays()) return undefined;
  try {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    return pids.flatMap((pid) => memberOf(family, pid) ?? []);
  } catch {
    return undefined;
  }
}

/**
 * A process that has ended is none, also where nobody waits for orphans, as in a container without
 * an init process; somebody else's shows nothing.
 */
function memberOf({ group, mark }: Family, pid: number): Member | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // After the name, which may hold anything: state, parent, group.
    const [, state = "", , own] = stat.slice(stat.lastIndexOf(")")).split(" ");
    if ("ZX".includes(state)) return undefined;
    if (Number(own) === group) return { pid, isStray: false };
    const isStray = readFileSync(`/proc/${pid}/environ`).includes(mark);
    return isStray ? { pid, isStray } : undefined;
  } catch {
    return undefined;
  }
}

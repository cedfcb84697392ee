import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

/*
 * `.gc.json` remembers the last collection: when it was by the clock, and how long the machine had
 * been running. If the clock went further than the machine ran, it was set forward.
 */

const STAMP = ".gc.json";
/** Clocks are corrected by seconds all the time. */
const TOLERANCE_MS = 60 * 60 * 1000;

/** The clocks at one moment. */
export interface Clock {
  /** In ms since the epoch. */
  readonly now: number;
  /** How long the machine has been running, in ms; sleep counts. */
  readonly uptime: number;
}

/** What the last collection left. */
export interface Stamp extends Clock {
  /** Until then the age of files says nothing, in ms since the epoch. */
  readonly untrustedUntil: number;
}

/** The stamp in a folder; `undefined` for none, and for one that is damaged. */
export async function readStamp(root: string): Promise<Stamp | undefined> {
  try {
    const value: unknown = JSON.parse(await readFile(join(root, STAMP), "utf8"));
    return isStamp(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export async function writeStamp(root: string, stamp: Stamp): Promise<void> {
  const path = join(root, STAMP);
  await writeFile(`${path}.tmp`, JSON.stringify(stamp), { mode: 0o600 });
  await rename(`${path}.tmp`, path);
}

/**
 * The stamp of this collection. After the clock was set forward, files from before look older than
 * they are: once `maxAgeMs` has passed, all of them really are that old, and ages count again.
 */
export function nextStamp(last: Stamp | undefined, clock: Clock, maxAgeMs: number): Stamp {
  const longest = clock.now + maxAgeMs;
  if (last === undefined) return { ...clock, untrustedUntil: 0 };
  const ran = clock.uptime - last.uptime;
  const isSameRun = ran >= 0;
  const wasSetForward = isSameRun && clock.now - last.now - ran > TOLERANCE_MS;
  return {
    ...clock,
    untrustedUntil: wasSetForward ? longest : Math.min(last.untrustedUntil, longest),
  };
}

function isStamp(value: unknown): value is Stamp {
  if (typeof value !== "object" || value === null) return false;
  const { now, uptime, untrustedUntil } = value as Partial<Record<keyof Stamp, unknown>>;
  return [now, uptime, untrustedUntil].every((each) => Number.isFinite(each));
}

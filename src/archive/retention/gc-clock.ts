import { randomBytes } from "node:crypto";
import { rename, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readPlainFile } from "../files/durable-file.ts";
import { ownHolder } from "../files/holder.ts";
import { collectorsName } from "../files/layout.ts";

/*
 * `.gc.json` remembers the last collection: when it was by the clock, and how long which machine had
 * been running. If the clock went further than the same machine ran, it was set forward.
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
  /** Since when it has been running: another text after every start, and on every machine. */
  readonly run: string;
}

/** What the last collection left. */
export interface Stamp extends Clock {
  /** Until then the age of files says nothing, in ms since the epoch. */
  readonly untrustedUntil: number;
}

/** The stamp in a folder; `undefined` for none, and for one that is damaged or no plain file. */
export async function readStamp(root: string): Promise<Stamp | undefined> {
  try {
    const bytes = await readPlainFile(join(root, STAMP));
    const value: unknown = JSON.parse(bytes?.toString("utf8") ?? "null");
    return isStamp(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

export async function writeStamp(root: string, stamp: Stamp): Promise<void> {
  const path = join(root, STAMP);
  const beside = join(root, collectorsName(ownHolder(), randomBytes(8).toString("hex")));
  try {
    await writeFile(beside, JSON.stringify(stamp), { mode: 0o600, flag: "wx" });
    await rename(beside, path);
  } catch (error) {
    await unlink(beside).catch(() => undefined);
    throw error;
  }
}

/**
 * The stamp of this collection. After the clock was set forward, files from before look older than
 * they are: once `maxAgeMs` has passed, all of them really are that old, and ages count again.
 */
export function nextStamp(last: Stamp | undefined, clock: Clock, maxAgeMs: number): Stamp {
  const longest = clock.now + maxAgeMs;
  if (last === undefined) return { ...clock, untrustedUntil: 0 };
  const ran = clock.uptime - last.uptime;
  const isSameRun = last.run === clock.run && ran >= 0;
  const wasSetForward = isSameRun && clock.now - last.now - ran > TOLERANCE_MS;
  return {
    ...clock,
    untrustedUntil: wasSetForward ? longest : Math.min(last.untrustedUntil, longest),
  };
}

function isStamp(value: unknown): value is Stamp {
  if (typeof value !== "object" || value === null) return false;
  const { now, uptime, untrustedUntil, run } = value as Partial<Record<keyof Stamp, unknown>>;
  const areNumbers = [now, uptime, untrustedUntil].every((each) => Number.isFinite(each));
  return areNumbers && typeof run === "string";
}

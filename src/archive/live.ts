import { open, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "./archive-error.ts";
import { HOLDER, holderState, ownHolder } from "./holder.ts";
import { entriesOf } from "./list-files.ts";

/*
 * A conversation is live while a process has it open: `.open.<process>` stands in its folder, and
 * its time is that of the last use. The file is empty: all that is to know is in its name.
 */

const OPEN = new RegExp(String.raw`^\.open\.(${HOLDER.source})$`);
/** Nobody needs to know the last use more exactly. */
const MARK_EVERY_MS = 60_000;
/** After its last use a conversation stays live for so long, whether or not a process has it. */
export const LIVE_AFTER_USE_MS: number = 60 * 60 * 1000;
/** About a process on another machine nothing can be asked; a day without use says enough. */
const ELSEWHERE_MAX_IDLE_MS = 24 * 60 * 60 * 1000;
/** A server keeps what it opened for as long as it runs, also what nobody ever uses again. */
const HELD_MAX_IDLE_MS = 7 * 24 * 60 * 60 * 1000;

/** Marks a conversation as used by this process; at most once a minute it touches the disk. */
export function createMark(
  root: string,
  make: () => Promise<void>,
): (canCreate: boolean) => Promise<void> {
  let markedAt = -Infinity;
  return async (canCreate) => {
    if (performance.now() - markedAt < MARK_EVERY_MS) return;
    const last = markedAt;
    markedAt = performance.now();
    try {
      if (canCreate) await make();
      await touch(join(root, `.open.${ownHolder()}`));
    } catch (error) {
      // Reading must work where nothing can be written; writing will say itself what is wrong.
      if (errorCode(error) === "ENOENT" || canCreate) markedAt = last;
    }
  };
}

async function touch(path: string): Promise<void> {
  const file = await open(path, "a", 0o600);
  try {
    await file.utimes(new Date(), new Date());
  } finally {
    await file.close();
  }
}

export interface LiveOptions {
  /** The time in ms since the epoch. */
  readonly now: number;
  /** Whether the times of files can be compared with `now`. */
  readonly isClockTrusted: boolean;
}

/** Whether a process has a conversation open, or used it within the last hour. */
export async function isLive(root: string, options: LiveOptions): Promise<boolean> {
  for (const { path, holder } of await marksIn(root)) {
    if (await isMarkLive(path, holder, options)) return true;
  }
  return false;
}

/** Removes the marks of processes that ended. */
export async function removeDeadMarks(root: string, options: LiveOptions): Promise<void> {
  for (const { path, holder } of await marksIn(root)) {
    if (!(await isMarkLive(path, holder, options))) await unlink(path).catch(() => undefined);
  }
}

interface Mark {
  readonly path: string;
  readonly holder: string;
}

async function marksIn(root: string): Promise<readonly Mark[]> {
  return (await entriesOf(root)).flatMap(({ name }) => {
    const holder = OPEN.exec(name)?.[1];
    return holder === undefined ? [] : [{ path: join(root, name), holder }];
  });
}

async function isMarkLive(path: string, holder: string, options: LiveOptions): Promise<boolean> {
  const stats = await stat(path).catch(() => undefined);
  if (stats === undefined) return false;
  const idle = options.now - stats.mtimeMs;
  if (idle < LIVE_AFTER_USE_MS) return true;
  const state = holderState(holder);
  if (state === "dead") return false;
  if (!options.isClockTrusted) return true;
  return idle < (state === "alive" ? HELD_MAX_IDLE_MS : ELSEWHERE_MAX_IDLE_MS);
}

import { closeSync, constants, futimesSync, openSync } from "node:fs";
import { lstat, unlink, utimes } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { errorCode } from "../archive-error.ts";
import type { Use } from "../files/conversation.ts";
import { HOLDER, holderAge, type HolderState, holderStates, ownHolder } from "../files/holder.ts";
import { entriesOf } from "../files/list-files.ts";
import { isRemoving } from "./removals.ts";

/*
 * A conversation is live while a process has it open: `.open.<process>` stands in its folder, and
 * its time is that of the last use. The file is empty: all that is to know is in its name.
 */

const OPEN = new RegExp(String.raw`^\.open\.(${HOLDER.source})$`);
/** Nobody needs to know the last use more exactly. */
const MARK_EVERY_MS = 60_000;
/** After its last use a conversation stays live for so long, whether or not a process has it. */
const LIVE_AFTER_USE_MS: number = 60 * 60 * 1000;
/** About a process on another machine nothing can be asked; a day without use says enough. */
const ELSEWHERE_MAX_IDLE_MS = 24 * 60 * 60 * 1000;
/** A server keeps what it opened for as long as it runs, also what nobody ever uses again. */
const HELD_MAX_IDLE_MS = 7 * 24 * 60 * 60 * 1000;

/** A removal takes some milliseconds; one that takes so long was stopped in between. */
const MOST_WAIT_MS = 2_000;
const LOOK_EVERY_MS = 5;

/** Marks a conversation as used by this process; settles once everybody can see it. */
export type Mark = (use: Use) => Promise<void>;

interface Marking {
  readonly use: Use;
  /** When it began, by both clocks: one stands still while the machine sleeps, one can be set. */
  readonly ran: number;
  readonly now: number;
  /** Whether it need not be tried again soon. */
  readonly done: Promise<boolean>;
}

/** A mark that touches the disk at most once a minute. */
export function createMark(root: string, make: () => Promise<void>): Mark {
  let last: Marking | undefined;
  return async (use) => {
    const isEnough =
      last !== undefined &&
      !isDue(last) &&
      (use === "read" || last.use === "write" || (await last.done));
    if (!isEnough || last === undefined) last = startMarking(root, make, use);
    const current = last;
    // Who comes while it is being marked waits as well: before that, nobody knows of either.
    if (!(await current.done) && last === current) last = undefined;
  };
}

function isDue({ ran, now }: Marking): boolean {
  return performance.now() - ran >= MARK_EVERY_MS || Math.abs(Date.now() - now) >= MARK_EVERY_MS;
}

function startMarking(root: string, make: () => Promise<void>, use: Use): Marking {
  const done = markOpen(root, make, use);
  return { use, ran: performance.now(), now: Date.now(), done };
}

async function markOpen(root: string, make: () => Promise<void>, use: Use): Promise<boolean> {
  const until = performance.now() + MOST_WAIT_MS;
  try {
    for (;;) {
      if (use === "write") await make();
      touch(join(root, `.open.${ownHolder()}`));
      // What is being removed may be what is about to be used, and the mark itself.
      if (!isRemoving(root) || performance.now() > until) return true;
      await delay(LOOK_EVERY_MS);
    }
  } catch (error) {
    // Reading must work where nothing can be written; writing will say itself what is wrong.
    return use === "read" && errorCode(error) !== "ENOENT";
  }
}

const TOUCH =
  constants.O_WRONLY |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

function touch(path: string): void {
  const file = openSync(path, TOUCH, 0o600);
  try {
    const now = new Date();
    futimesSync(file, now, now);
  } finally {
    closeSync(file);
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
  const stateOf = holderStates();
  for (const mark of await marksIn(root)) {
    if (await isMarkLive(mark, stateOf, options)) return true;
  }
  return false;
}

/**
 * Removes the marks of processes that ended. One from the future, because the clock was set back,
 * counts from now on. Whether others are left that say nothing any more.
 */
export async function removeDeadMarks(root: string, options: LiveOptions): Promise<boolean> {
  const stateOf = holderStates();
  const now = new Date(options.now);
  let areIdle = false;
  for (const mark of await marksIn(root)) {
    const idle = (await idleOf(mark, options)) ?? 0;
    if (idle < -LIVE_AFTER_USE_MS) await utimes(mark.path, now, now).catch(() => undefined);
    if (await isMarkLive(mark, stateOf, options)) continue;
    if (stateOf(mark.holder) === "dead") await unlink(mark.path).catch(() => undefined);
    else areIdle = true;
  }
  return areIdle;
}

/** Removes all marks that say nothing any more; their processes must see that something goes. */
export async function removeIdleMarks(root: string, options: LiveOptions): Promise<void> {
  const stateOf = holderStates();
  for (const mark of await marksIn(root)) {
    if (await isMarkLive(mark, stateOf, options)) continue;
    await unlink(mark.path).catch(() => undefined);
  }
}

interface OpenMark {
  readonly path: string;
  readonly holder: string;
}

async function marksIn(root: string): Promise<readonly OpenMark[]> {
  return (await entriesOf(root)).flatMap(({ name }) => {
    const holder = OPEN.exec(name)?.[1];
    return holder === undefined ? [] : [{ path: join(root, name), holder }];
  });
}

/** How long ago a mark was made, in ms; `undefined` when it is gone. */
async function idleOf({ path }: OpenMark, { now }: LiveOptions): Promise<number | undefined> {
  const stats = await lstat(path).catch(() => undefined);
  return stats?.isFile() === true ? now - stats.mtimeMs : undefined;
}

async function isMarkLive(
  mark: OpenMark,
  stateOf: (holder: string) => HolderState,
  options: LiveOptions,
): Promise<boolean> {
  const idle = await idleOf(mark, options);
  if (idle === undefined) return false;
  if (idle < LIVE_AFTER_USE_MS) return true;
  const state = stateOf(mark.holder);
  if (state === "dead") return false;
  if (!options.isClockTrusted) return true;
  if (state === "elsewhere") return idle < ELSEWHERE_MAX_IDLE_MS;
  // Nobody made a mark before there was a process to make it, whatever the clock was then.
  return Math.min(idle, holderAge(mark.holder)) < HELD_MAX_IDLE_MS;
}

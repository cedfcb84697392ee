import { randomBytes } from "node:crypto";
import { lstatSync, readdirSync } from "node:fs";
import { open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../archive-error.ts";
import { holderStates, ownHolder } from "../files/holder.ts";
import { removalName, removerOf } from "../files/layout.ts";

/*
 * Who removes something from a conversation says so first, by a file in its folder, and asks then
 * whether the conversation is live. Who comes to use it marks it first, and looks for such a file
 * then. Whatever the order, one of the two sees the other: either nothing is removed, or whoever
 * came waits until it is over and sees what is left.
 */

/** Older ones are left from a process that nothing can be asked about. */
const MOST_AGE_MS = 60_000;
/** On a full disk removing is more urgent than saying so. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/** Does the work while everybody can see that something is being removed from this folder. */
export async function whileRemoving<T>(folder: string, work: () => Promise<T>): Promise<T> {
  const path = join(folder, removalName(ownHolder(), randomBytes(8).toString("hex")));
  try {
    await (await open(path, "wx", 0o600)).close();
  } catch (error) {
    if (!NO_ROOM.has(errorCode(error) ?? "")) throw error;
  }
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

/** Whether somebody is removing something from a folder right now. */
export function isRemoving(folder: string): boolean {
  const found = readdirSync(folder).flatMap((name) => {
    const holder = removerOf(name);
    return holder === undefined ? [] : [{ holder, path: join(folder, name) }];
  });
  if (found.length === 0) return false;
  const stateOf = holderStates();
  return found.some(({ holder, path }) => stateOf(holder) !== "dead" && isRecent(path));
}

function isRecent(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && Math.abs(Date.now() - stats.mtimeMs) < MOST_AGE_MS;
}

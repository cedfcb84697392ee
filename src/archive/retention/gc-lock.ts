import { randomBytes } from "node:crypto";
import { lstat, rename, unlink } from "node:fs/promises";
import { join } from "node:path";
import { errorCode } from "../archive-error.ts";
import { createFile, giveName, readPlainFile } from "../files/durable-file.ts";
import { HOLDER, holderStates, ownHolder } from "../files/holder.ts";
import { collectorsName } from "../files/layout.ts";

const LOCK = ".gc.lock";
const WHOLE_HOLDER = new RegExp(`^${HOLDER.source}$`);
/** No collection takes as long; its process was on another machine that is gone. */
const STALE_MS = 60 * 60 * 1000;
/** A full disk has no room for a lock, and nobody else frees it. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * Does the work unless another process is at it; `undefined` then. The lock saves work that would be
 * done twice; that nothing is lost does not depend on it.
 */
export async function whileLocked<T>(root: string, work: () => Promise<T>): Promise<T | undefined> {
  const path = join(root, LOCK);
  const isTaken =
    (await take(root, path)) || ((await breakStale(root, path)) && (await take(root, path)));
  if (!isTaken) return undefined;
  try {
    return await work();
  } finally {
    // Where it was taken for stale, somebody else has it by now.
    const holder = await holderIn(path).catch(() => undefined);
    if (holder === ownHolder()) await unlink(path).catch(() => undefined);
  }
}

/** The lock is there with the name of its holder, or not at all. */
async function take(root: string, path: string): Promise<boolean> {
  try {
    return await createFile(path, besideName(root), Buffer.from(ownHolder()));
  } catch (error) {
    if (NO_ROOM.has(errorCode(error) ?? "")) return true;
    throw error;
  }
}

async function breakStale(root: string, path: string): Promise<boolean> {
  const stale = await holderIn(path);
  if (stale === undefined || !(await isStale(path, stale))) return false;
  const away = besideName(root);
  try {
    await rename(path, away);
    const isOther = (await holderIn(away)) !== stale;
    // Somebody else broke it first, and this is the new one.
    if (isOther) giveName(away, path);
    await unlink(away);
    return !isOther;
  } catch {
    return false;
  }
}

/** What a killed process leaves under such a name, the next collection removes. */
function besideName(root: string): string {
  return join(root, collectorsName(ownHolder(), randomBytes(8).toString("hex")));
}

async function isStale(path: string, holder: string): Promise<boolean> {
  const stats = await lstat(path).catch(() => undefined);
  if (stats === undefined) return false;
  const state = WHOLE_HOLDER.test(holder) ? holderStates()(holder) : "elsewhere";
  const age = Math.abs(Date.now() - stats.mtimeMs);
  return state === "dead" || (state === "elsewhere" && age > STALE_MS);
}

/** What a lock says; `undefined` when it is gone. A symbolic link in its place is an error. */
async function holderIn(path: string): Promise<string | undefined> {
  const bytes = await readPlainFile(path);
  return bytes?.toString("utf8");
}

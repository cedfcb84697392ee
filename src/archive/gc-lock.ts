import { randomBytes } from "node:crypto";
import { readFile, rename, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import { createFile } from "./durable-file.ts";
import { HOLDER, holderState, ownHolder } from "./holder.ts";
import { unnamedLock } from "./layout.ts";

const LOCK = ".gc.lock";
const WHOLE_HOLDER = new RegExp(`^${HOLDER.source}$`);
/** No collection takes as long; its process was on another machine that is gone. */
const STALE_MS = 60 * 60 * 1000;

/** Does the work unless another process is at it; `undefined` then. */
export async function whileLocked<T>(root: string, work: () => Promise<T>): Promise<T | undefined> {
  const path = join(root, LOCK);
  const isTaken =
    (await take(root, path)) || ((await breakStale(path)) && (await take(root, path)));
  if (!isTaken) return undefined;
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

/** The lock is there with the name of its holder, or not at all. */
async function take(root: string, path: string): Promise<boolean> {
  const holder = ownHolder();
  const beside = join(root, unnamedLock(holder, randomBytes(8).toString("hex")));
  return createFile(path, beside, Buffer.from(holder));
}

/** Of several processes that see the same stale lock, only one can move it away. */
async function breakStale(path: string): Promise<boolean> {
  if (!(await isStale(path))) return false;
  const away = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    await rename(path, away);
    await unlink(away);
    return true;
  } catch {
    return false;
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const age = Math.abs(Date.now() - (await stat(path)).mtimeMs);
    const holder = await readFile(path, "utf8");
    const state = WHOLE_HOLDER.test(holder) ? holderState(holder) : "elsewhere";
    return state === "dead" || (state === "elsewhere" && age > STALE_MS);
  } catch {
    // It is gone: whoever had it is done.
    return true;
  }
}

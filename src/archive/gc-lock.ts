import { open, readFile, rename, stat, unlink } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { errorCode } from "./archive-error.ts";
import { HOLDER, holderState, ownHolder } from "./holder.ts";

const LOCK = ".gc.lock";
const WHOLE_HOLDER = new RegExp(`^${HOLDER.source}$`);
/** No collection takes as long; its process hangs, or it was on another machine that is gone. */
const STALE_MS = 60 * 60 * 1000;
/** From its making to its first byte a lock has no holder yet. */
const UNNAMED_MS = 10_000;

/** Does the work unless another process is at it; `undefined` then. */
export async function whileLocked<T>(root: string, work: () => Promise<T>): Promise<T | undefined> {
  const path = join(root, LOCK);
  if (!(await take(path)) && !((await breakStale(path)) && (await take(path)))) return undefined;
  try {
    return await work();
  } finally {
    await unlink(path).catch(() => undefined);
  }
}

async function take(path: string): Promise<boolean> {
  try {
    const file = await open(path, "wx", 0o600);
    await file.writeFile(ownHolder()).finally(() => file.close());
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
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
    if (!WHOLE_HOLDER.test(holder)) return age > UNNAMED_MS;
    return holderState(holder) === "dead" || (holderState(holder) !== "alive" && age > STALE_MS);
  } catch {
    // It is gone: whoever had it is done.
    return true;
  }
}

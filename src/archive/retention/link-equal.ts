import { createHash, randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { link, rename, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { handleKind } from "../../core/message/index.ts";
import { markUsed } from "../files/durable-file.ts";
import { temporaryName } from "../files/layout.ts";
import type { OriginalFile } from "../files/list-files.ts";
import { fill } from "../open-original.ts";
import { openPlainFile } from "../files/plain-file.ts";

/** What linking saved. */
export interface Linked {
  readonly files: number;
  readonly bytes: number;
}

/**
 * Makes equal files one file with several names, so that the same bytes are stored once. Only what
 * can be equal is read: files of one size that have the same digits, or were never hashed.
 */
export async function linkEqualFiles(
  files: readonly OriginalFile[],
  { now, isDryRun }: { readonly now: number; readonly isDryRun: boolean },
): Promise<Linked> {
  const freed = new Map<string, number>();
  let count = 0;
  for (const group of candidates(files.filter((each) => !mayGrow(each, now)))) {
    for (const [keeper, other] of await equalPairs(group)) {
      if (!isDryRun && !(await replaceByLink(keeper, other))) continue;
      freed.set(inode(other), other.stats.size);
      count++;
    }
  }
  return { files: count, bytes: [...freed.values()].reduce((sum, bytes) => sum + bytes, 0) };
}

/** A process in the background may still write what was spilled straight into its file. */
const QUIET_MS = 60 * 60 * 1000;

/** One output must never turn up in another conversation because both were equal once. */
function mayGrow({ handle, stats }: OriginalFile, now: number): boolean {
  return handleKind(handle) === "run" && Math.abs(now - stats.mtimeMs) < QUIET_MS;
}

/** Groups of files that may be equal and are not all one file already. */
function candidates(files: readonly OriginalFile[]): readonly (readonly OriginalFile[])[] {
  const bySize = groupBy(files, ({ stats }) => `${stats.dev}:${stats.size}`);
  const groups: (readonly OriginalFile[])[] = [];
  for (const group of bySize.values()) {
    if (group.length < 2 || group[0]?.stats.size === 0) continue;
    const hasRun = group.some(({ handle }) => handleKind(handle) === "run");
    const parts = hasRun ? [group] : groupBy(group, ({ handle }) => handle.slice(-16)).values();
    for (const part of parts) {
      if (new Set(part.map(inode)).size > 1) groups.push(part);
    }
  }
  return groups;
}

/** The oldest of equal files, whose time stays, with each of the others. */
async function equalPairs(
  group: readonly OriginalFile[],
): Promise<readonly (readonly [OriginalFile, OriginalFile])[]> {
  const digests = new Map<string, string>();
  for (const each of group) {
    const key = inode(each);
    if (!digests.has(key)) digests.set(key, (await digestOf(each.path)) ?? each.path);
  }
  const oldestFirst = group.toSorted((a, b) => a.stats.mtimeMs - b.stats.mtimeMs);
  const equal = groupBy(oldestFirst, (each) => digests.get(inode(each)) as string);
  return [...equal.values()].flatMap(([keeper, ...others]) =>
    others.flatMap((other) =>
      keeper === undefined || inode(keeper) === inode(other) ? [] : [[keeper, other] as const],
    ),
  );
}

async function digestOf(path: string): Promise<string | undefined> {
  const file = await openPlainFile(path).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    const hash = createHash("sha256");
    const block = Buffer.alloc(1_048_576);
    for (let at = 0; ;) {
      const count = await fill(file, at, block);
      if (count === 0) return hash.digest("hex");
      hash.update(block.subarray(0, count));
      at += count;
      await nextTurn();
    }
  } catch {
    return undefined;
  } finally {
    await file.close();
  }
}

function inode({ stats }: OriginalFile): string {
  return `${stats.dev}:${stats.ino}`;
}

function groupBy<T>(list: readonly T[], keyOf: (each: T) => string): ReadonlyMap<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const each of list) {
    const key = keyOf(each);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return groups;
}

/** What somebody wrote, or put there, since it was read may not be equal any more. */
function isSettled({ path, stats }: OriginalFile): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (now?.ino !== stats.ino || now.size !== stats.size) return false;
  // Noting a use moves the time within its millisecond.
  return Math.trunc(now.mtimeMs) === Math.trunc(stats.mtimeMs);
}

/** A file system without links, or with too many on one file, keeps both. */
async function replaceByLink(keeper: OriginalFile, other: OriginalFile): Promise<boolean> {
  const name = temporaryName(other.handle, randomBytes(8).toString("hex"));
  const beside = join(dirname(other.path), name);
  const usedAt = Math.max(keeper.stats.atimeMs, other.stats.atimeMs, other.stats.mtimeMs);
  try {
    if (!isSettled(keeper) || !isSettled(other)) return false;
    await link(keeper.path, beside);
    await rename(beside, other.path);
    await markUsed(keeper.path, usedAt, keeper.stats);
    return true;
  } catch {
    await unlink(beside).catch(() => undefined);
    return false;
  }
}

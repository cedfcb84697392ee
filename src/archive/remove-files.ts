import { randomBytes } from "node:crypto";
import { lstat, rename, rmdir, unlink } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { StoredBytes } from "./choose-garbage.ts";
import { giveName } from "./durable-file.ts";
import { holderState } from "./holder.ts";
import { handleOfFile, writerOf, isFolderName, temporaryName } from "./layout.ts";
import { entriesOf } from "./list-files.ts";
import { isLive, type LiveOptions, removeDeadMarks } from "./live.ts";

/** So many originals are moved away before it is asked again who is live. */
const BATCH = 256;

/**
 * Removes originals, and returns those that are gone. A conversation can become live meanwhile and
 * find an original that is about to go. So each file first loses its name, and then it is asked
 * again who is live: who found the file had marked the conversation before, and gets it back; who
 * comes later does not find it and stores it anew.
 */
export async function removeFiles(
  chosen: readonly StoredBytes[],
  times: LiveOptions,
): Promise<readonly StoredBytes[]> {
  const removed: StoredBytes[] = [];
  for (let at = 0; at < chosen.length; at += BATCH) {
    const batch = chosen.slice(at, at + BATCH);
    const moved = await Promise.all(
      batch.map(async (each) => ({ each, files: await moveAway(each.paths) })),
    );
    const live = await liveFolders(batch, times);
    for (const { each, files } of moved) {
      const isBack = each.paths.some((path) => live.has(conversationOf(path)));
      await Promise.all(files.map((file) => (isBack ? moveBack(file) : unlink(file.away))));
      if (!isBack) removed.push(each);
    }
  }
  return removed;
}

interface Moved {
  readonly path: string;
  readonly away: string;
}

async function moveAway(paths: readonly string[]): Promise<readonly Moved[]> {
  const moved: Moved[] = [];
  for (const path of paths) {
    const handle = handleOfFile(basename(dirname(path)), basename(path));
    if (handle === undefined) continue;
    const away = join(dirname(path), temporaryName(handle, randomBytes(8).toString("hex")));
    // Gone already, by somebody's own hand: nothing to remove.
    if (await succeeds(rename(path, away))) moved.push({ path, away });
  }
  return moved;
}

/** What was stored anew meanwhile is the same, and stays. */
async function moveBack({ path, away }: Moved): Promise<void> {
  giveName(away, path);
  await unlink(away).catch(() => undefined);
}

async function liveFolders(
  batch: readonly StoredBytes[],
  times: LiveOptions,
): Promise<ReadonlySet<string>> {
  const folders = new Set(batch.flatMap(({ paths }) => paths.map(conversationOf)));
  const live = new Set<string>();
  for (const folder of folders) if (await isLive(folder, times)) live.add(folder);
  return live;
}

/** The folder of the conversation that a file belongs to: two above it. */
function conversationOf(path: string): string {
  return dirname(dirname(path));
}

/** About a writer on another machine nothing can be asked. */
const ELSEWHERE_MAX_AGE_MS = 24 * 60 * 60 * 1000;

/**
 * Removes what ended processes left in a conversation's folder, and the folder of a conversation
 * that is not live and has nothing in it any more. A file that is none of ours keeps its folder.
 */
export async function tidyFolder(folder: string, root: string, times: LiveOptions): Promise<void> {
  await removeDeadMarks(folder, times);
  for (const { name } of await entriesOf(folder)) {
    if (await isLeftFile(join(folder, name), times)) await succeeds(unlink(join(folder, name)));
  }
  if (folder === root || (await isLive(folder, times))) return;
  for (const { name } of await entriesOf(folder)) {
    if (isFolderName(name)) await succeeds(rmdir(join(folder, name)));
  }
  await succeeds(rmdir(folder));
}

async function isLeftFile(path: string, { now, isClockTrusted }: LiveOptions): Promise<boolean> {
  const holder = writerOf(basename(path));
  if (holder === undefined) return false;
  const state = holderState(holder);
  if (state !== "elsewhere") return state === "dead";
  const stats = await lstat(path).catch(() => undefined);
  return isClockTrusted && stats !== undefined && now - stats.mtimeMs > ELSEWHERE_MAX_AGE_MS;
}

async function succeeds(work: Promise<unknown>): Promise<boolean> {
  try {
    await work;
    return true;
  } catch {
    return false;
  }
}

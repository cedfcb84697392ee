import { lstat, rmdir, unlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { errorCode } from "../archive-error.ts";
import type { StoredBytes } from "./choose-garbage.ts";
import { holderStates } from "../files/holder.ts";
import { JOURNAL_FILE } from "../files/journal-file.ts";
import { isFolderName, ownerOf } from "../files/layout.ts";
import { entriesOf } from "../files/list-files.ts";
import { isLive, type LiveOptions, removeDeadMarks, removeIdleMarks } from "./live.ts";
import { whileRemoving } from "./removals.ts";

/** So many originals are removed before it is asked again who is live. */
const BATCH = 256;

/** What was removed, and what could not be. */
export interface Removed {
  /** The paths that are gone. */
  readonly gone: ReadonlySet<string>;
  /** The system's codes for those that are not. */
  readonly failures: string[];
}

/**
 * Removes originals, conversation by conversation. One that became live meanwhile keeps all that is
 * still there; whoever comes to use one while it loses something waits until that is over.
 */
export async function removeFiles(
  chosen: readonly StoredBytes[],
  times: LiveOptions,
): Promise<Removed> {
  const gone = new Set<string>();
  const failures: string[] = [];
  for (const [folder, paths] of byConversation(chosen)) {
    for (let at = 0; at < paths.length; at += BATCH) {
      const batch = paths.slice(at, at + BATCH);
      const isDone = await whileRemoving(folder, async () => {
        if (await isLive(folder, times)) return false;
        const codes = await Promise.all(batch.map(removeName));
        batch.forEach((path, index) => codes[index] === undefined && gone.add(path));
        failures.push(...codes.filter((code) => code !== undefined));
        return true;
      }).catch((error: unknown) => {
        failures.push(errorCode(error) ?? "unknown");
        return false;
      });
      if (!isDone) break;
    }
  }
  return { gone, failures };
}

function byConversation(chosen: readonly StoredBytes[]): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>();
  for (const path of chosen.flatMap(({ paths }) => paths)) {
    const folder = conversationOf(path);
    const group = groups.get(folder);
    if (group === undefined) groups.set(folder, [path]);
    else group.push(path);
  }
  return groups;
}

/** The folder of the conversation that a file belongs to: two above it. */
function conversationOf(path: string): string {
  return dirname(dirname(path));
}

/** The system's code if a name is still there afterwards. */
async function removeName(path: string): Promise<string | undefined> {
  try {
    await unlink(path);
    return undefined;
  } catch (error) {
    const code = errorCode(error) ?? "unknown";
    return code === "ENOENT" ? undefined : code;
  }
}

/** About a writer on another machine nothing can be asked. */
const ELSEWHERE_MAX_AGE_MS = 24 * 60 * 60 * 1000;

/** When it is, and how old a journal that names nothing may become. */
export interface TidyOptions extends LiveOptions {
  readonly maxAgeMs: number;
}

/**
 * Removes what ended processes left in a conversation's folder, and the folder of a conversation
 * that is not live and has nothing in it any more. A file that is none of ours keeps its folder.
 */
export async function tidyFolder(folder: string, root: string, times: TidyOptions): Promise<void> {
  const areIdle = await removeDeadMarks(folder, times);
  await removeLeftFiles(folder, times);
  const canGo = folder !== root && !(await isLive(folder, times));
  if (!areIdle && !canGo) return;
  const isEmpty = await whileRemoving(folder, async () => {
    await removeIdleMarks(folder, times);
    if (!canGo || (await isLive(folder, times))) return false;
    for (const { name } of await entriesOf(folder)) {
      if (isFolderName(name)) await rmdir(join(folder, name)).catch(() => undefined);
    }
    await removeOldJournal(folder, times);
    return true;
  });
  // Only now: it had one more file in it. Who came meanwhile has one in it as well.
  if (isEmpty) await rmdir(folder).catch(() => undefined);
}

/** A journal goes when what it names is gone, and it is as old as that. */
async function removeOldJournal(
  folder: string,
  { now, isClockTrusted, maxAgeMs }: TidyOptions,
): Promise<void> {
  const hasOriginals = (await entriesOf(folder)).some(({ name }) => isFolderName(name));
  const path = join(folder, JOURNAL_FILE);
  const stats = hasOriginals ? undefined : await lstat(path).catch(() => undefined);
  if (stats?.isFile() !== true || !isClockTrusted || now - stats.mtimeMs <= maxAgeMs) return;
  await unlink(path).catch(() => undefined);
}

async function removeLeftFiles(
  folder: string,
  { now, isClockTrusted }: LiveOptions,
): Promise<void> {
  const stateOf = holderStates();
  for (const { name } of await entriesOf(folder)) {
    const holder = ownerOf(name);
    const state = holder === undefined ? "alive" : stateOf(holder);
    if (state === "alive") continue;
    const path = join(folder, name);
    const stats = state === "dead" ? undefined : await lstat(path).catch(() => undefined);
    const age = stats === undefined ? Infinity : now - stats.mtimeMs;
    const isLeft = state === "dead" || (isClockTrusted && age > ELSEWHERE_MAX_AGE_MS);
    if (isLeft) await unlink(path).catch(() => undefined);
  }
}

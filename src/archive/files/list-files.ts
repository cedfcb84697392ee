import { type Dirent, lstatSync, type Stats, unlinkSync } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { type Handle, handleKind } from "../../core/message/index.ts";
import { errorCode } from "../archive-error.ts";
import type { ArchiveEntry } from "../archive.ts";
import { CONVERSATIONS } from "./conversation.ts";
import { checkFolder } from "./durable-file.ts";
import { handleOfFile, isFolderName, isTemporaryName } from "./layout.ts";
import { createTurns } from "./turns.ts";

/** A file of an archive and the facts about it. */
export interface OriginalFile {
  readonly handle: Handle;
  readonly path: string;
  readonly stats: Stats;
}

/** A writer that is alive is done sooner. */
const TEMPORARY_MAX_AGE_MS = 60 * 60 * 1000;

/**
 * All originals below one conversation's folder, in no order. The facts of a file are asked for
 * without a detour over other threads, which takes a quarter of the time for 100,000 files; between
 * two files others get their turn.
 */
export async function originalFiles(root: string): Promise<readonly OriginalFile[]> {
  const files: OriginalFile[] = [];
  const turn = createTurns();
  for (const folder of await entriesOf(root)) {
    if (!folder.isDirectory() || !isFolderName(folder.name)) continue;
    const path = join(root, folder.name);
    for (const { name } of await entriesOf(path)) {
      const file = originalFile(path, folder.name, name);
      if (file !== undefined) files.push(file);
      await turn();
    }
  }
  return files;
}

/**
 * The folders of all conversations in an archive, the default one first. Throws a system error if a
 * symbolic link or a file stands where they are.
 */
export async function conversationFolders(root: string): Promise<readonly string[]> {
  const below = join(root, CONVERSATIONS);
  const stats = statsOf(below);
  if (stats === undefined) return [root];
  checkFolder(below, stats);
  const entries = await entriesOf(below);
  const folders = entries.filter((each) => each.isDirectory());
  return [root, ...folders.map(({ name }) => join(below, name))];
}

/** What is in a folder; nothing if it is not there. A link to a folder is no folder of ours. */
export async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

/** Oldest first; those of the same time in the order of their handles. */
export function entriesOfFiles(files: readonly OriginalFile[]): readonly ArchiveEntry[] {
  return files
    .map(({ handle, path, stats }) => entryOf(handle, path, stats))
    .sort((a, b) => a.storedAt - b.storedAt || (a.handle < b.handle ? -1 : 1));
}

export function entryOf(handle: Handle, path: string, stats: Stats): ArchiveEntry {
  const storedAt = Math.trunc(stats.mtimeMs);
  return { handle, kind: handleKind(handle), bytes: stats.size, storedAt, path };
}

function originalFile(path: string, folder: string, name: string): OriginalFile | undefined {
  const handle = handleOfFile(folder, name);
  if (handle === undefined && !isTemporaryName(name)) return undefined;
  const file = join(path, name);
  const stats = statsOf(file);
  if (stats?.isFile() !== true) return undefined;
  if (handle !== undefined) return { handle, path: file, stats };
  if (Date.now() - stats.mtimeMs > TEMPORARY_MAX_AGE_MS) removeFile(file);
  return undefined;
}

/** It may be gone by now: another process removes files too. */
function statsOf(file: string): Stats | undefined {
  try {
    return lstatSync(file, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function removeFile(file: string): void {
  try {
    unlinkSync(file);
  } catch {
    // Somebody else was quicker, or it is not ours to remove.
  }
}

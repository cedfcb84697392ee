import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  renameSync,
  type Stats,
  unlinkSync,
  write,
} from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { lstat, mkdir, open, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode, systemError } from "../archive-error.ts";

/*
 * What takes a file system some 10 µs (a name, its facts, a descriptor) is asked for at once: by way
 * of another thread it would take ten times as long. What reads, writes or waits for the disk never is.
 */

/** Only the owner may see an archive: originals hold whatever the agent saw. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

// Windows has neither flag and no such files either.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const READ = constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
// Linux writes and syncs in one request then.
const SYNCED = process.platform === "linux" ? constants.O_DSYNC : 0;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW | SYNCED;
// A command may open its own output once more; with `O_APPEND` none of its writers is written over.
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
const CREATE_AND_READ = APPEND | NO_FOLLOW;
const writeTo = promisify(write);
const syncAll = promisify(fsync);
const syncContent = promisify(fdatasync);

/** What file systems without hard links answer. */
const NO_LINKS: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
]);

/**
 * Makes a folder and those above it that are not there, so that their names last. A symbolic link
 * in its place is an error. (The system's own recursive way reports a read-only disk as `ENOENT`.)
 */
export async function makeFolder(path: string): Promise<void> {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there !== undefined) return checkFolder(path, there);
  try {
    await newFolder(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    // Only once more: where no folder can be made at all, some file systems answer the same (`/proc`).
    await newFolder(path);
  }
}

/** A folder in one that is there; another process may make it meanwhile. */
async function newFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: FOLDER_MODE });
    await syncFolder(dirname(path));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
    checkFolder(path, await lstat(path));
  }
}

/**
 * Writes a file that is there as a whole or not at all, whatever stops the process. `false` when
 * something has its name already; that stays as it is. The name lasts once the folder is synced.
 */
export async function createFile(
  path: string,
  temporary: string,
  bytes: Uint8Array,
): Promise<boolean> {
  try {
    await writeFile(temporary, bytes);
    return giveName(temporary, path);
  } finally {
    removeFile(temporary);
  }
}

/** Writes and syncs a new file; what was written of it stays when that fails. */
export async function writeFile(path: string, bytes: Uint8Array): Promise<void> {
  const file = openSync(path, CREATE, FILE_MODE);
  try {
    await writeSynced(file, bytes);
  } finally {
    closeSync(file);
  }
}

/** In as few requests as possible: `writeFile` makes one for each 512 KB. */
async function writeSynced(file: number, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    at += (await writeTo(file, bytes, at)).bytesWritten;
  }
  if (SYNCED === 0) await syncData(file);
}

/** A new, empty file to be written and read by whoever has its descriptor. */
export function createOpenFile(path: string): number {
  return openSync(path, CREATE_AND_READ, FILE_MODE);
}

/** Makes what was written into an open file last. */
export async function syncData(file: number): Promise<void> {
  await syncContent(file);
}

/** Removes a name; nothing happens when it is gone. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The next collection sees to it.
  }
}

/** Makes the names in a folder last. Windows cannot do it and does not need it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await syncAll(folder);
  } finally {
    closeSync(folder);
  }
}

/** The facts of a plain file; `undefined` if it is not there. A symbolic link is an error. */
export function fileStats(path: string): Stats | undefined {
  try {
    checkFolder(dirname(path), lstatSync(dirname(path)));
    const stats = lstatSync(path);
    if (stats.isSymbolicLink()) throw systemError("ELOOP", path);
    if (!stats.isFile()) throw systemError("EEXIST", path);
    return stats;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** The bytes of a plain file; `undefined` if it is not there. */
export async function readPlainFile(path: string): Promise<Buffer | undefined> {
  if (fileStats(path) === undefined) return undefined;
  const file = await openIfThere(path);
  try {
    return await file?.readFile();
  } finally {
    await file?.close();
  }
}

/** It may have been removed since somebody looked. */
async function openIfThere(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, READ);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/**
 * Marks a file as used at a time (ms since the epoch). When it was stored stays the same to the
 * millisecond: half of one is added, so that no rounding on the way to the disk loses it.
 */
export async function markUsed(path: string, usedAt: number, { mtimeMs }: Stats): Promise<void> {
  await utimes(path, usedAt / 1000, (Math.trunc(mtimeMs) + 0.5) / 1000);
}

/**
 * Gives a written file its name; it may keep the temporary one as well. `false` when something has
 * the name already: a link, unlike a rename, never replaces what is there.
 */
export function giveName(temporary: string, path: string): boolean {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  if (fileStats(path) !== undefined) return false;
  renameSync(temporary, path);
  return true;
}

/** Throws for whatever is no folder, a symbolic link to one included. */
export function checkFolder(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw systemError("ELOOP", path);
  if (!stats.isDirectory()) throw systemError("ENOTDIR", path);
}

import {
  closeSync,
  constants,
  fdatasync,
  fstatSync,
  fsync,
  linkSync,
  lstatSync,
  openSync,
  read,
  readSync,
  renameSync,
  type Stats,
  unlinkSync,
  write,
  writev,
} from "node:fs";
import { lstat, mkdir, open } from "node:fs/promises";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { errorCode, systemError } from "./archive-error.ts";
import type { OriginalReader } from "./archive.ts";
import { LINE_END, lineEndsBetween, readerOf } from "./reading.ts";

/*
 * A call that takes a file system some 10 µs (a name, its facts, a descriptor) is made on this
 * thread: by way of another one it would take ten times as long. Reading, writing and syncing is not.
 */

/** Only the owner may see an archive: originals hold whatever the agent saw. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

// Windows has neither flag and no such files either.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const READ_ONLY = constants.O_RDONLY | NO_FOLLOW | (constants.O_NONBLOCK ?? 0);
// Linux writes and syncs in one request then.
const SYNCED = process.platform === "linux" ? constants.O_DSYNC : 0;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW | SYNCED;
// With `O_APPEND` no two writers of one output write over each other.
const SHARED =
  constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND | NO_FOLLOW;
const ADD = constants.O_RDWR | constants.O_CREAT | constants.O_APPEND | NO_FOLLOW;

/** Files up to this size are read on this thread. */
const SMALL_BYTES = 262_144;

const readAt = promisify(read);
const writeTo = promisify(write);
const writeAll = promisify(writev);
const syncAll = promisify(fsync);
const syncContent = promisify(fdatasync);

/** The answers of file systems without hard links. */
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

/** Throws a system error for whatever is no folder, a symbolic link to one included. */
export function checkFolder(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw systemError("ELOOP", path);
  if (!stats.isDirectory()) throw systemError("ENOTDIR", path);
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

/**
 * Writes a file that is there as a whole or not at all, whatever stops the process. `false` when
 * something has its name already; that stays as it is. The name lasts once the folder is synced.
 */
export async function createFile(
  path: string,
  temporary: string,
  content: readonly (string | Uint8Array)[],
): Promise<boolean> {
  try {
    await writeFile(temporary, content);
    return giveName(temporary, path);
  } finally {
    removeFile(temporary);
  }
}

/** Writes and syncs a new file; a part of it stays when that fails. */
export async function writeFile(
  path: string,
  content: readonly (string | Uint8Array)[],
): Promise<void> {
  const file = openSync(path, CREATE, FILE_MODE);
  try {
    // In as few requests as possible: the system's own `writeFile` makes one for each 512 KB.
    for (const some of batches(content)) {
      await writeBatch(file, some);
    }
    if (SYNCED === 0) await syncContent(file);
  } finally {
    closeSync(file);
  }
}

/** The most that the systems take at once. */
const MOST_PIECES = 1_024;
const BATCH_BYTES = 16_777_216;

/** Pieces in stretches, each of which is written in one request. */
function* batches(pieces: readonly (string | Uint8Array)[]): Iterable<readonly Uint8Array[]> {
  let batch: Uint8Array[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    const own = typeof piece === "string" ? Buffer.from(piece) : piece;
    batch.push(own);
    bytes += own.length;
    if (batch.length < MOST_PIECES && bytes < BATCH_BYTES) continue;
    yield batch;
    [batch, bytes] = [[], 0];
  }
  if (batch.length > 0) yield batch;
}

/** All of it, also where the system takes only a part at first. */
async function writeBatch(file: number, batch: readonly Uint8Array[]): Promise<void> {
  let { bytesWritten: done } = await writeAll(file, batch);
  for (const bytes of batch) {
    for (let at = done; at < bytes.length;) at += (await writeTo(file, bytes, at)).bytesWritten;
    done = Math.max(0, done - bytes.length);
  }
}

/** A new, empty file to be written and read by whoever has its descriptor. */
export function createSharedFile(path: string): number {
  return openSync(path, SHARED, FILE_MODE);
}

/** Makes the content of an open file last. */
export async function syncData(file: number): Promise<void> {
  await syncContent(file);
}

/**
 * Gives a written file its name; it may keep the temporary one as well. `false` when something has
 * the name already: a link, unlike a rename, never replaces it.
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

/** Removes a name; nothing happens when it is gone. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The next collection sees to it.
  }
}

/** Appends a line, durably, which a line that was torn before does not swallow. */
export async function appendLine(path: string, line: string): Promise<void> {
  const isNew = fileStats(path) === undefined;
  const file = await open(path, ADD, FILE_MODE);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isTorn = size > 0 && last[0] !== LINE_END;
    // In one request, whatever its length: of several, another process may be between two.
    const bytes = Buffer.from(`${isTorn ? "\n" : ""}${line}\n`);
    for (let at = 0; at < bytes.length;) at += (await file.write(bytes, at)).bytesWritten;
    await file.datasync();
  } finally {
    await file.close();
  }
  if (isNew) await syncFolder(dirname(path));
}

/** Counts the lines of a file that only grows; those counted before are not read again. */
export function createLineCount(path: string): () => Promise<number> {
  const none = { bytes: 0, lines: 0 };
  let counted = none;
  return async () => {
    const file = openPlainFile(path) ?? readerOf(new Uint8Array());
    try {
      // A smaller one was removed, and began anew.
      const { bytes, lines } = file.bytes < counted.bytes ? none : counted;
      const ends = await lineEndsBetween(file, bytes, file.bytes);
      counted = { bytes: file.bytes, lines: lines + ends };
      return lines + ends;
    } finally {
      await file.close();
    }
  };
}

/** The values in a file of JSON lines; torn ones are passed over. */
export function wholeLines(bytes: Buffer | undefined): readonly unknown[] {
  const lines = bytes?.toString("utf8").split("\n") ?? [];
  return lines.flatMap((line): unknown[] => {
    try {
      return [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}

/** The facts of a plain file; `undefined` if it is not there. A symbolic link is an error. */
export function fileStats(path: string): Stats | undefined {
  // An error that nobody sees would take longer than the call.
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isSymbolicLink() === true) throw systemError("ELOOP", path);
  if (stats?.isFile() === false) throw systemError("EEXIST", path);
  return stats;
}

/** The bytes of a plain file; `undefined` if it is not there. */
export async function readPlainFile(path: string): Promise<Buffer | undefined> {
  if (fileStats(path) === undefined) return undefined;
  try {
    const file = await open(path, READ_ONLY);
    try {
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    // Removed since somebody looked.
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

/** A plain file to be read in pieces; `undefined` if it is not there. Anything else is an error. */
export function openPlainFile(path: string): OriginalReader | undefined {
  if (fileStats(path) === undefined) return undefined;
  const fd = openSync(path, READ_ONLY);
  const { size } = fstatSync(fd);
  let isOpen = true;
  return {
    bytes: size,
    async read(from, into) {
      if (size <= SMALL_BYTES) return readSync(fd, into, 0, into.length, from);
      return (await readAt(fd, into, 0, into.length, from)).bytesRead;
    },
    async close() {
      if (isOpen) closeSync(fd);
      isOpen = false;
    },
  };
}

/** So many files may be open at once; more would not be faster and could use up the descriptors. */
export const MOST_OPEN = 16;

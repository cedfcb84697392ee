import { constants } from "node:fs";
import type { Stats } from "node:fs";
import type { FileHandle } from "node:fs/promises";
import { link, lstat, mkdir, open, rename, unlink, utimes } from "node:fs/promises";
import { dirname } from "node:path";
import { errorCode } from "./archive-error.ts";

/** Only the owner may see an archive: originals hold whatever the agent saw. */
const FOLDER_MODE = 0o700;
const FILE_MODE = 0o600;

// Windows has neither flag and no such files either.
const NO_FOLLOW = constants.O_NOFOLLOW ?? 0;
const NO_WAIT = constants.O_NONBLOCK ?? 0;
const READ = constants.O_RDONLY | NO_FOLLOW | NO_WAIT;
const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | NO_FOLLOW;
// A command may open its own output once more; with `O_APPEND` none of its writers is written over.
const APPEND = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
const CREATE_AND_READ = APPEND | NO_FOLLOW;
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
  try {
    await mkdir(path, { mode: FOLDER_MODE });
    await syncFolder(dirname(path));
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return checkFolder(path, await lstat(path));
    if (code !== "ENOENT" || dirname(path) === path) throw error;
    await makeFolder(dirname(path));
    await makeFolder(path);
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
    const file = await open(temporary, CREATE, FILE_MODE);
    try {
      await file.writeFile(bytes);
      await file.sync();
    } finally {
      await file.close();
    }
    return await giveName(temporary, path);
  } finally {
    await unlink(temporary).catch(() => undefined);
  }
}

/** A new, empty file to be written and read by whoever has its descriptor. */
export async function createOpenFile(path: string): Promise<FileHandle> {
  return open(path, CREATE_AND_READ, FILE_MODE);
}

/** Makes the names in a folder last. Windows cannot do it and does not need it. */
export async function syncFolder(path: string): Promise<void> {
  if (process.platform === "win32") return;
  const folder = await open(path, constants.O_RDONLY);
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}

/** The facts of a plain file; `undefined` if it is not there. A symbolic link is an error. */
export async function fileStats(path: string): Promise<Stats | undefined> {
  try {
    checkFolder(dirname(path), await lstat(dirname(path)));
    const stats = await lstat(path);
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
  if ((await fileStats(path)) === undefined) return undefined;
  const file = await open(path, READ);
  try {
    return await file.readFile();
  } finally {
    await file.close();
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
export async function giveName(temporary: string, path: string): Promise<boolean> {
  try {
    await link(temporary, path);
    return true;
  } catch (error) {
    const code = errorCode(error) ?? "";
    if (code === "EEXIST") return false;
    if (!NO_LINKS.has(code)) throw error;
  }
  if ((await fileStats(path)) !== undefined) return false;
  await rename(temporary, path);
  return true;
}

/** Throws for whatever is no folder, a symbolic link to one included. */
export function checkFolder(path: string, stats: Stats): void {
  if (stats.isSymbolicLink()) throw systemError("ELOOP", path);
  if (!stats.isDirectory()) throw systemError("ENOTDIR", path);
}

function systemError(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code });
}

import { createHash, randomBytes } from "node:crypto";
import { lstatSync } from "node:fs";
import { dirname, join } from "node:path";
import { type Handle, handleFor, handleKind } from "../../core/message/index.ts";
import {
  alteredOriginal,
  attempt,
  errorCode,
  missingOriginal,
  takenHandle,
} from "../archive-error.ts";
import type { ArchiveEntry, OriginalReader } from "../archive.ts";
import {
  createFile,
  fileStats,
  giveName,
  makeFolder,
  markUsed,
  readPlainFile,
  syncFolder,
} from "./durable-file.ts";
import { temporaryName } from "./layout.ts";
import { entryOf } from "./list-files.ts";
import { openPlainFile } from "./plain-file.ts";

/** A folder may be removed, because it was empty, between making it and writing into it. */
const MOST_TRIES = 3;

/** Stores an original in its file, or finds it there. */
export async function putFile(
  path: string,
  handle: Handle,
  bytes: Uint8Array,
): Promise<ArchiveEntry> {
  return attempt("write", path, async () => {
    const isThere = fileStats(path) !== undefined;
    const isNew = !isThere && (await inFolder(path, () => createOriginal(path, handle, bytes)));
    if (!isNew) await compare(path, handle, bytes);
    // Also when another process made the file: its name may not have been synced yet.
    await syncFolder(dirname(path));
    return entryOf(handle, path, lstatSync(path));
  });
}

/** Gives a file that was written elsewhere the name of a handle, which may have been stored before. */
export async function adoptFile(
  path: string,
  handle: Handle,
  { file, bytes }: { readonly file: string; readonly bytes?: Uint8Array | undefined },
): Promise<ArchiveEntry> {
  return attempt("write", path, async () => {
    const isNew = await inFolder(path, () => giveName(file, path));
    if (!isNew && bytes === undefined) throw takenHandle(handle);
    if (!isNew && bytes !== undefined) await compare(path, handle, bytes);
    await syncFolder(dirname(path));
    return entryOf(handle, path, lstatSync(path));
  });
}

/** A whole original as text. */
export async function getFile(path: string, handle: Handle): Promise<string> {
  return attempt("read", path, async () => {
    const bytes = await readPlainFile(path);
    if (bytes === undefined) throw missingOriginal(handle);
    // What was spilled and is large was never hashed.
    if (handleKind(handle) === "run") return bytes.toString("utf8");
    const digits = createHash("sha256").update(bytes).digest("hex");
    // A text that was never well-formed UTF-8 has the handle of its bytes, so those are compared.
    if (handleFor(handleKind(handle), "", () => digits) !== handle) {
      throw alteredOriginal(handle, path);
    }
    return bytes.toString("utf8");
  });
}

/** Ages are counted in days. */
const NOTED_EVERY_MS = 24 * 60 * 60 * 1000;

/** Notes that an original was used: not every file system does so by itself. Never rejects. */
export async function noteUse(path: string): Promise<void> {
  const now = Date.now();
  try {
    const stats = fileStats(path);
    if (stats === undefined) return;
    const idle = Math.abs(now - Math.max(stats.mtimeMs, stats.atimeMs));
    if (idle >= NOTED_EVERY_MS) await markUsed(path, now, stats);
  } catch {
    // Reading must work where nothing can be written.
  }
}

/** An original to be read in pieces. */
export async function readFileOf(path: string, handle: Handle): Promise<OriginalReader> {
  const reader = await attempt("read", path, () => openPlainFile(path));
  if (reader === undefined) throw missingOriginal(handle);
  return { ...reader, read: (from, into) => attempt("read", path, () => reader.read(from, into)) };
}

async function inFolder<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      await makeFolder(dirname(path));
      return await work();
    } catch (error) {
      if (errorCode(error) !== "ENOENT" || tries === MOST_TRIES) throw error;
    }
  }
}

async function createOriginal(path: string, handle: Handle, bytes: Uint8Array): Promise<boolean> {
  const beside = join(dirname(path), temporaryName(handle, randomBytes(8).toString("hex")));
  return createFile(path, beside, bytes);
}

async function compare(path: string, handle: Handle, bytes: Uint8Array): Promise<void> {
  const stored = await readPlainFile(path);
  if (stored === undefined || !stored.equals(bytes)) throw alteredOriginal(handle, path);
  // What is stored again starts its time anew.
  await markUsed(path, Date.now(), lstatSync(path)).catch(() => undefined);
}

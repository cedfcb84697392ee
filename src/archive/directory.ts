import { createHash, randomBytes } from "node:crypto";
import type { Dirent, Stats } from "node:fs";
import { lstat, readdir, unlink } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { handleFor, handleKind, isHandle } from "../core/handle/index.ts";
import type { Digest, Handle } from "../core/handle/index.ts";
import {
  alteredOriginal,
  attempt,
  errorCode,
  missingOriginal,
  takenHandle,
} from "./archive-error.ts";
import type { Archive, ArchiveEntry } from "./archive.ts";
import { concurrencyLimit } from "./concurrency-limit.ts";
import {
  createFile,
  fileStats,
  giveName,
  makeFolder,
  readPlainFile,
  syncFolder,
} from "./durable-file.ts";
import { handleOfFile, isFolderName, isTemporaryName, pathOf, temporaryName } from "./layout.ts";
import { checkedHandle, handleOfOriginal } from "./original.ts";
import { openSpill } from "./spill-file.ts";

/** So many files may be open at once; more would not be faster and could use up the descriptors. */
const MOST_OPEN = 16;
/** A writer that is alive is done sooner. */
const TEMPORARY_MAX_AGE_MS = 60 * 60 * 1000;

/**
 * An archive of plain files below `folder` (made when the first original comes), which `grep` and an
 * agent's own read tool can open. Files are written beside and linked into place, synced, and
 * readable by their owner only. Any number of processes may use one folder. `put` rejects with
 * `invalid-message` for text with half a surrogate pair, which no file can hold; `get` rejects with
 * `archive-failed` when a file was changed since, and with `limit-exceeded` for an original that is
 * too large for one string.
 */
export function directoryArchive(folder: string): Archive {
  const root = resolve(folder);
  const limited = concurrencyLimit(MOST_OPEN);
  return {
    name: "directory",
    put: async (kind, content) => {
      const handle = handleOfOriginal(kind, content, sha256);
      return limited(() => putFile(pathOf(root, handle), handle, Buffer.from(content, "utf8")));
    },
    get: async (text) => {
      const handle = checkedHandle(text);
      return limited(() => getFile(pathOf(root, handle), handle));
    },
    has: async (handle) => {
      if (!isHandle(handle)) return false;
      const path = pathOf(root, handle);
      return (await attempt("look for", path, () => fileStats(path))) !== undefined;
    },
    list: () => attempt("list", root, () => listFiles(root)),
    open: () =>
      openSpill({
        root,
        store: (handle, bytes) => putFile(pathOf(root, handle), handle, bytes),
        adopt: (handle, file) => adoptFile(pathOf(root, handle), handle, file),
      }),
  };
}

const sha256: Digest = (text) => createHash("sha256").update(text, "utf8").digest("hex");

async function putFile(path: string, handle: Handle, bytes: Buffer): Promise<ArchiveEntry> {
  return attempt("write", path, async () => {
    const isThere = (await fileStats(path)) !== undefined;
    const isNew = !isThere && (await createOriginal(path, handle, bytes));
    if (!isNew) await compare(path, handle, bytes);
    // Also when another process made the file: its name may not have been synced yet.
    await syncFolder(dirname(path));
    return entryOf(handle, path, await lstat(path));
  });
}

async function createOriginal(path: string, handle: Handle, bytes: Buffer): Promise<boolean> {
  const folder = dirname(path);
  await makeFolder(folder);
  const beside = join(folder, temporaryName(handle, randomBytes(8).toString("hex")));
  return createFile(path, beside, bytes);
}

async function adoptFile(path: string, handle: Handle, file: string): Promise<ArchiveEntry> {
  return attempt("write", path, async () => {
    await makeFolder(dirname(path));
    if (!(await giveName(file, path))) throw takenHandle(handle);
    await syncFolder(dirname(path));
    return entryOf(handle, path, await lstat(path));
  });
}

async function compare(path: string, handle: Handle, bytes: Buffer): Promise<void> {
  const stored = await readPlainFile(path);
  if (stored === undefined || !stored.equals(bytes)) throw alteredOriginal(handle, path);
}

async function getFile(path: string, handle: Handle): Promise<string> {
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

async function listFiles(root: string): Promise<readonly ArchiveEntry[]> {
  const folders = (await entriesOf(root)).filter((each) => each.isDirectory());
  const entries: ArchiveEntry[] = [];
  for (const { name } of folders) {
    if (isFolderName(name)) entries.push(...(await listFolder(root, name)));
  }
  return entries.sort((a, b) => a.storedAt - b.storedAt || (a.handle < b.handle ? -1 : 1));
}

async function listFolder(root: string, folder: string): Promise<readonly ArchiveEntry[]> {
  const path = join(root, folder);
  const found = await Promise.all(
    (await entriesOf(path)).map(async ({ name }) => {
      const handle = handleOfFile(folder, name);
      if (handle === undefined && !isTemporaryName(name)) return [];
      const file = join(path, name);
      // It may be gone by now: another process removes files too.
      const stats = await lstat(file).catch(() => undefined);
      if (stats?.isFile() !== true) return [];
      if (handle !== undefined) return [entryOf(handle, file, stats)];
      if (Date.now() - stats.mtimeMs > TEMPORARY_MAX_AGE_MS) {
        await unlink(file).catch(() => undefined);
      }
      return [];
    }),
  );
  return found.flat();
}

async function entriesOf(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

function entryOf(handle: Handle, path: string, stats: Stats): ArchiveEntry {
  const storedAt = Math.trunc(stats.mtimeMs);
  return { handle, kind: handleKind(handle), bytes: stats.size, storedAt, path };
}

import type { Dirent } from "node:fs";
import { lstat, readFile, rename, rmdir, unlink } from "node:fs/promises";
import { basename, join } from "node:path";
import { errorCode } from "./archive-error.ts";
import {
  COLLECTION_FOLDER,
  entriesIn,
  isOwnFile,
  isTemporary,
  JOURNAL_FILE,
  STAMP_FILE,
  type StoredFile,
} from "./conversation.ts";
import { randomDigits } from "./digest.ts";
import { appendLine, giveName } from "./files.ts";
import { NAMES_FILE } from "./named.ts";

/*
 * A conversation is kept or removed as a whole. Its stamp says when it was used last: every process
 * that uses it renews the stamp once a minute. A collection moves the folder away first (`.gc` is its
 * place) and looks at the stamp once more then: whoever came into use meanwhile gets it back at once.
 */

export interface Removal {
  readonly root: string;
  /** A conversation that was used within this time stays. */
  readonly minAgeMs: number;
  /** The system's codes for what could not be removed. */
  readonly failures: string[];
}

/** `false` for one that stays: it came into use, or a part of it cannot be removed. */
export async function removeConversation(name: string, removal: Removal): Promise<boolean> {
  const { root, failures } = removal;
  const away = join(root, COLLECTION_FOLDER, `${name}.${randomDigits()}`);
  try {
    await rename(join(root, name), away);
    return await finishRemoval(away, removal);
  } catch (error) {
    return note(failures, error);
  }
}

const AWAY = /\.[0-9a-f]{16}$/;

/** Ends the work of a collection that was killed. */
export async function finishRemovals(removal: Removal): Promise<void> {
  const folder = join(removal.root, COLLECTION_FOLDER);
  for (const entry of await entriesIn(folder)) {
    if (!entry.isDirectory() || !AWAY.test(entry.name)) continue;
    await finishRemoval(join(folder, entry.name), removal).catch((error: unknown) =>
      note(removal.failures, error),
    );
  }
}

async function finishRemoval(
  away: string,
  { root, minAgeMs, failures }: Removal,
): Promise<boolean> {
  const folder = join(root, basename(away).replace(AWAY, ""));
  const stamp = await lstat(join(away, STAMP_FILE)).catch(() => undefined);
  if (stamp !== undefined && Math.abs(Date.now() - stamp.mtimeMs) < minAgeMs) {
    await putBack(away, folder);
    return false;
  }
  const names = (await entriesIn(away)).map(({ name }) => name).filter(isOwnFile);
  const before = failures.length;
  for (const name of names.filter((each) => each !== STAMP_FILE)) {
    await unlink(join(away, name)).catch((error: unknown) => note(failures, error));
  }
  const isGone = failures.length === before;
  // The stamp last: with it the rest can still be found.
  if (isGone) await unlink(join(away, STAMP_FILE)).catch((error: unknown) => note(failures, error));
  // A file that is none of ours keeps its folder.
  await rmdir(away).catch(() => putBack(away, folder));
  return isGone;
}

/** A file that is gone already is no failure. */
function note(failures: string[], error: unknown): false {
  const code = errorCode(error) ?? "unknown";
  if (code !== "ENOENT") failures.push(code);
  return false;
}

/** Into the folder that somebody made meanwhile, if there is one. */
async function putBack(away: string, folder: string): Promise<void> {
  try {
    await rename(away, folder);
    return;
  } catch (error) {
    if (errorCode(error) === "ENOENT") return;
  }
  for (const entry of await entriesIn(away)) {
    const [from, to] = [join(away, entry.name), join(folder, entry.name)];
    await (isOwnFile(entry.name) ? putOwnBack(from, to) : putForeignBack(from, to, entry));
  }
  await rmdir(away);
}

const LISTS: ReadonlySet<string> = new Set([JOURNAL_FILE, NAMES_FILE]);

/** Equal names of ours are equal originals, and of two lists both are kept. */
async function putOwnBack(from: string, to: string): Promise<void> {
  if (!giveName(from, to) && LISTS.has(basename(from))) {
    await appendLine(to, (await readFile(from, "utf8")).trimEnd());
  }
  await unlink(from).catch(() => undefined);
}

/** Codes for a name that another file or folder has. */
const TAKEN: ReadonlySet<string> = new Set(["EEXIST", "ENOTEMPTY", "ENOTDIR", "ELOOP"]);

/** A foreign file may be another one of the same name: it takes the next name that is free. */
async function putForeignBack(from: string, to: string, entry: Dirent): Promise<void> {
  for (let next = 1, name = to; ; name = `${to}.${next++}`) {
    try {
      if (entry.isDirectory()) return await rename(from, name);
      if (giveName(from, name)) return await unlink(from);
    } catch (error) {
      if (!TAKEN.has(errorCode(error) ?? "")) throw error;
    }
  }
}

/** A writer that is alive is done sooner, or writes into its file meanwhile. */
const LEFT_AFTER_MS = 24 * 60 * 60 * 1000;

/** Removes what killed processes had begun to write. */
export async function removeLeftFiles(files: readonly StoredFile[]): Promise<void> {
  for (const { name, path, stats } of files) {
    const isLeft = isTemporary(name) && Date.now() - stats.mtimeMs > LEFT_AFTER_MS;
    if (isLeft) await unlink(path).catch(() => undefined);
  }
}

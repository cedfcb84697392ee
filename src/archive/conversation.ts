import {
  closeSync,
  constants,
  type Dirent,
  lstatSync,
  lutimesSync,
  openSync,
  type Stats,
} from "node:fs";
import { readdir } from "node:fs/promises";
import { basename, join } from "node:path";
import { setImmediate as nextTurn } from "node:timers/promises";
import { ContextError } from "../core/error.ts";
import { handleKind, isHandle, type Handle, type OriginalKind } from "../core/message/handle.ts";
import { isWellFormed } from "../core/text/utf8.ts";
import { errorCode } from "./archive-error.ts";
import type { ArchiveEntry } from "./archive.ts";
import { randomDigits, sha256Hex } from "./digest.ts";
import { checkFolder, createFile, makeFolder, readPlainFile, wholeLines } from "./files.ts";
import { addNamer, type Namer, NAMES_FILE } from "./named.ts";

/*
 * `<folder>/<conversation>/<handle>.<extension>`: everything of one conversation is in its folder, so
 * nothing else can be reached through it, and forgetting it is removing the folder. Beside the
 * originals stand its journal, `.named` (named.ts), `.used`, an empty file whose time is that of the
 * last use, and `.id`, which has the id of a conversation whose folder has another name.
 */

/** The journal of a conversation, one JSON value a line. */
export const JOURNAL_FILE = "journal.jsonl";
/** The file by whose time a collection knows when a conversation was used last. */
export const STAMP_FILE = ".used";
const ID_FILE = ".id";
/** Begins with a dot, as no conversation does. */
export const COLLECTION_FOLDER = ".gc";
const DEFAULT_CONVERSATION = "default";

const EXTENSIONS: Readonly<Record<OriginalKind, string>> = {
  out: "txt",
  parts: "json",
  in: "txt",
  msg: "txt",
  head: "jsonl",
  run: "txt",
};
/** Names that can be told apart on every file system, whatever it thinks of upper case. */
const PLAIN = /^[a-z0-9][a-z0-9_-]{0,63}$/;
/** Windows keeps these for devices. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)$/;
const TEMPORARY = /^\.(?:spill|write)\.[0-9a-f]{16}\.tmp$/;

/** The folder of a conversation; any text can be its id, and no two ids share a folder. */
export function conversationFolder(root: string, id: string = DEFAULT_CONVERSATION): string {
  return join(root, conversationName(id));
}

/** The id itself where it can be a file's name, else the readable part of it and its digest. */
function conversationName(id: string): string {
  if (PLAIN.test(id) && !DEVICE.test(id)) return id;
  const readable = id
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, "-")
    .slice(0, 32);
  // Half a surrogate pair has no bytes in UTF-8 and would be the same as any other.
  const bytes = isWellFormed(id) ? id : JSON.stringify(id);
  const digits = sha256Hex(bytes).slice(0, 16);
  return `${readable}~${digits}`;
}

/** Only a handle can become a path. */
export function pathOf(folder: string, handle: Handle): string {
  return join(folder, `${handle}.${EXTENSIONS[handleKind(handle)]}`);
}

/** The handle of a file; `undefined` for a file that is no original. */
function handleOfFile(name: string): Handle | undefined {
  const handle = name.slice(0, Math.max(0, name.indexOf(".")));
  return isHandle(handle) && pathOf("", handle) === name ? handle : undefined;
}

/** Told apart by these from the temporary files of other processes, which a file never replaces. */
const OWN_DIGITS = randomDigits().slice(0, 10);
let lastTemporary = 0;

/** A new name for a file that is still being written. */
export function temporaryPath(folder: string, what: "spill" | "write"): string {
  lastTemporary = (lastTemporary + 1) % 0x1000000;
  const count = lastTemporary.toString(16).padStart(6, "0");
  return join(folder, `.${what}.${OWN_DIGITS}${count}.tmp`);
}

export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

const FIXED_NAMES: ReadonlySet<string> = new Set([JOURNAL_FILE, STAMP_FILE, NAMES_FILE, ID_FILE]);

/** Files of the archive's own, which may be removed with the conversation. */
export function isOwnFile(name: string): boolean {
  return FIXED_NAMES.has(name) || isTemporary(name) || handleOfFile(name) !== undefined;
}

/** Throws a system error if a symbolic link or a file stands in the place of a folder. */
export function checkPlace(folder: string): void {
  const stats = lstatSync(folder, { throwIfNoEntry: false });
  if (stats !== undefined) checkFolder(folder, stats);
}

/** A use of a conversation; only a write makes its folder. */
export type Use = "read" | "write";

/** Nobody needs to know the last use more exactly. */
const NOTED_EVERY_MS = 60_000;

export interface UseOptions {
  /** Reading is no use of it. */
  readonly isObserved?: boolean;
  readonly namedBy?: Namer | undefined;
  /** The conversation's id, which not every folder can have as its name. */
  readonly id?: string | undefined;
}

/**
 * Notes every use of a conversation in its stamp, at most once a minute, and with the first write who
 * names what is in it. Settles with whether the conversation may be there. Rejects with a system error only where
 * something else stands in the place of its folder.
 */
export function createUses(
  folder: string,
  { isObserved = false, namedBy, id }: UseOptions = {},
): (use: Use) => Promise<boolean> {
  let noted: { readonly use: Use; readonly at: number } | undefined;
  return async (use) => {
    checkPlace(folder);
    if (isObserved && use === "read") return false;
    // By the clock: the time of the process stands still while the machine sleeps.
    const isNoted = noted !== undefined && Math.abs(Date.now() - noted.at) < NOTED_EVERY_MS;
    if (isNoted && (use === "read" || noted?.use === "write")) return true;
    try {
      if (use === "write") await makeFolder(folder);
      touch(join(folder, STAMP_FILE), use);
      if (use === "write" && namedBy !== undefined) await addNamer(folder, namedBy);
      if (use === "write" && id !== undefined) await keepId(folder, id);
      noted = { use, at: Date.now() };
      return true;
    } catch (error) {
      // Reading must work where nothing can be written; writing says itself what is wrong.
      return errorCode(error) !== "ENOENT";
    }
  };
}

async function keepId(folder: string, id: string): Promise<void> {
  const file = join(folder, ID_FILE);
  if (basename(folder) === id || lstatSync(file, { throwIfNoEntry: false }) !== undefined) return;
  await createFile(file, temporaryPath(folder, "write"), [JSON.stringify(id)]);
}

export async function conversationIds(root: string): Promise<readonly string[]> {
  return Promise.all((await conversationFolders(root)).map(idOf));
}

async function idOf(folder: string): Promise<string> {
  const [id] = wholeLines(await readPlainFile(join(folder, ID_FILE)));
  if (typeof id === "string") return id;
  const name = basename(folder);
  if (conversationName(name) === name) return name;
  throw new ContextError(
    "archive-failed",
    `The folder ${folder} does not say whose it is: name its conversation by its id, or store something into it once more.`,
    { details: { path: folder } },
  );
}

function touch(stamp: string, use: Use): void {
  const now = new Date();
  try {
    lutimesSync(stamp, now, now);
  } catch (error) {
    if (errorCode(error) !== "ENOENT" || use === "read") throw error;
    const flags = constants.O_WRONLY | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
    closeSync(openSync(stamp, flags, 0o600));
  }
}

export interface StoredFile {
  readonly name: string;
  readonly path: string;
  readonly stats: Stats;
  readonly handle: Handle | undefined;
}

/** For so long the process may do nothing else. */
const TURN_MS = 8;

/** For work of many small steps: called between two of them, it lets others have their turn. */
export function createTurns(): () => Promise<void> | undefined {
  let since = performance.now();
  return () => {
    if (performance.now() - since < TURN_MS) return undefined;
    return nextTurn().then(() => void (since = performance.now()));
  };
}

/**
 * The archive's own files in a conversation's folder, in no order. Their facts are asked for on this
 * thread, which takes a quarter of the time for 100,000 files; between two files others get their turn.
 */
export async function ownFiles(folder: string): Promise<readonly StoredFile[]> {
  const files: StoredFile[] = [];
  const turn = createTurns();
  for (const { name } of await entriesIn(folder)) {
    if (!isOwnFile(name)) continue;
    const path = join(folder, name);
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats?.isFile() === true) files.push({ name, path, stats, handle: handleOfFile(name) });
    await turn();
  }
  return files;
}

/** The folders of all conversations in an archive. */
export async function conversationFolders(root: string): Promise<readonly string[]> {
  const folders = (await entriesIn(root)).filter((each) => each.isDirectory());
  return folders.filter(({ name }) => !name.startsWith(".")).map(({ name }) => join(root, name));
}

/** The names in a folder; none if it is not there. */
export async function entriesIn(folder: string): Promise<readonly Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    if (errorCode(error) === "ENOENT") return [];
    throw error;
  }
}

export function entryOf(handle: Handle, path: string, stats: Stats): ArchiveEntry {
  const storedAt = Math.trunc(stats.mtimeMs);
  return { handle, kind: handleKind(handle), bytes: stats.size, storedAt, path };
}

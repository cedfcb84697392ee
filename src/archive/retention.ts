import { lstat, mkdir, rmdir } from "node:fs/promises";
import { basename, join, resolve } from "node:path";
import { ContextError } from "../core/error.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import { attempt, errorCode } from "./archive-error.ts";
import {
  checkPlace,
  COLLECTION_FOLDER,
  conversationFolders,
  entriesIn,
  isTemporary,
  JOURNAL_FILE,
  ownFiles,
  STAMP_FILE,
  type StoredFile,
} from "./conversation.ts";
import { makeFolder } from "./files.ts";
import { hasNamer } from "./named.ts";
import { finishRemovals, removeConversation, removeLeftFiles } from "./removal.ts";

/** Limits on an archive. */
export interface RetentionOptions {
  /**
   * A conversation that was not used for longer is removed.
   * @default 604800000 (7 days), for conversations that nothing names
   */
  readonly maxAgeMs?: number;
  /**
   * Beyond this size of all conversations together, those go that were used longest ago.
   * @default 2000000000 (2 GB), for conversations that nothing names
   */
  readonly maxBytes?: number;
  /**
   * A conversation that was used within this time stays, whatever the other limits say. At least an
   * hour, so that none goes which a process is working on.
   * @default 86400000 (24 hours)
   */
  readonly minAgeMs?: number;
}

export interface GarbageOptions extends RetentionOptions {
  /** Only tell what would be done. @default false */
  readonly dryRun?: boolean;
}

/** A number of conversations, and the originals in them. */
export interface StoredAmount {
  readonly conversations: number;
  readonly originals: number;
  /** Of all files. */
  readonly bytes: number;
}

/** The result of a collection, or of a dry run. */
export interface GarbageReport {
  readonly dryRun: boolean;
  /** `false` when another process was collecting, so that nothing was done. */
  readonly ran: boolean;
  readonly removed: StoredAmount;
  readonly kept: StoredAmount;
  /** The folders of the conversations that were removed. */
  readonly names: readonly string[];
  /** Reasons why less was done than asked for. */
  readonly warnings: readonly string[];
}

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;
const DEFAULTS = { maxAgeMs: 7 * DAY_MS, maxBytes: 2_000_000_000, minAgeMs: DAY_MS } as const;
const LEAST: Required<RetentionOptions> = { maxAgeMs: 0, maxBytes: 0, minAgeMs: HOUR_MS };

/**
 * Removes the conversations from the archive in `folder` that were not used for too long, then
 * those that are too much. A conversation that a journal or a file names (`namedBy`) goes only by
 * limits that were given. Several processes may call it: one collects, for the others `ran` is
 * `false`. Rejects with `archive-failed`, and with `invalid-options` for a limit that is none.
 */
export async function collectGarbage(
  folder: string,
  options: GarbageOptions = {},
): Promise<GarbageReport> {
  checkLimits(options);
  const root = resolve(folder);
  const work = (): Promise<GarbageReport> => collect(root, options);
  return attempt("collect garbage in", root, async () => {
    if (options.dryRun === true || (await entriesIn(root)).length === 0) return work();
    const report = await whileLocked(join(root, COLLECTION_FOLDER), work);
    if (report !== undefined) return report;
    const warning = "Another process is collecting in this archive right now; nothing was done.";
    return reportOf({ ran: false, warnings: [warning] });
  });
}

const GARBAGE_OPTIONS: OptionNames<GarbageOptions> = { ...LEAST, dryRun: true };

function checkLimits(options: GarbageOptions): void {
  checkNames(options, GARBAGE_OPTIONS);
  for (const [name, least] of Object.entries(LEAST) as [keyof RetentionOptions, number][]) {
    const value = options[name];
    if (value === undefined || value >= least) continue;
    throw new ContextError(
      "invalid-options",
      `${name} is ${value}; give a number from ${least} on.`,
      { details: { name, value } },
    );
  }
}

/** A full disk has no room for a lock, and nobody else frees it. */
const NO_ROOM: ReadonlySet<string> = new Set(["ENOSPC", "EDQUOT"]);

/**
 * Does the work unless another process is at it; `undefined` then. The lock saves work that would be
 * done twice; that nothing is lost does not depend on it. The time of its folder is that of the last
 * collection.
 */
async function whileLocked<T>(folder: string, work: () => Promise<T>): Promise<T | undefined> {
  const lock = join(folder, "lock");
  try {
    checkPlace(folder);
    await makeFolder(folder);
    const taken = await lstat(lock).catch(() => undefined);
    const isStale = taken !== undefined && Math.abs(Date.now() - taken.mtimeMs) > HOUR_MS;
    if (isStale) await rmdir(lock).catch(() => undefined);
    await mkdir(lock, { mode: 0o700 });
  } catch (error) {
    if (errorCode(error) === "EEXIST") return undefined;
    if (!NO_ROOM.has(errorCode(error) ?? "")) throw error;
  }
  try {
    return await work();
  } finally {
    await rmdir(lock).catch(() => undefined);
  }
}

async function collect(root: string, options: GarbageOptions): Promise<GarbageReport> {
  const { dryRun = false, minAgeMs = DEFAULTS.minAgeMs } = options;
  const failures: string[] = [];
  const removal = { root, minAgeMs, failures };
  if (!dryRun) await finishRemovals(removal);
  const { conversations, unread } = await readConversations(root);
  const removed: Conversation[] = [];
  for (const each of chooseGarbage(conversations, options, Date.now())) {
    if (dryRun || (await removeConversation(each.name, removal))) removed.push(each);
  }
  const kept = conversations.filter((each) => !removed.includes(each));
  if (!dryRun) for (const { files } of kept) await removeLeftFiles(files);
  const warnings = [...problems(unread, failures), ...sizeWarning(kept, options)];
  return reportOf({ dryRun, removed, kept, warnings });
}

interface Collected {
  readonly dryRun?: boolean;
  readonly ran?: boolean;
  readonly removed?: readonly Conversation[];
  readonly kept?: readonly Conversation[];
  readonly warnings: readonly string[];
}

function reportOf(collected: Collected): GarbageReport {
  const { dryRun = false, ran = true, removed = [], kept = [], warnings } = collected;
  const names = removed.map(({ name }) => name);
  return { dryRun, ran, removed: amountOf(removed), kept: amountOf(kept), names, warnings };
}

function amountOf(list: readonly Conversation[]): StoredAmount {
  const files = list.flatMap((each) => each.files);
  return {
    conversations: list.length,
    originals: files.filter(({ handle }) => handle !== undefined).length,
    bytes: bytesOf(list),
  };
}

function bytesOf(list: readonly { readonly bytes: number }[]): number {
  return list.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** A conversation as far as retention looks at it. */
export interface StoredConversation {
  readonly name: string;
  readonly bytes: number;
  /** In ms since the epoch. */
  readonly usedAt: number;
  /** A journal, or somebody whom the archive was told of, names its originals. */
  readonly isNamed: boolean;
}

/**
 * The conversations to remove, the one that was used longest ago first: everything beyond the age,
 * then the oldest until the rest fits the size. The age of what seems to come from the future (the
 * clock was set back) is not known: it goes for its size alone, and last.
 * @param now In ms since the epoch.
 */
export function chooseGarbage<T extends StoredConversation>(
  stored: readonly T[],
  options: RetentionOptions,
  now: number,
): readonly T[] {
  const { maxAgeMs, maxBytes, minAgeMs = DEFAULTS.minAgeMs } = options;
  // A default is nobody's decision: what is named somewhere does not go by it.
  const unnamed = stored.filter(({ isNamed }) => !isNamed);
  const ofAge = maxAgeMs === undefined ? unnamed : stored;
  const ofSize = maxBytes === undefined ? unnamed : stored;
  const isRemovable = ({ usedAt }: T): boolean => Math.abs(now - usedAt) >= minAgeMs;
  const isOld = ({ usedAt }: T): boolean => now - usedAt > (maxAgeMs ?? DEFAULTS.maxAgeMs);
  const byUse = (a: T, b: T): number => a.usedAt - b.usedAt;
  const chosen = new Set(ofAge.filter((each) => isRemovable(each) && isOld(each)));
  const rest = ofSize.filter((each) => !chosen.has(each));
  let left = bytesOf(rest);
  for (const each of rest.filter(isRemovable).toSorted(byUse)) {
    if (left <= (maxBytes ?? DEFAULTS.maxBytes)) break;
    chosen.add(each);
    left -= each.bytes;
  }
  return [...chosen].toSorted(byUse);
}

interface Conversation extends StoredConversation {
  readonly files: readonly StoredFile[];
}

/** A folder without a stamp is none of ours; one that cannot be read is no reason to leave the rest. */
async function readConversations(root: string): Promise<{
  readonly conversations: readonly Conversation[];
  readonly unread: readonly string[];
}> {
  const conversations: Conversation[] = [];
  const unread: string[] = [];
  for (const folder of await conversationFolders(root)) {
    const name = basename(folder);
    try {
      const files = await ownFiles(folder);
      if (files.some((each) => each.name === STAMP_FILE)) {
        conversations.push(await conversationOf(name, files, folder));
      }
    } catch {
      unread.push(name);
    }
  }
  return { conversations, unread };
}

async function conversationOf(
  name: string,
  files: readonly StoredFile[],
  folder: string,
): Promise<Conversation> {
  // A file that is still written is in use, also while the process that waits for it does nothing else.
  const uses = files.filter((each) => each.name === STAMP_FILE || isTemporary(each.name));
  return {
    name,
    files,
    bytes: files.reduce((sum, { stats }) => sum + stats.size, 0),
    usedAt: Math.max(...uses.map(({ stats }) => stats.mtimeMs)),
    isNamed:
      files.some((each) => each.name === JOURNAL_FILE && each.stats.size > 0) ||
      (await hasNamer(folder)),
  };
}

function problems(unread: readonly string[], failures: readonly string[]): readonly string[] {
  const warnings: string[] = [];
  if (unread.length > 0) {
    const names = unread.slice(0, 3).join(", ");
    warnings.push(
      `What could not be read stayed as it is: ${unread.length} of the conversations, such as ${names}. Check who owns their folders.`,
    );
  }
  if (failures.length > 0) {
    const codes = [...new Set(failures)].join(", ");
    warnings.push(
      `Not everything could be removed (${codes}). Check who owns the archive and whether it can be written.`,
    );
  }
  return warnings;
}

function sizeWarning(
  kept: readonly Conversation[],
  { maxBytes }: RetentionOptions,
): readonly string[] {
  if (bytesOf(kept) <= (maxBytes ?? DEFAULTS.maxBytes)) return [];
  return [
    maxBytes === undefined
      ? "The archive is larger than 2 GB: what is left is named by journals or files, so only a limit that you give removes it."
      : "The archive is still larger than its limit: the rest was used too recently.",
  ];
}

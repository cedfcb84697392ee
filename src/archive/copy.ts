import { isDeepStrictEqual } from "node:util";
import { handleFor, handleKind } from "../core/message/handle.ts";
import { MOST_UNITS } from "../core/message/original.ts";
import type { Archive, ArchiveEntry, ArchiveJournal } from "./archive.ts";
import { sha256OfBytes } from "./digest.ts";
import { concurrencyLimit } from "./at-once.ts";
import type { OpenArchive } from "./open.ts";
import { openOriginal, readPiece } from "./reading.ts";

export interface CopyOptions {
  /** The ids of what is copied. @default all that are there */
  readonly conversations?: readonly string[] | undefined;
  /** Called after every original. */
  readonly onProgress?: (progress: CopyProgress) => void;
}

export interface CopyProgress {
  readonly conversations: number;
  /** The number of all conversations. */
  readonly of: number;
  readonly originals: number;
}

/** A part that could not be copied; all else was. */
export interface CopyProblem {
  readonly conversation: string;
  readonly problem: string;
}

export interface CopyReport {
  /** The number of those that hold something. */
  readonly conversations: number;
  /** All that are there now, each read back and compared by its SHA-256. */
  readonly originals: number;
  /** Of these, what was not there before. */
  readonly copied: number;
  /** Of what was copied. */
  readonly bytes: number;
  /** Entries of journals that are there now, and those that were not there before. */
  readonly entries: number;
  readonly appended: number;
  readonly problems: readonly CopyProblem[];
}

/** Conversations that are copied at once; the originals of one go one by one, in their order. */
const AT_ONCE = 4;
/** A larger original is a problem: it is in memory as a whole. */
const MOST_BYTES = 1_073_741_824;

/**
 * Copies conversations from one archive into another: originals first, then the entries of the journal
 * that are not there yet. Originals that are there are compared and left; so a copy that was stopped goes on. A
 * conversation that has another journal there is not touched. Rejects when an archive fails.
 */
export async function copyArchive(
  from: OpenArchive,
  to: OpenArchive,
  { conversations, onProgress = () => undefined }: CopyOptions = {},
): Promise<CopyReport> {
  const ids = conversations ?? (await from.conversations());
  const sum = { conversations: 0, originals: 0, copied: 0, bytes: 0, entries: 0, appended: 0 };
  const problems: CopyProblem[] = [];
  const limited = concurrencyLimit(AT_ONCE);
  let done = 0;
  const copyOne = async (conversation: string): Promise<void> => {
    const pair = { from: from.conversation(conversation), to: to.conversation(conversation) };
    const told = await copyConversation(pair, {
      original(bytes) {
        sum.originals++;
        if (bytes !== undefined) sum.copied++;
        sum.bytes += bytes ?? 0;
        onProgress({ conversations: done, of: ids.length, originals: sum.originals });
      },
      problem: (problem) => void problems.push({ conversation, problem }),
    });
    sum.entries += told.entries;
    sum.appended += told.appended;
    if (told.isThere) sum.conversations++;
    done++;
  };
  await Promise.all(ids.map((id) => limited(() => copyOne(id))));
  return { ...sum, problems };
}

interface Pair {
  readonly from: Archive;
  readonly to: Archive;
}

interface Tell {
  /** An original is there; its bytes, if it was copied. */
  readonly original: (bytes?: number) => void;
  readonly problem: (problem: string) => void;
}

interface Told {
  readonly isThere: boolean;
  readonly entries: number;
  readonly appended: number;
}

async function copyConversation({ from, to }: Pair, tell: Tell): Promise<Told> {
  // In this order, all that the entries name is among the originals.
  const entries = (await from.journal?.read()) ?? [];
  const originals = await from.list();
  const none = { isThere: entries.length + originals.length > 0, entries: 0, appended: 0 };
  if (!isContinued(entries, (await to.journal?.read()) ?? [])) {
    tell.problem("has another journal there, so nothing of it was copied");
    return none;
  }
  const there = new Set((await to.list()).map(({ handle }) => handle));
  let isWhole = true;
  for (const entry of originals) {
    const problem = await copyOriginal({ from, to }, entry, there.has(entry.handle));
    if (problem === undefined) tell.original(there.has(entry.handle) ? undefined : entry.bytes);
    else tell.problem(`${entry.handle} ${problem}`);
    isWhole &&= problem === undefined;
  }
  // Edits may name what is missing.
  if (!isWhole || to.journal === undefined) return none;
  const appended = await copyJournal(entries, to.journal);
  if (appended === undefined) tell.problem("went on there while it was copied");
  return { ...none, entries: entries.length, appended: appended ?? 0 };
}

/** Whether one list of entries goes on from the other. */
function isContinued(one: readonly unknown[], other: readonly unknown[]): boolean {
  const length = Math.min(one.length, other.length);
  return isDeepStrictEqual(one.slice(0, length), other.slice(0, length));
}

/** The number of entries that were not there; `undefined` if others are. */
async function copyJournal(
  entries: readonly unknown[],
  journal: ArchiveJournal,
): Promise<number | undefined> {
  const append = async (): Promise<number | undefined> => {
    const there = await journal.read();
    if (!isContinued(entries, there)) return undefined;
    const missing = entries.slice(there.length);
    for (const entry of missing) await journal.append(entry);
    return missing.length;
  };
  const before = await journal.read();
  if (before.length >= entries.length) return isContinued(entries, before) ? 0 : undefined;
  const appended = await (journal.alone?.(append) ?? append());
  return isContinued(entries, await journal.read()) ? appended : undefined;
}

/** Copies an original, unless it is there, and compares what is there; what is wrong, if anything is. */
async function copyOriginal(
  { from, to }: Pair,
  { handle, bytes: size }: ArchiveEntry,
  isThere: boolean,
): Promise<string | undefined> {
  if (size > MOST_BYTES) return `is larger than ${MOST_BYTES} bytes, more than can be copied`;
  const bytes = await wholeOf(from, handle);
  const digest = sha256OfBytes(bytes);
  const kind = handleKind(handle);
  // The handle of a run, and of what no string can hold, says nothing about its bytes.
  const isNamed = kind === "run" || size > MOST_UNITS;
  if (!isNamed && handleFor(kind, "", () => digest) !== handle) return "was altered where it is";
  if (!isThere) await to.putPieces?.(handle, [bytes]);
  const copy = sha256OfBytes(await wholeOf(to, handle));
  return copy === digest ? undefined : "has other bytes where it was to be copied";
}

async function wholeOf(archive: Archive, handle: string): Promise<Uint8Array> {
  const reader = await openOriginal(archive, handle);
  try {
    return await readPiece(reader, 0, reader.bytes);
  } finally {
    await reader.close();
  }
}

import { isWellFormed } from "../core/text/utf8.ts";
import { ContextError } from "../core/error.ts";
import {
  handleFor,
  isHandle,
  type Digest,
  type Handle,
  type OriginalKind,
} from "../core/message/handle.ts";
import type { Original } from "../core/message/original.ts";
import { malformedHandle } from "./archive-error.ts";

/** One original in an archive. */
export interface ArchiveEntry {
  readonly handle: Handle;
  readonly kind: OriginalKind;
  /** Size in UTF-8 bytes. */
  readonly bytes: number;
  /** The time of its first storing, in ms since the epoch. */
  readonly storedAt: number;
  /** The file for a person or an agent's own tools; absent for archives without files. */
  readonly path?: string;
}

/**
 * The home of originals. Content-addressed: the same content is stored once and always has the same
 * handle. Every method rejects with a `ContextError`: `unknown-handle` for a handle that is
 * malformed or not there, `archive-failed` when the medium fails (the `cause` says how).
 */
export interface Archive {
  readonly name: string;
  /**
   * Stores an original, durably, and returns its entry; storing it again returns the same entry.
   * A caller that knows the handle of exactly this content passes it, and it is not made again.
   */
  put(kind: OriginalKind, content: string, handle?: Handle): Promise<ArchiveEntry>;
  /**
   * The same for an original that is there in pieces, by its handle: a head, or what no string can
   * hold (more than some 500 MB, or bytes that are no text). An archive without this takes a head as one
   * text, and no original that no string can hold; one around another archive hides it or covers it.
   */
  putPieces?(handle: Handle, pieces: readonly (string | Uint8Array)[]): Promise<ArchiveEntry>;
  /** The whole original. */
  get(handle: string): Promise<string>;
  has(handle: string): Promise<boolean>;
  /**
   * The originals that may hold a text, or a match of an expression, where the medium can tell
   * without handing all of them out; only these are read. `undefined`: any may.
   */
  mayHold?(pattern: string, isRegex: boolean): Promise<ReadonlySet<Handle> | undefined>;
  /** All entries, oldest first. */
  list(): Promise<readonly ArchiveEntry[]>;
  /** Opens an original for reading in pieces; archives that hold texts need not have it. */
  read?(handle: string): Promise<OriginalReader>;
  /** The part of the archive that belongs to one conversation, by its id; any text can be one. */
  conversation?(id: string): Archive;
  /**
   * The ids of all conversations, in no order; where the medium can tell without handing all originals
   * out, only of those that may hold a text.
   */
  conversations?(holding?: Sought): Promise<readonly string[]>;
  /** The journal of the conversation that the archive belongs to. */
  readonly journal?: ArchiveJournal;
  /** A file that a child process or a stream writes into; only archives with files have it. */
  open?(kind: "out"): Promise<SpillFile>;
}

/** A text, or an expression, that originals are searched for. */
export interface Sought {
  readonly pattern: string;
  readonly isRegex: boolean;
}

/** Everything for originals; an archive that holds texts alone may do with less. */
export type Originals = Required<
  Pick<Archive, "put" | "putPieces" | "get" | "has" | "list" | "read">
>;

/** An archive of originals alone: a conversation without a name has no journal. */
export type FileArchive = Omit<Archive, "conversation" | "conversations" | "journal" | "mayHold">;

/**
 * Plain JSON values in the order in which they came. Both methods reject with `archive-failed` when
 * the medium fails.
 */
export interface ArchiveJournal {
  /** All entries, oldest first; one that was torn while it was written is left out. */
  read(): Promise<readonly unknown[]>;
  /** Adds one, durably. */
  append(entry: unknown): Promise<void>;
  /**
   * The number of entries: one that is not what was read and added here tells that another process has
   * added some. In a folder the first call reads the whole journal, a later one what was added since.
   */
  count?(): Promise<number>;
  /** An edit is made only if this journal has it and the archive its originals. @default false */
  readonly isRequired?: boolean;
  /**
   * Does work while no other process does work in here: a journal that many machines share has it, so
   * that an edit is made once. A process that dies in the middle holds nobody up for long, and waiting
   * has an end. Rejects with the signal's reason when that aborts before the work begins.
   */
  alone?<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/**
 * A file of the archive that is still being written. Nothing of it is listed before `commit`, and a
 * process that is killed before leaves nothing that ever is. After `commit` or `discard` the
 * descriptor is closed and the file no longer has this path.
 */
export interface SpillFile {
  readonly path: string;
  /** Open for reading and writing; whoever writes shares its offset. */
  readonly fd: number;
  /**
   * Syncs what was written, gives it its handle and lists it. Up to 1 MB it is an `out`, stored
   * once; what is larger becomes a `run`, which costs no second reading. Rejects with
   * `archive-failed`; the file is gone then. A second call returns the same entry.
   * @param whole All that was written, where the caller has it: the file is not read again.
   */
  commit(whole?: Uint8Array): Promise<ArchiveEntry>;
  /** Removes the file. Does nothing after `commit`. Never rejects. */
  discard(): Promise<void>;
}

/** An original that is read piece by piece, however large it is. */
export interface OriginalReader {
  readonly bytes: number;
  /** Fills `into` from the byte `from` on, as far as there are bytes; how many came. */
  read(from: number, into: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** Stores what is about to leave a window; of a head no text is made where the archive takes pieces. */
export async function putOriginal(archive: Archive, original: Original): Promise<ArchiveEntry> {
  const { handle, kind, pieces } = original;
  if (pieces !== undefined && archive.putPieces !== undefined)
    return archive.putPieces(handle, pieces);
  return archive.put(kind, original.content, handle);
}

/** Oldest first; those of the same time in the order of their handles. */
export function byTime(a: ArchiveEntry, b: ArchiveEntry): number {
  return a.storedAt - b.storedAt || (a.handle < b.handle ? -1 : 1);
}

const LONE_SURROGATE = /\p{Cs}/u;

/**
 * The handle of an original that can be stored. Throws `invalid-message` for text with half a
 * surrogate pair: UTF-8 has no bytes for it, so it could not come back as it was. JSON text never
 * has that problem, because JSON escapes it.
 */
export function handleOfOriginal(kind: OriginalKind, content: string, digest: Digest): Handle {
  if (!isWellFormed(content)) {
    const at = content.search(LONE_SURROGATE);
    throw new ContextError(
      "invalid-message",
      `The text to archive has half a surrogate pair at index ${at}, which UTF-8 cannot hold. Store it as JSON, or replace it first.`,
      { details: { kind, index: at } },
    );
  }
  return checkedHandle(handleFor(kind, content, digest));
}

/** Throws `unknown-handle` for anything but a handle. */
export function checkedHandle(handle: string): Handle {
  if (!isHandle(handle)) throw malformedHandle(handle);
  return handle;
}

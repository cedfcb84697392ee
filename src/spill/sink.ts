import { isUtf8 } from "node:buffer";
import { fdatasync, writeSync } from "node:fs";
import type { Archive, ArchiveEntry, SpillFile } from "../archive/index.ts";
import { ContextError, isContextError } from "../core/error.ts";
import { countNewlines, type Kept, partsOf, type Source } from "./cut.ts";

/** Takes a stream of bytes: the ends stay in memory, the whole goes to the archive. */
export interface Sink extends Source {
  /** Takes a piece. With a promise, whoever writes waits, and the piece must not change until then. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  lines(): number;
  /** The newest bytes, as many as an end keeps. */
  tail(): Uint8Array;
}

export interface SinkOptions {
  readonly archive: Archive | undefined;
  /** Bytes that each end keeps. */
  readonly capacity: number;
  /** The archive takes no more than this. */
  readonly maxBytes: number;
}

const NEWLINE = 10;

/** Takes a stream into an archive, in the order in which the pieces come. Memory: 1 MB and the tail. */
export function createSink({ archive, capacity, maxBytes }: SinkOptions): Sink {
  const original = createOriginal(archive, maxBytes);
  const blocks = createBlocks(capacity);
  let busy: Promise<void> | undefined;
  const take = (chunk: Uint8Array, from: number): Promise<void> | undefined => {
    for (let at = from; at < chunk.length;) {
      at = blocks.take(chunk, at);
      // Only the first block waits: until the archive has opened a file for it.
      const opening = at < chunk.length ? original.append(blocks.next()) : undefined;
      if (opening !== undefined) return opening.then(() => take(chunk, at));
    }
    return undefined;
  };
  let waiting = 0;
  const inTurn = async (work: Promise<void>): Promise<void> => {
    waiting++;
    await work;
    if (--waiting === 0) busy = undefined;
  };
  return {
    write(chunk) {
      const taken = busy === undefined ? take(chunk, 0) : busy.then(() => take(chunk, 0));
      if (taken !== undefined) busy = inTurn(taken);
      return busy;
    },
    size: blocks.size,
    lines: blocks.lines,
    tail: blocks.tail,
    read(direction) {
      const tail = blocks.tail();
      const isEnded = (tail.at(-1) ?? NEWLINE) === NEWLINE;
      const facts = { bytes: blocks.size(), lines: blocks.lines() + (isEnded ? 0 : 1) };
      const head = blocks.head();
      if (head !== undefined) return { ...facts, head, tail };
      return { ...facts, ...partsOf(blocks.current(), { direction, capacity }) };
    },
    async keep() {
      await busy;
      const last = blocks.current();
      return original.keep(last, blocks.head() === undefined ? last : undefined);
    },
    async discard() {
      await busy;
      await original.discard();
    },
  };
}

const FIRST_BYTES = 16_384;
/** Small enough to be in the processor's cache still when it is counted and written. */
const BLOCK_BYTES = 262_144;
/** So much is held before a file is made: a small output needs none, and is searched as a whole. */
const HELD_BYTES = 1_048_576;

/**
 * Bytes are collected in a first block, which has the head, and then in blocks of 256 KB, of which
 * those with the tail are used again once they are too old.
 */
function createBlocks(capacity: number) {
  const most = Math.ceil(capacity / BLOCK_BYTES) + 1;
  let room = Math.max(HELD_BYTES, 2 * capacity);
  let block = new Uint8Array(Math.min(FIRST_BYTES, room));
  let [filled, counted, newlines, before] = [0, 0, 0, 0];
  let first: Uint8Array | undefined;
  /** The full ones that are still needed, the newest last. */
  const recent: Uint8Array<ArrayBuffer>[] = [];

  const current = (): Uint8Array => block.subarray(0, filled);
  const lines = (): number => {
    newlines += countNewlines(block.subarray(counted, filled));
    counted = filled;
    return newlines;
  };
  const growTo = (needed: number): void => {
    if (needed <= block.length || block.length === room) return;
    const larger = new Uint8Array(Math.min(room, Math.max(needed, 4 * block.length)));
    larger.set(current());
    block = larger;
  };
  return {
    /** Copies a chunk from an offset on until the current block is full; how far it got. */
    take(chunk: Uint8Array, from: number): number {
      growTo(filled + chunk.length - from);
      const piece = chunk.subarray(from, from + block.length - filled);
      block.set(piece, filled);
      filled += piece.length;
      return from + piece.length;
    },
    /** Begins a new block; the full one stays as it is until the next but one begins. */
    next(): Uint8Array {
      lines();
      const full = block;
      first ??= full;
      recent.push(full);
      before += filled;
      const free = recent.length > most ? recent.shift() : undefined;
      room = BLOCK_BYTES;
      block = free === undefined || free === first ? new Uint8Array(room) : free;
      [filled, counted] = [0, 0];
      return full;
    },
    size: (): number => before + filled,
    lines,
    tail: (): Uint8Array => lastBytes([...recent, current()], capacity),
    /** The start of the stream; `undefined` while all of it is in the current block. */
    head: (): Uint8Array | undefined => first?.subarray(0, capacity),
    current,
  };
}

function lastBytes(parts: readonly Uint8Array[], count: number): Uint8Array {
  const last: Uint8Array[] = [];
  for (let at = parts.length - 1, bytes = 0; at >= 0 && bytes < count; at--) {
    const part = parts[at] as Uint8Array;
    last.unshift(part);
    bytes += part.length;
  }
  return Buffer.concat(last).subarray(-count);
}

/** The place of one original. `append` throws and `commit` rejects when the archive fails. */
interface Target {
  append(bytes: Uint8Array): void;
  commit(whole?: Uint8Array): Promise<ArchiveEntry>;
  discard(): Promise<void>;
}

const NO_ARCHIVE = "there is no archive";
const ENDED = "the output had ended before";

/**
 * Brings bytes into an archive; a failure costs the original and stops nothing. Nothing is opened
 * before the first bytes come, and nothing rejects.
 */
function createOriginal(archive: Archive | undefined, maxBytes: number) {
  let size = 0;
  let target: Target | undefined;
  let notKept = archive === undefined ? NO_ARCHIVE : undefined;

  const discard = async (): Promise<void> => {
    const last = target;
    target = undefined;
    await last?.discard();
  };
  const fail = (error: unknown): Promise<void> => {
    notKept = reasonOf(error);
    return discard();
  };
  const open = async (bytes: Uint8Array, into: Archive): Promise<void> => {
    try {
      const file = await into.open?.("out");
      target = file === undefined ? memoryTarget(into) : fileTarget(file);
      target.append(bytes);
    } catch (error) {
      await fail(error);
    }
  };
  const append = (bytes: Uint8Array): Promise<void> | undefined => {
    if (archive === undefined || notKept !== undefined) return undefined;
    try {
      size += bytes.length;
      if (size > maxBytes) throw refused(`it is larger than ${maxBytes} bytes`);
      if (target === undefined) return open(bytes, archive);
      target.append(bytes);
      return undefined;
    } catch (error) {
      return fail(error);
    }
  };
  return {
    /** Takes the next bytes; with a promise, they must not change until it settles. */
    append,
    /** Leaves nothing behind. */
    discard,
    /** Takes the last bytes and keeps all of them: `whole`, where they are in memory. */
    async keep(last: Uint8Array, whole?: Uint8Array): Promise<Kept> {
      await append(last);
      const [full, failure] = [target, notKept ?? ENDED];
      [target, notKept] = [undefined, ENDED];
      if (full === undefined) return { notKept: failure };
      try {
        return { entry: await full.commit(whole) };
      } catch (error) {
        return { notKept: reasonOf(error) };
      }
    },
  };
}

/** The disk works ahead of the end once there are so many bytes for it. */
const SYNC_BYTES = 8_388_608;
/** An archive without files gets an original as one text, so it is held in memory until then. */
const MOST_HELD_BYTES = 8_000_000;

/**
 * Written on the spot: the bytes are in the cache of this processor, and handing them to another thread
 * costs more than taking them into the memory of the system. The source cannot be faster than the disk.
 */
function fileTarget(file: SpillFile): Target {
  const { fd } = file;
  let unsynced = 0;
  return {
    append(bytes) {
      for (let at = 0; at < bytes.length;) at += writeSync(fd, bytes, at);
      unsynced += bytes.length;
      if (unsynced < SYNC_BYTES) return;
      unsynced = 0;
      // Nobody waits for it, and a failure comes once more at the end.
      fdatasync(fd, () => undefined);
    },
    commit: (whole) => file.commit(whole),
    discard: () => file.discard(),
  };
}

function memoryTarget(archive: Archive): Target {
  const chunks: Uint8Array[] = [];
  let size = 0;
  return {
    append(bytes) {
      size += bytes.length;
      if (size > MOST_HELD_BYTES) {
        throw refused(
          `The ${archive.name} archive has no files, so it takes outputs of at most ${MOST_HELD_BYTES} bytes. Use an archive with files for larger ones.`,
        );
      }
      // A copy: the memory is used again.
      chunks.push(bytes.slice());
    },
    async commit() {
      const bytes = Buffer.concat(chunks);
      if (!isUtf8(bytes)) {
        throw refused(
          `The ${archive.name} archive has no files, so it cannot hold an output that is not UTF-8. Use an archive with files.`,
        );
      }
      return archive.put("out", bytes.toString("utf8"));
    },
    async discard() {},
  };
}

function refused(why: string): ContextError {
  return new ContextError("limit-exceeded", why);
}

/** As a clause that can follow "was not kept:". */
export function reasonOf(error: unknown): string {
  if (isContextError(error)) return error.message;
  const code = error instanceof Error && "code" in error ? String(error.code) : String(error);
  if (code === "ENOSPC") return "the disk is full";
  if (code === "EDQUOT") return "the disk quota is used up";
  if (code === "EFBIG") return "the system allows no larger file";
  return `the file could not be written (${code})`;
}

import type { Archive } from "../archive/index.ts";
import { countNewlines } from "./count-newlines.ts";
import { partsOf, type Source } from "./cut.ts";
import { createSpool } from "./spool.ts";

/** Takes a stream of bytes: its ends stay in memory, the whole goes to the archive. */
export interface Sink extends Source {
  /** Takes a piece. With a promise, whoever writes waits, and the piece must not change until then. */
  write(chunk: Uint8Array): Promise<void> | undefined;
  /** Line ends so far. */
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

const FIRST_BYTES = 16_384;
/** Small enough to be in the processor's cache still when it is counted and written. */
const BLOCK_BYTES = 262_144;
/** So much is held before a file is made: a small output needs none, and is searched as a whole. */
const HELD_BYTES = 1_048_576;
const NEWLINE = 10;

/** Takes a stream into an archive, in the order in which the pieces come. Memory: 1 MB and the tail. */
export function createSink({ archive, capacity, maxBytes }: SinkOptions): Sink {
  const spool = createSpool({ archive, maxBytes });
  const blocks = createBlocks(capacity, (block) => spool.append(block));
  let busy: Promise<void> | undefined;
  const takeLater = async (chunk: Uint8Array, from: number): Promise<void> => {
    const earlier = busy;
    const work = (async () => {
      await earlier;
      for (let at = blocks.take(chunk, from); at < chunk.length; at = blocks.take(chunk, at)) {
        await blocks.written();
      }
    })();
    busy = work;
    await work;
    if (busy === work) busy = undefined;
  };
  const idle = async (): Promise<void> => {
    await busy;
    await blocks.written();
  };
  return {
    write(chunk) {
      const at = busy === undefined ? blocks.take(chunk, 0) : 0;
      return at === chunk.length ? undefined : takeLater(chunk, at);
    },
    size: blocks.size,
    lines: blocks.lines,
    tail: blocks.tail,
    read(direction) {
      const end = blocks.tail().at(-1) ?? NEWLINE;
      const facts = {
        bytes: blocks.size(),
        lines: blocks.lines() + (end === NEWLINE ? 0 : 1),
      };
      const head = blocks.head();
      if (head !== undefined) return { ...facts, head, tail: blocks.tail() };
      return { ...facts, ...partsOf(blocks.current(), { direction, capacity }) };
    },
    async keep() {
      await idle();
      const last = blocks.current();
      return spool.keep(last, blocks.head() === undefined ? last : undefined);
    },
    async discard() {
      await idle();
      await spool.discard();
    },
  };
}

/** The memory of a sink. */
interface Blocks {
  /** Copies a chunk from an offset on, as far as there is a free block; how far it got. */
  take(this: void, chunk: Uint8Array, from: number): number;
  /** Settles when the block before the current one is written. */
  written(this: void): Promise<void> | undefined;
  size(this: void): number;
  lines(this: void): number;
  tail(this: void): Uint8Array;
  /** The start of the stream; `undefined` while all of it is in the current block. */
  head(this: void): Uint8Array | undefined;
  current(this: void): Uint8Array;
}

/**
 * Bytes are collected in a first block, which has the head, and then in blocks of 256 KB: each is
 * written when it is full, and those with the tail are used again once they are too old.
 */
function createBlocks(
  capacity: number,
  write: (block: Uint8Array) => Promise<void> | undefined,
): Blocks {
  const most = Math.ceil(capacity / BLOCK_BYTES) + 1;
  let room = Math.max(HELD_BYTES, 2 * capacity);
  let block = new Uint8Array(Math.min(FIRST_BYTES, room));
  let [filled, counted, newlines, before] = [0, 0, 0, 0];
  let first: Uint8Array | undefined;
  /** The full ones that are still needed, the newest last. */
  const recent: Uint8Array<ArrayBuffer>[] = [];
  let writing: Promise<void> | undefined;

  const current = (): Uint8Array => block.subarray(0, filled);
  const lines = (): number => {
    newlines += countNewlines(block.subarray(counted, filled));
    counted = filled;
    return newlines;
  };
  const nextBlock = (): void => {
    lines();
    writing = write(block)?.then(() => void (writing = undefined));
    first ??= block;
    recent.push(block);
    before += filled;
    const free = recent.length > most ? recent.shift() : undefined;
    room = BLOCK_BYTES;
    block = free === undefined || free === first ? new Uint8Array(room) : free;
    [filled, counted] = [0, 0];
  };
  const growTo = (needed: number): void => {
    if (needed <= block.length || block.length === room) return;
    const larger = new Uint8Array(Math.min(room, Math.max(needed, 4 * block.length)));
    larger.set(current());
    block = larger;
  };
  return {
    take(chunk, from) {
      for (let at = from; at < chunk.length;) {
        if (filled === room && writing !== undefined) return at;
        if (filled === room) nextBlock();
        growTo(filled + chunk.length - at);
        const piece = chunk.subarray(at, at + block.length - filled);
        block.set(piece, filled);
        filled += piece.length;
        at += piece.length;
      }
      return chunk.length;
    },
    written: () => writing,
    size: () => before + filled,
    lines,
    tail: () => lastBytes([...recent, current()], capacity),
    head: () => first?.subarray(0, capacity),
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

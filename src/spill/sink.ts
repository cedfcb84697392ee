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
/** So much is held before a file is made: a small output needs none, and is searched as a whole. */
const HELD_BYTES = 1_048_576;
const NEWLINE = 10;

/**
 * Bytes are collected in blocks of 1 MB. The first one is the head; of the others, one is filled while
 * the one before is written, and the tail is in these two. Memory: three blocks.
 */
export function createSink({ archive, capacity, maxBytes }: SinkOptions): Sink {
  const blockBytes = Math.max(HELD_BYTES, 2 * capacity);
  const spool = createSpool({ archive, maxBytes });
  let block = new Uint8Array(Math.min(FIRST_BYTES, blockBytes));
  let [filled, counted, newlines, before] = [0, 0, 0, 0];
  let first: Uint8Array | undefined;
  let previous: Uint8Array<ArrayBuffer> | undefined;
  let writing: Promise<void> | undefined;
  let busy: Promise<void> | undefined;

  const content = (): Uint8Array => block.subarray(0, filled);
  const lines = (): number => {
    newlines += countNewlines(block.subarray(counted, filled));
    counted = filled;
    return newlines;
  };
  const writeOut = async (written: Promise<void>): Promise<void> => {
    await written;
    writing = undefined;
  };
  const nextBlock = (): void => {
    lines();
    const free = previous === first ? undefined : previous;
    const written = spool.append(block);
    writing = written && writeOut(written);
    first ??= block;
    previous = block;
    before += filled;
    [block, filled, counted] = [free ?? new Uint8Array(blockBytes), 0, 0];
  };
  const growTo = (needed: number): void => {
    if (needed <= block.length || block.length === blockBytes) return;
    const larger = new Uint8Array(Math.min(blockBytes, Math.max(needed, 4 * block.length)));
    larger.set(content());
    block = larger;
  };
  /** Copies a chunk from an offset on, as far as there is a free block; how far it got. */
  const take = (chunk: Uint8Array, from: number): number => {
    for (let at = from; at < chunk.length;) {
      if (filled === blockBytes && writing !== undefined) return at;
      if (filled === blockBytes) nextBlock();
      growTo(filled + chunk.length - at);
      const piece = chunk.subarray(at, at + block.length - filled);
      block.set(piece, filled);
      filled += piece.length;
      at += piece.length;
    }
    return chunk.length;
  };
  const takeLater = async (chunk: Uint8Array, from: number): Promise<void> => {
    const earlier = busy;
    const work = (async () => {
      await earlier;
      for (let at = take(chunk, from); at < chunk.length; at = take(chunk, at)) await writing;
    })();
    busy = work;
    await work;
    if (busy === work) busy = undefined;
  };
  const tail = (): Uint8Array => {
    if (previous === undefined || filled >= capacity) return content().slice(-capacity);
    return Buffer.concat([previous.subarray(blockBytes - (capacity - filled)), content()]);
  };
  const idle = async (): Promise<void> => {
    await busy;
    await writing;
  };
  return {
    write(chunk) {
      const at = busy === undefined ? take(chunk, 0) : 0;
      return at === chunk.length ? undefined : takeLater(chunk, at);
    },
    size: () => before + filled,
    lines,
    tail,
    read(direction) {
      const end = content().at(-1) ?? previous?.at(-1) ?? NEWLINE;
      const facts = { bytes: before + filled, lines: lines() + (end === NEWLINE ? 0 : 1) };
      if (first === undefined) return { ...facts, ...partsOf(content(), { direction, capacity }) };
      return { ...facts, head: first.subarray(0, capacity), tail: tail() };
    },
    async keep() {
      await idle();
      return spool.keep(content(), first === undefined ? content() : undefined);
    },
    async discard() {
      await idle();
      await spool.discard();
    },
  };
}

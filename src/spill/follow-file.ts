import { fdatasync, fstatSync, readSync } from "node:fs";
import { setImmediate as nextTurn } from "node:timers/promises";
import { countNewlines } from "./count-newlines.ts";

/** Keeps up with a file that another process writes. */
export interface Follower {
  /** Line ends up to an offset; `undefined` where that are too many bytes to count them. */
  newlines(to: number): number | undefined;
  /** The same, while the disk takes what was written. */
  finish(to: number): Promise<number | undefined>;
}

/**
 * Lines of a larger file are not counted: that would take as long as writing it, and half as much
 * again when both happen at once. 64 MB take some 30 ms.
 */
const MOST_COUNTED_BYTES = 67_108_864;
/** Small enough to be in the processor's cache still when it is counted. */
const BLOCK_BYTES = 262_144;
/** Other work gets its turn after so many. */
const BLOCKS_AT_ONCE = 16;

/** Memory: one block of at most 256 KB, made when there is something to read. */
export function followFile(fd: number): Follower {
  let [at, newlines] = [0, 0];
  let block: Buffer | undefined;

  /** Whether there is more. */
  const countBlocks = (to: number): boolean => {
    for (let blocks = 0; blocks < BLOCKS_AT_ONCE && at < to; blocks++) {
      const size = Math.min(BLOCK_BYTES, to - at);
      if (block === undefined || block.length < size) block = Buffer.allocUnsafeSlow(size);
      const count = readSync(fd, block, 0, size, at);
      if (count === 0) return false;
      newlines += countNewlines(block.subarray(0, count));
      at += count;
    }
    return at < to;
  };
  /** The command may have emptied its own output. */
  const begin = (to: number): void => {
    if (to < at) [at, newlines] = [0, 0];
  };
  return {
    newlines(to) {
      if (to > MOST_COUNTED_BYTES) return undefined;
      begin(to);
      while (countBlocks(to));
      return newlines;
    },
    async finish(to) {
      if (to > MOST_COUNTED_BYTES) return undefined;
      begin(to);
      // The disk works while the lines are counted. (Not sooner: that would slow the writer down.)
      const flushing = flush(fd);
      while (countBlocks(to)) await nextTurn();
      await flushing;
      return newlines;
    },
  };
}

/** What the disk has to say is said once more when the file is kept. */
function flush(fd: number): Promise<void> {
  return new Promise((resolve) => fdatasync(fd, () => resolve()));
}

/** Bytes of an open file. */
export function sizeOf(fd: number): number {
  return fstatSync(fd).size;
}

/** The bytes from an offset on, fewer where the file ends. */
export function readRange(fd: number, from: number, length: number): Buffer {
  const bytes = Buffer.allocUnsafe(length);
  let filled = 0;
  while (filled < length) {
    const count = readSync(fd, bytes, filled, length - filled, from + filled);
    if (count === 0) break;
    filled += count;
  }
  return bytes.subarray(0, filled);
}

import { fstatSync, read, readSync } from "node:fs";
import { promisify } from "node:util";
import { countNewlines } from "./count-newlines.ts";

/** Counts the line ends of a file while another process writes it. */
export interface Follower {
  /** Line ends in what was read so far. */
  newlines(): number;
  /** Starts to read what is new, unless it still reads. */
  poke(): void;
  /** Reads everything up to an offset. */
  catchUp(to: number): Promise<void>;
}

const readAt = promisify(read);
const BLOCK_BYTES = 1_048_576;

/** Memory: one block of 1 MB, made when there is something to read. */
export function followFile(fd: number): Follower {
  let [at, newlines] = [0, 0];
  let block: Buffer | undefined;
  let running: Promise<void> | undefined;

  const advance = async (to: number): Promise<void> => {
    const size = Math.min(BLOCK_BYTES, to - at);
    if (block === undefined || block.length < size) block = Buffer.allocUnsafeSlow(size);
    while (at < to) {
      const { bytesRead } = await readAt(fd, block, 0, Math.min(block.length, to - at), at);
      if (bytesRead === 0) return;
      newlines += countNewlines(block.subarray(0, bytesRead));
      at += bytesRead;
    }
  };
  return {
    newlines: () => newlines,
    poke() {
      // What cannot be read now is tried again at the end, which reports it.
      running ??= advance(sizeOf(fd))
        .catch(() => undefined)
        .finally(() => (running = undefined));
    },
    async catchUp(to) {
      await running;
      await advance(to);
    },
  };
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

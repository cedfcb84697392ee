import { closeSync, createReadStream, openSync, readFileSync, readSync } from "node:fs";
import { isContextError } from "../../core/error.ts";
import { DEFAULT_TRANSCRIPT_LIMITS } from "../../transcripts/limits.ts";
import { packingOf } from "../../transcripts/packing.ts";
import type { Probe } from "./probe.ts";

/*
 * Files are read on this thread, in blocks that stay in the processor's cache, into one piece of
 * memory: that is several times as fast as a stream, and a person who waits has nothing else to do.
 */

const BLOCK_BYTES = 512 * 1024;
const LINE_END = 10;
/** A longer line is left out, as by the readers of sessions. */
const LINE_BYTES = 64 * 1024 * 1024;

const block = Buffer.allocUnsafe(BLOCK_BYTES);

/** Whether a file holds one of the probes; of a packed file, whether it has to be unpacked to tell. */
export function mayHold(file: string, probes: readonly Probe[]): boolean {
  if (probes.length === 0) return true;
  const overlap = Math.max(...probes.map((probe) => probe.length)) - 1;
  const descriptor = openSync(file, "r");
  try {
    let kept = 0;
    for (let at = 0; ;) {
      const count = readSync(descriptor, block, kept, block.length - kept, at);
      if (count === 0) return false;
      const held = block.subarray(0, kept + count);
      if (at === 0 && packingOf(held) !== undefined) return true;
      if (probes.some((probe) => probe.isIn(held))) return true;
      at += count;
      kept = Math.min(overlap, held.length);
      block.copyWithin(0, held.length - kept, held.length);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** A line, or one too long in part, and its number from 1. Its memory is used again for the next. */
export interface ScannedLine {
  readonly bytes: Buffer;
  readonly number: number;
}

/**
 * All lines of a file, plain or packed; of one that is packed and damaged none. Throws
 * `ContextError` for a packing that this Node cannot open.
 */
export async function* linesOf(file: string): AsyncGenerator<ScannedLine> {
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  let isTooLong = false;
  for await (const piece of piecesOf(file)) {
    let from = 0;
    for (let end = piece.indexOf(LINE_END); end >= 0; end = piece.indexOf(LINE_END, from)) {
      const bytes = rest.length === 0 ? piece.subarray(from, end) : joined(rest, piece, from, end);
      number++;
      if (!isTooLong) yield { bytes, number };
      [rest, isTooLong, from] = [Buffer.alloc(0), false, end + 1];
    }
    if (rest.length + piece.length - from > LINE_BYTES) isTooLong = true;
    rest = isTooLong ? Buffer.alloc(0) : joined(rest, piece, from, piece.length);
  }
  if (rest.length > 0) yield { bytes: rest, number: number + 1 };
}

function joined(rest: Buffer, piece: Buffer, from: number, to: number): Buffer {
  return Buffer.concat([rest, piece.subarray(from, to)]);
}

async function* piecesOf(file: string): AsyncGenerator<Buffer> {
  const source = createReadStream(file, { highWaterMark: BLOCK_BYTES });
  try {
    let stream: AsyncIterable<Buffer> | undefined;
    for await (const piece of source as AsyncIterable<Buffer>) {
      const packing = stream === undefined ? packingOf(piece) : undefined;
      if (packing !== undefined) {
        yield packing.whole(readFileSync(file), DEFAULT_TRANSCRIPT_LIMITS.unpackedBytes);
        return;
      }
      stream ??= source;
      yield piece;
    }
  } catch (error) {
    if (isContextError(error)) throw error;
    // Damaged: what came before it was given.
  } finally {
    source.destroy();
  }
}

import type { Archive, OriginalReader } from "./archive.ts";

/** An original to be read in pieces, from whatever archive. Rejects as `Archive.get` does. */
export async function openOriginal(archive: Archive, handle: string): Promise<OriginalReader> {
  if (archive.read !== undefined) return archive.read(handle);
  return readerOf(new TextEncoder().encode(await archive.get(handle)));
}

export function readerOf(bytes: Uint8Array): OriginalReader {
  return {
    bytes: bytes.length,
    async read(from, into) {
      const piece = bytes.subarray(from, from + into.length);
      into.set(piece);
      return piece.length;
    },
    async close() {},
  };
}

/** The bytes from `from` on, at most `count`; fewer only at the end. */
export async function readPiece(
  reader: OriginalReader,
  from: number,
  count: number,
): Promise<Uint8Array> {
  const piece = new Uint8Array(Math.max(0, Math.min(count, reader.bytes - from)));
  return piece.subarray(0, await fill(reader, from, piece));
}

/** Fills a block as far as there are bytes; a single read may stop earlier. */
export async function fill(
  reader: OriginalReader,
  from: number,
  into: Uint8Array,
): Promise<number> {
  let filled = 0;
  while (filled < into.length && from + filled < reader.bytes) {
    const count = await reader.read(from + filled, into.subarray(filled));
    if (count === 0) break;
    filled += count;
  }
  return filled;
}

/** The part of an original that is in memory at a time. */
export const BLOCK_BYTES = 1_048_576;
/** `\n`. */
export const LINE_END = 10;

/** A piece of an original and the byte at which it begins; its memory is used again for the next. */
interface Piece {
  readonly bytes: Uint8Array;
  readonly from: number;
}

async function* piecesOf(
  reader: OriginalReader,
  from: number,
  to: number = reader.bytes,
): AsyncGenerator<Piece> {
  const block = new Uint8Array(Math.max(0, Math.min(BLOCK_BYTES, to - from)));
  for (let at = from; at < to;) {
    const count = await fill(reader, at, block.subarray(0, Math.min(block.length, to - at)));
    if (count === 0) return;
    yield { bytes: block.subarray(0, count), from: at };
    at += count;
  }
}

/** The start of a line, or the number of lines if there are fewer. */
export type LineStart = { readonly at: number } | { readonly lines: number };

/** The byte at which a line (from 1) begins. */
export async function startOfLine(reader: OriginalReader, line: number): Promise<LineStart> {
  if (line === 1 && reader.bytes > 0) return { at: 0 };
  let ends = 0;
  let start = 0;
  for await (const { bytes, from } of piecesOf(reader, 0)) {
    for (let at = -1; ends < line - 1; ends++) {
      at = bytes.indexOf(LINE_END, at + 1);
      if (at < 0) break;
      start = from + at + 1;
    }
    if (ends === line - 1) break;
  }
  if (start >= reader.bytes) return { lines: ends };
  return ends === line - 1 ? { at: start } : { lines: ends + 1 };
}

/** Line ends from one byte up to another. */
export async function lineEndsBetween(
  reader: OriginalReader,
  from: number,
  to: number,
): Promise<number> {
  let ends = 0;
  for await (const { bytes } of piecesOf(reader, from, to)) {
    for (let at = bytes.indexOf(LINE_END); at >= 0; at = bytes.indexOf(LINE_END, at + 1)) ends++;
  }
  return ends;
}

/** The end of the line that a byte is in, its line end included. */
export async function endOfLine(reader: OriginalReader, from: number): Promise<number> {
  for await (const piece of piecesOf(reader, from)) {
    const at = piece.bytes.indexOf(LINE_END);
    if (at >= 0) return piece.from + at + 1;
  }
  return reader.bytes;
}

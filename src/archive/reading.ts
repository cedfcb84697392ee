import type { Archive, OriginalReader } from "./archive.ts";

/** An original to be read in pieces, from whatever archive. Rejects as `Archive.get` does. */
export async function openOriginal(archive: Archive, handle: string): Promise<OriginalReader> {
  if (archive.read !== undefined) return archive.read(handle);
  return readerOf(new TextEncoder().encode(await archive.get(handle)));
}

/** Reads what is in memory. */
function readerOf(bytes: Uint8Array): OriginalReader {
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

/** So much of an original is in memory at a time. */
export const BLOCK_BYTES = 1_048_576;
/** `\n`. */
export const LINE_END = 10;

/** Where a line begins, or how many lines there are if there are fewer. */
export type LineStart = { readonly at: number } | { readonly lines: number };

/** The byte at which a line (from 1) begins. */
export async function startOfLine(reader: OriginalReader, line: number): Promise<LineStart> {
  if (line === 1 && reader.bytes > 0) return { at: 0 };
  let ends = 0;
  const block = new Uint8Array(Math.min(BLOCK_BYTES, reader.bytes));
  for (let from = 0; from < reader.bytes;) {
    const count = await fill(reader, from, block);
    if (count === 0) break;
    const piece = block.subarray(0, count);
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) {
      if (++ends !== line - 1) continue;
      return from + at + 1 < reader.bytes ? { at: from + at + 1 } : { lines: ends };
    }
    from += count;
  }
  const last = new Uint8Array(1);
  const isEnded = reader.bytes > 0 && (await reader.read(reader.bytes - 1, last)) === 1;
  return { lines: reader.bytes === 0 || (isEnded && last[0] === LINE_END) ? ends : ends + 1 };
}

/** How many line ends there are from one byte up to another. */
export async function lineEndsBetween(
  reader: OriginalReader,
  from: number,
  to: number,
): Promise<number> {
  let ends = 0;
  const block = new Uint8Array(Math.max(0, Math.min(BLOCK_BYTES, to - from)));
  for (let start = from; start < to;) {
    const count = await fill(reader, start, block.subarray(0, Math.min(block.length, to - start)));
    if (count === 0) break;
    const piece = block.subarray(0, count);
    for (let at = piece.indexOf(LINE_END); at >= 0; at = piece.indexOf(LINE_END, at + 1)) ends++;
    start += count;
  }
  return ends;
}

/** The end of the line that a byte is in, its line end included. */
export async function endOfLine(reader: OriginalReader, from: number): Promise<number> {
  const block = new Uint8Array(64 * 1024);
  for (let start = from; start < reader.bytes;) {
    const count = await fill(reader, start, block);
    if (count === 0) break;
    const at = block.subarray(0, count).indexOf(LINE_END);
    if (at >= 0) return start + at + 1;
    start += count;
  }
  return reader.bytes;
}

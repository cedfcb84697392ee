import type { Archive, OriginalReader, ReadOptions } from "./archive.ts";

/** An original to be read in pieces, from whatever archive. Rejects as `Archive.get` does. */
export async function openOriginal(
  archive: Archive,
  handle: string,
  options?: ReadOptions,
): Promise<OriginalReader> {
  if (archive.read !== undefined) return archive.read(handle, options);
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

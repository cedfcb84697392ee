import { isHigh } from "../core/text/index.ts";

/** Makes bytes of the pieces of a stream, in the order in which they come. */
export interface ChunkBytes {
  /** Throws a `TypeError` for what is neither bytes nor text. */
  of(chunk: unknown, encoding?: BufferEncoding): Uint8Array;
  /** What is left at the end: nothing, or the half of a character whose other half never came. */
  rest(): Uint8Array;
}

/** A source of text may cut a surrogate pair in two; its first half waits for the other one. */
export function chunkBytes(): ChunkBytes {
  let held = "";
  const take = (): string => {
    const text = held;
    held = "";
    return text;
  };
  return {
    of(chunk, encoding = "utf8") {
      if (typeof chunk !== "string" || !/^utf-?8$/i.test(encoding)) {
        const bytes = typeof chunk === "string" ? Buffer.from(chunk, encoding) : bytesOf(chunk);
        return held === "" ? bytes : Buffer.concat([Buffer.from(take()), bytes]);
      }
      const text = take() + chunk;
      if (!isHigh(text.charCodeAt(text.length - 1))) return Buffer.from(text);
      held = text.slice(-1);
      return Buffer.from(text.slice(0, -1));
    },
    rest: () => Buffer.from(take()),
  };
}

function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  throw new TypeError(`A spill takes bytes or text; this is of type ${typeof chunk}.`);
}

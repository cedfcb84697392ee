/** One piece of memory in which a stream is collected until there is enough of it. */
export interface Block {
  /** Copies what there is room for, from an offset of the chunk on; where it got to. */
  take(chunk: Uint8Array, from: number): number;
  isFull(): boolean;
  /** What was taken since `clear`; the memory is used again. */
  content(): Uint8Array;
  /** Whether that is all that was ever taken. */
  isWhole(): boolean;
  clear(): void;
}

const FIRST_BYTES = 16_384;
/** Small enough to be in the processor's cache still when it is written. */
const BLOCK_BYTES = 262_144;

/** Holds the first `heldBytes` of a stream, and from then on pieces of 256 KB. */
export function createBlock(heldBytes: number): Block {
  let memory = new Uint8Array(Math.min(FIRST_BYTES, heldBytes));
  let filled = 0;
  let isWhole = true;
  const growTo = (needed: number): void => {
    if (!isWhole || needed <= memory.length) return;
    const larger = new Uint8Array(Math.min(heldBytes, Math.max(needed, 4 * memory.length)));
    larger.set(memory);
    memory = larger;
  };
  return {
    take(chunk, from) {
      growTo(Math.min(heldBytes, filled + chunk.length - from));
      const piece = chunk.subarray(from, from + memory.length - filled);
      memory.set(piece, filled);
      filled += piece.length;
      return from + piece.length;
    },
    isFull: () => filled === memory.length && (!isWhole || filled === heldBytes),
    content: () => memory.subarray(0, filled),
    isWhole: () => isWhole,
    clear() {
      memory = memory.subarray(0, BLOCK_BYTES);
      filled = 0;
      isWhole = false;
    },
  };
}

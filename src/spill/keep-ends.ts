import { countNewlines } from "./count-newlines.ts";

/** The two ends of a stream of bytes, in bounded memory. */
export interface Ends {
  add(chunk: Uint8Array): void;
  /** Bytes and line ends of the whole stream so far. */
  bytes(): number;
  newlines(): number;
  /** Whether the stream so far ends with a line end. */
  endsLine(): boolean;
  /** The whole stream while it is at most twice the capacity; `undefined` once it is longer. */
  whole(): Uint8Array | undefined;
  /** At most `capacity` bytes of the start and of the end; both are copies. */
  head(): Uint8Array;
  tail(): Uint8Array;
}

const FIRST_ALLOCATION = 4_096;
const NEWLINE = 10;

/**
 * Keeps the first and the last `capacity` bytes of a stream, so at most twice that in memory. What
 * is kept is copied: the chunks may be used again.
 */
export function keepEnds(capacity: number): Ends {
  let head = new Uint8Array(Math.min(capacity, FIRST_ALLOCATION));
  let ring = new Uint8Array(0);
  let [bytes, newlines, last] = [0, 0, NEWLINE];

  const addToHead = (chunk: Uint8Array): number => {
    const taken = Math.min(chunk.length, Math.max(0, capacity - bytes));
    if (taken === 0) return 0;
    if (bytes + taken > head.length) head = grown(head, bytes + taken, capacity);
    head.set(chunk.subarray(0, taken), bytes);
    return taken;
  };
  const addToRing = (chunk: Uint8Array, at: number): void => {
    if (chunk.length === 0) return;
    if (ring.length === 0) ring = new Uint8Array(capacity);
    const rest = chunk.subarray(Math.max(0, chunk.length - capacity));
    const from = (at + chunk.length - rest.length) % capacity;
    const first = rest.subarray(0, capacity - from);
    ring.set(first, from);
    ring.set(rest.subarray(first.length), 0);
  };
  /** What came after the head: at most the last `capacity` bytes of it, in order. */
  const afterHead = (): Uint8Array => {
    const after = Math.max(0, bytes - capacity);
    if (after <= capacity) return ring.slice(0, after);
    const from = after % capacity;
    return joined(ring.subarray(from), ring.subarray(0, from));
  };

  return {
    add(chunk) {
      const taken = addToHead(chunk);
      addToRing(chunk.subarray(taken), Math.max(0, bytes - capacity));
      bytes += chunk.length;
      newlines += countNewlines(chunk);
      last = chunk.at(-1) ?? last;
    },
    bytes: () => bytes,
    newlines: () => newlines,
    endsLine: () => last === NEWLINE,
    whole: () => (bytes <= 2 * capacity ? joined(head.subarray(0, bytes), afterHead()) : undefined),
    head: () => head.slice(0, bytes),
    tail() {
      const end = afterHead();
      const missing = Math.min(capacity, bytes) - end.length;
      const known = Math.min(bytes, capacity);
      return joined(head.subarray(known - missing, known), end);
    },
  };
}

function grown(buffer: Uint8Array, needed: number, most: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(Math.min(most, Math.max(needed, buffer.length * 2)));
  larger.set(buffer);
  return larger;
}

function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  const all = new Uint8Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}

import type { ByteWindow } from "./regex-window.ts";

/** Where a window begins between two places of a block; -1 where it is not. */
export type FindWindow = (block: Uint8Array, from: number, to: number) => number;

const BYTES = 256;

/**
 * Looks for a window of at least two positions. It looks at two bytes at a time, and the pair says
 * how far the end of the window is at least (Wu and Manber's way for many words): most of a text is
 * skipped, window by window. It never takes longer than the text times the window.
 */
export function findWindow(window: ByteWindow): FindWindow {
  const { length } = window;
  const places = placesOf(window);
  const { skips, skipsOn } = skipsOf(places, length);
  return (block, from, to) => {
    let last = from + length - 1;
    while (last < to) {
      const pair = (block[last - 1] as number) | ((block[last] as number) << 8);
      const skip = skips[pair] as number;
      if (skip > 0) {
        last += skip;
        continue;
      }
      const start = last - length + 1;
      if (fits(block, start, places, length - 2)) return start;
      last += skipsOn[pair] as number;
    }
    return -1;
  };
}

/** Whether the first positions of a window fit. */
function fits(block: Uint8Array, start: number, places: Uint32Array, count: number): boolean {
  for (let at = 0; at < count; at++) {
    if ((((places[block[start + at] as number] as number) >>> at) & 1) === 0) return false;
  }
  return true;
}

/** For each byte a bit for every position at which it can stand. */
function placesOf(window: ByteWindow): Uint32Array {
  const places = new Uint32Array(BYTES);
  window.forEach((bytes, at) => {
    for (let byte = 0; byte < BYTES; byte++) {
      if (bytes[byte] === 1) places[byte] = (places[byte] as number) | (1 << at);
    }
  });
  return places;
}

/** How far to go on after a pair: to where it could end a window, and to where it could next. */
function skipsOf(places: Uint32Array, length: number): { skips: Uint8Array; skipsOn: Uint8Array } {
  const skips = new Uint8Array(BYTES * BYTES);
  const skipsOn = new Uint8Array(BYTES * BYTES);
  for (let second = 0; second < BYTES; second++) {
    const ends = places[second] as number;
    // A byte that can begin a window is its first one in the next that is looked at.
    const most = (ends & 1) === 1 ? length - 1 : length;
    for (let first = 0; first < BYTES; first++) {
      const pairs = (places[first] as number) & (ends >>> 1);
      const isLast = ((pairs >>> (length - 2)) & 1) === 1;
      const earlier = pairs & ~(1 << (length - 2));
      const on = earlier === 0 ? most : length - 2 - (31 - Math.clz32(earlier));
      skips[first | (second << 8)] = isLast ? 0 : on;
      skipsOn[first | (second << 8)] = on;
    }
  }
  return { skips, skipsOn };
}

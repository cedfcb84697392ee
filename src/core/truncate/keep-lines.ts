import {
  endWithin,
  partEnd,
  partStart,
  safeEnd,
  safeStart,
  startWithin,
  addCleaning,
  type Cleaning,
  isDirty,
  NO_CLEANING,
  utf8Length,
  terminalText,
} from "../text/index.ts";
import type { Limits } from "./limits.ts";

/** What is kept of one end of an output. */
export interface Kept {
  /** Clean, and within the limits it was made for. */
  readonly text: string;
  readonly lines: number;
  readonly bytes: number;
  /** Where the kept piece begins and ends in the text it was taken from. */
  readonly from: number;
  readonly to: number;
  /** Whether it begins (tail) or ends (head) inside a line. */
  readonly isLineCut: boolean;
  readonly cleaning: Cleaning;
}

/**
 * A line is cut only where leaving it out would leave more than half of the room empty: a
 * 300 MB line must show something, and a line of a log is better whole or not at all.
 */
const ROOM_TO_CUT = 0.5;

/** The lines of the end of a text that fit. `isStart`: the text's first line is a whole line. */
export function keepTail(text: string, limits: Limits, isStart: boolean): Kept {
  const walk = createWalk(text, limits);
  let from = text.length;
  let isLineCut = false;
  while (from > 0 && walk.lines < limits.maxLines) {
    const start = text.lastIndexOf("\n", from - 2) + 1;
    const isWhole = (start > 0 && from > 1) || isStart;
    // "\n" alone at the very start: `lastIndexOf` with -1 would find that same line end.
    const begin = from === 1 ? 0 : start;
    if (isWhole && walk.take(begin, from, "start")) {
      from = begin;
      continue;
    }
    if (!walk.hasRoomToCut()) break;
    const least = Math.max(begin, startWithin(text, from, walk.room()));
    const safe = safeStart(text, least);
    // A part of a character is better than nothing at all.
    const cut = safe >= from && walk.lines === 0 ? partStart(text, least) : safe;
    isLineCut = cut < from && walk.take(cut, from, "start");
    if (isLineCut) from = cut;
    break;
  }
  return walk.kept(from, text.length, isLineCut);
}

/** The lines of the start of a text that fit. `isEnd`: the text's last line is a whole line. */
export function keepHead(text: string, limits: Limits, isEnd: boolean): Kept {
  const walk = createWalk(text, limits);
  let to = 0;
  let isLineCut = false;
  while (to < text.length && walk.lines < limits.maxLines) {
    const end = text.indexOf("\n", to) + 1;
    const isWhole = end > 0 || isEnd;
    const stop = end > 0 ? end : text.length;
    if (isWhole && walk.take(to, stop, "end")) {
      to = stop;
      continue;
    }
    if (!walk.hasRoomToCut()) break;
    const most = Math.min(stop, endWithin(text, to, walk.room()));
    const safe = safeEnd(text, most);
    const cut = safe <= to && walk.lines === 0 ? partEnd(text, most) : safe;
    isLineCut = cut > to && walk.take(to, cut, "end");
    if (isLineCut) to = cut;
    break;
  }
  return walk.kept(0, to, isLineCut);
}

interface Walk {
  readonly lines: number;
  /** Adds a piece if it fits once it is clean. */
  take(from: number, to: number, side: "start" | "end"): boolean;
  /** Bytes that are still free. */
  room(): number;
  hasRoomToCut(): boolean;
  kept(from: number, to: number, isLineCut: boolean): Kept;
}

function createWalk(text: string, limits: Limits): Walk {
  const isPlain = !isDirty(text);
  const pieces: string[] = [];
  let lines = 0;
  let bytes = 0;
  let cleaning = NO_CLEANING;
  let isBackward = false;
  return {
    get lines() {
      return lines;
    },
    take(from, to, side) {
      // A line that cannot become short enough is not looked at.
      if (isPlain && to - from > limits.maxBytes - bytes) return false;
      const raw = text.slice(from, to);
      const clean = isPlain ? { text: raw, cleaning: NO_CLEANING } : terminalText(raw);
      const size = utf8Length(clean.text);
      if (bytes + size > limits.maxBytes) return false;
      pieces.push(clean.text);
      bytes += size;
      lines++;
      cleaning = addCleaning(cleaning, clean.cleaning);
      isBackward = side === "start";
      return true;
    },
    room: () => limits.maxBytes - bytes,
    hasRoomToCut: () => limits.maxBytes - bytes >= limits.maxBytes * ROOM_TO_CUT,
    kept(from, to, isLineCut) {
      const ordered = isBackward ? pieces.reverse() : pieces;
      return { text: ordered.join(""), lines, bytes, from, to, isLineCut, cleaning };
    },
  };
}

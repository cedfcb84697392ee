import {
  addCleaning,
  isDirty,
  NO_CLEANING,
  terminalText,
  type Cleaning,
} from "../text/terminal.ts";
import {
  endWithin,
  partEnd,
  partStart,
  safeEnd,
  safeStart,
  startWithin,
} from "../text/boundary.ts";
import { utf8Length } from "../text/utf8.ts";
import type { Limits } from "./limits.ts";

/** The kept part of one end of an output. */
export interface Kept {
  /** Clean, and within the limits it was made for. */
  readonly text: string;
  readonly lines: number;
  readonly bytes: number;
  /** The place of the kept piece in the text it was taken from. */
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
  const taken = createTaken(text, "tail", limits);
  let from = text.length;
  while (from > 0 && taken.hasLines()) {
    const begin = from === 1 ? 0 : text.lastIndexOf("\n", from - 2) + 1;
    const isWhole = begin > 0 || isStart;
    if (isWhole && taken.add(text.slice(begin, from))) {
      from = begin;
      continue;
    }
    if (!taken.hasRoomToCut()) break;
    const least = Math.max(begin, startWithin(text, from, taken.room()));
    const safe = safeStart(text, least);
    // A part of a character is better than nothing at all.
    const cut = safe >= from && taken.isEmpty() ? partStart(text, least) : safe;
    if (cut >= from || !taken.add(text.slice(cut, from))) break;
    return taken.kept(cut, text.length, true);
  }
  return taken.kept(from, text.length, false);
}

/** The lines of the start of a text that fit. `isEnd`: the text's last line is a whole line. */
export function keepHead(text: string, limits: Limits, isEnd: boolean): Kept {
  const taken = createTaken(text, "head", limits);
  let to = 0;
  while (to < text.length && taken.hasLines()) {
    const end = text.indexOf("\n", to) + 1;
    const stop = end > 0 ? end : text.length;
    const isWhole = end > 0 || isEnd;
    if (isWhole && taken.add(text.slice(to, stop))) {
      to = stop;
      continue;
    }
    if (!taken.hasRoomToCut()) break;
    const most = Math.min(stop, endWithin(text, to, taken.room()));
    const safe = safeEnd(text, most);
    const cut = safe <= to && taken.isEmpty() ? partEnd(text, most) : safe;
    const part = text.slice(to, cut);
    // A state that is overwritten further on was not to stay.
    if (part.includes("\r") || part === "" || !taken.add(part)) break;
    return taken.kept(0, cut, true);
  }
  return taken.kept(0, to, false);
}

function createTaken(text: string, end: "head" | "tail", limits: Limits) {
  const { maxLines, maxBytes } = limits;
  const isPlain = !isDirty(text);
  const pieces: string[] = [];
  let bytes = 0;
  let cleaning = NO_CLEANING;
  return {
    hasLines: () => pieces.length < maxLines,
    isEmpty: () => pieces.length === 0,
    /** Bytes that are still free. */
    room: () => maxBytes - bytes,
    hasRoomToCut: () => maxBytes - bytes >= maxBytes * ROOM_TO_CUT,
    /** Takes the next piece if it fits once it is clean. */
    add(piece: string): boolean {
      // A line that cannot become short enough is not looked at.
      if (isPlain && piece.length > maxBytes - bytes) return false;
      const clean = isPlain ? { text: piece, cleaning: NO_CLEANING } : terminalText(piece);
      const size = utf8Length(clean.text);
      if (bytes + size > maxBytes) return false;
      pieces.push(clean.text);
      bytes += size;
      cleaning = addCleaning(cleaning, clean.cleaning);
      return true;
    },
    kept(from: number, to: number, isLineCut: boolean): Kept {
      const ordered = end === "tail" ? pieces.reverse() : pieces;
      return { text: ordered.join(""), lines: pieces.length, bytes, from, to, isLineCut, cleaning };
    },
  };
}

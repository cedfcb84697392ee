import {
  addCleaning,
  type Cleaning,
  isDirty,
  NO_CLEANING,
  terminalText,
} from "../text/terminal.ts";
import { ERROR_SCAN_UNITS, type ErrorLines, findErrorLines, NAMED_ERRORS } from "../text/errors.ts";
import { lineEnds, utf8Length } from "../text/utf8.ts";
import { binaryKind } from "./binary.ts";
import { type Direction, type Limits, type ToolLimits, windowBytes } from "./limits.ts";
import type { Omitted, Truncation } from "./truncation.ts";
import {
  endWithin,
  partEnd,
  partStart,
  safeEnd,
  safeStart,
  startWithin,
} from "../text/boundary.ts";

/** The two ends of an output that is too large; both may be the same whole text. */
export interface Ends {
  readonly head: string;
  readonly tail: string;
  /** `head` and `tail` are one text, the whole output. */
  readonly isWhole: boolean;
  readonly total: { readonly lines?: number; readonly bytes: number };
  /** Pieces that were no UTF-8 when the ends were made. */
  readonly invalid: number;
}

interface KeptEnds {
  readonly head?: Kept;
  readonly tail?: Kept;
}

/** The share of the room that the start gets where both ends are kept; the end says how it came out. */
const HEAD_SHARE = 0.35;
/** Room for the line between the two ends. */
const GAP: Limits = { maxLines: 1, maxBytes: 160 };
/** With less room than that, two ends would show nothing. */
const LEAST_FOR_BOTH: Limits = { maxLines: 5, maxBytes: 800 };

/** The order of choice, where an end is binary, blank, or a state that was overwritten. */
const INSTEAD: Readonly<Record<Direction, readonly Direction[]>> = {
  tail: ["tail", "head"],
  head: ["head", "tail"],
  both: ["both", "tail", "head"],
};

/** Cuts an output that does not fit, or that is no text. */
export function cutEnds(given: Ends, { limits, direction }: ToolLimits): Truncation {
  const kinds = {
    head: given.head === "" ? "" : binaryKind(given.head, "head"),
    tail: given.tail === "" ? "" : binaryKind(given.tail, "tail"),
  };
  if (kinds.head !== undefined && kinds.tail !== undefined) {
    const binary = kinds.head || kinds.tail || "binary data";
    return describeBinary(given, { limits, direction }, binary);
  }
  const ends = {
    ...given,
    head: kinds.head === undefined ? given.head : "",
    tail: kinds.tail === undefined ? given.tail : "",
    isWhole: given.isWhole && kinds.head === kinds.tail,
  };
  const isSmall =
    limits.maxBytes < LEAST_FOR_BOTH.maxBytes || limits.maxLines < LEAST_FOR_BOTH.maxLines;
  const wanted = direction === "both" && isSmall ? "tail" : direction;
  if (ends.isWhole && ends.head.length <= windowBytes(limits)) {
    const whole = tailOf(ends, limits);
    // It fits once colours and overwritten lines are gone.
    if (whole.from === 0 && !isBlank(whole)) return assemble(ends, { tail: whole }, wanted, limits);
  }
  for (const side of INSTEAD[wanted]) {
    const kept = keepEnds(ends, side, limits);
    if (kept !== undefined) return assemble(ends, kept, side, limits);
  }
  const side = wanted === "head" ? "head" : "tail";
  return assemble(ends, oneOf(ends, side, limits), side, limits);
}

function describeBinary(
  { total }: Ends,
  { limits, direction }: ToolLimits,
  binary: string,
): Truncation {
  return {
    text: `[binary output: ${binary}, ${total.bytes} bytes]`.slice(0, limits.maxBytes),
    isTruncated: true,
    direction,
    total,
    kept: { lines: 0, bytes: 0 },
    omitted: { bytes: total.bytes },
    isLineCut: false,
    binary,
  };
}

/** The wanted ends; `undefined` where one of them would show nothing. */
function keepEnds(ends: Ends, side: Direction, limits: Limits): KeptEnds | undefined {
  const kept = side === "both" ? bothOf(ends, limits) : oneOf(ends, side, limits);
  const isShown = [kept.head, kept.tail].every((end) => end === undefined || !isBlank(end));
  return isShown ? kept : undefined;
}

function oneOf(ends: Ends, side: Direction, limits: Limits): KeptEnds {
  return side === "head" ? { head: headOf(ends, limits) } : { tail: tailOf(ends, limits) };
}

function isBlank({ text }: Kept): boolean {
  return !/\S/.test(text);
}

/** The end gets its share first, and the start what that leaves. */
function bothOf(ends: Ends, limits: Limits): KeptEnds {
  const maxLines = limits.maxLines - GAP.maxLines;
  const maxBytes = limits.maxBytes - GAP.maxBytes;
  const tail = tailOf(ends, {
    maxLines: maxLines - Math.floor(maxLines * HEAD_SHARE),
    maxBytes: maxBytes - Math.floor(maxBytes * HEAD_SHARE),
  });
  const left = { maxLines: maxLines - tail.lines, maxBytes: maxBytes - tail.bytes };
  return { head: headOf(ends, left, ends.isWhole ? tail.from : ends.head.length), tail };
}

function headOf({ head, isWhole }: Ends, limits: Limits, end: number = head.length): Kept {
  const window = head.slice(0, Math.min(end, windowBytes(limits)));
  return keepHead(window, limits, isWhole && window.length === head.length);
}

function tailOf({ tail, isWhole }: Ends, limits: Limits): Kept {
  const window = tail.slice(-windowBytes(limits));
  const kept = keepTail(window, limits, isWhole && window.length === tail.length);
  const base = tail.length - window.length;
  return { ...kept, from: kept.from + base, to: kept.to + base };
}

function assemble(
  ends: Ends,
  { head, tail }: KeptEnds,
  direction: Direction,
  limits: Limits,
): Truncation {
  const omitted = omittedPart(ends, { head, tail });
  const gap = head !== undefined && tail !== undefined ? gapLine(head, omitted) : "";
  const text = `${head?.text ?? ""}${gap}${tail?.text ?? ""}`;
  const cleaning = addCleaning(head?.cleaning ?? NO_CLEANING, tail?.cleaning ?? NO_CLEANING);
  // Both ends may hold a part of the same line.
  const isOneLine =
    head?.isLineCut === true && tail?.isLineCut === true && omitted?.fromLine === omitted?.toLine;
  return {
    // A piece that is nothing but escape sequences still has to show something.
    text: text === "" ? "[no visible text]".slice(0, limits.maxBytes) : text,
    isTruncated: true,
    direction,
    total: ends.total,
    kept: {
      lines: (head?.lines ?? 0) + (tail?.lines ?? 0) - (isOneLine ? 1 : 0),
      bytes: (head?.bytes ?? 0) + (tail?.bytes ?? 0),
    },
    omitted,
    cleaning: { ...cleaning, invalid: cleaning.invalid + ends.invalid },
    isLineCut: head?.isLineCut === true || tail?.isLineCut === true,
  };
}

/** Stands between the two ends; nothing where they meet. */
function gapLine(head: Kept, omitted: Omitted | undefined): string {
  if (omitted === undefined) return "";
  const { fromLine = 1, toLine, bytes } = omitted;
  const lines = fromLine === toLine ? `in line ${fromLine}` : `in lines ${fromLine} to ${toLine}`;
  const where = toLine === undefined ? `from line ${fromLine} on` : lines;
  const start = head.text.endsWith("\n") ? "" : "\n";
  return `${start}[… ${bytes} bytes left out here, ${where} …]\n`;
}

function omittedPart(ends: Ends, { head, tail }: KeptEnds): Omitted | undefined {
  const end = tail?.from ?? ends.tail.length;
  if (ends.isWhole && (head?.to ?? 0) === end) return undefined;
  const { lines, bytes } = ends.total;
  const headBytes = head === undefined ? 0 : utf8Length(ends.head, 0, head.to);
  const tailBytes = tail === undefined ? 0 : utf8Length(ends.tail, tail.from);
  const fromLine = 1 + wholeLines(head);
  const toLine = lines === undefined ? undefined : lines - wholeLines(tail);
  const errors = head && tail && omittedErrors(ends, head, tail);
  return {
    fromLine,
    toLine,
    lines: toLine === undefined ? undefined : toLine - fromLine + 1,
    bytes: Math.max(0, bytes - headBytes - tailBytes),
    fromByte: headBytes,
    errors: errors?.count === 0 ? undefined : errors,
  };
}

/** A line of which only a part is kept belongs to what is left out. */
function wholeLines(kept: Kept | undefined): number {
  return (kept?.lines ?? 0) - (kept?.isLineCut === true ? 1 : 0);
}

/** The lines that are left out of the two ends are searched, those at the start first. */
function omittedErrors(ends: Ends, head: Kept, tail: Kept): ErrorLines {
  const after = ends.isWhole ? tail.from : ends.head.length;
  const start = findErrorLines(ends.head.slice(head.to, after), 1 + wholeLines(head));
  if (ends.isWhole) return start;
  const piece = ends.tail.slice(0, tail.from).slice(-ERROR_SCAN_UNITS);
  const { lines } = ends.total;
  const first = lines === undefined ? undefined : lines - tail.lines + 1 - lineEnds(piece);
  const end = findErrorLines(piece, first);
  return {
    count: start.count + end.count,
    first: [...start.first, ...end.first].slice(0, NAMED_ERRORS),
    isPartial: true,
  };
}

interface Kept {
  /** Clean, and within the limits it was made for. */
  readonly text: string;
  readonly lines: number;
  readonly bytes: number;
  /** The place of the kept piece in the text it was taken from. */
  readonly from: number;
  readonly to: number;
  /** It begins (tail) or ends (head) inside a line. */
  readonly isLineCut: boolean;
  readonly cleaning: Cleaning;
}

/**
 * A line is cut only where leaving it out would leave more than half of the room empty: a
 * 300 MB line must show something, and a line of a log is better whole or not at all.
 */
const ROOM_TO_CUT = 0.5;

/** The lines of the end of a text that fit. `isStart`: the text's first line is a whole line. */
function keepTail(text: string, limits: Limits, isStart: boolean): Kept {
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
function keepHead(text: string, limits: Limits, isEnd: boolean): Kept {
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

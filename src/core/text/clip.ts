import { endWithin, safeEnd, safeStart, startWithin } from "./boundary.ts";
import { oneLine } from "./clean.ts";
import { utf8Length } from "./utf8.ts";

/** Counts the tokens of a text; an integer >= 0. */
export type CountTokens = (text: string) => number;

/** The most that a text may have: UTF-16 units, bytes of UTF-8, or tokens as somebody counts them. */
export type TextSize =
  | { readonly length: number }
  | { readonly bytes: number }
  | { readonly tokens: number; readonly count: CountTokens };

export interface ClipOptions {
  /** Which part stays; of both ends the start gets a third. @default "start" */
  readonly keep?: "start" | "end" | "both";
  /** The mark in place of the piece that is left out; its size counts. @default "…" */
  readonly mark?: string | ((left: string) => string);
  /** Whether a cut moves to a line end where that costs less than half of an end. @default false */
  readonly atLineEnds?: boolean;
}

/** The share of the room that the start gets where both ends stay; the end says how it came out. */
const HEAD_SHARE = 0.35;
/** Counts of pieces need not add up to the count of the whole, so the room shrinks as needed. */
const TRIES = 12;
/** A search for a number of tokens ends at so small a share of what was found. */
const EXACT = 128;

/**
 * A text cut to a size, with a mark where something is left out. A text that fits comes back as it
 * is, so cutting twice changes nothing. No cut falls within a visible character, a CRLF or an escape
 * sequence. If only the mark has room, the mark is all, even if it is too large.
 */
export function clip(text: string, size: TextSize, options: ClipOptions = {}): string {
  const ruler = rulerOf(size);
  if (ruler.fits(text)) return text;
  const { mark = "…" } = options;
  const markOf = typeof mark === "string" ? (): string => mark : mark;
  let room = ruler.most - ruler.measure(markOf(text));
  for (let tries = 0; tries < TRIES && room > 0; tries++) {
    const { head, tail } = endsWithin(text, ruler.of(room), options);
    const left = text.slice(head.length, text.length - tail.length);
    const clipped = `${options.keep === "both" ? head : head.trimEnd()}${markOf(left)}${tail}`;
    const excess = ruler.measure(clipped) - ruler.most;
    if (excess <= 0) return head === "" && tail === "" ? markOf(text) : clipped;
    room -= excess;
  }
  return markOf(text);
}

/** A text on one line, clean, and clipped at its end; 120 UTF-16 units unless told. */
export function clipLine(text: string, length = 120): string {
  // A line of a few words is all that is wanted of a text of megabytes.
  const start = text.slice(0, safeEnd(text, 4 * length));
  const line = oneLine(start);
  // Most texts are short, and a clip costs more than all of this.
  if (start === text && line.length <= length) return line;
  return clip(start === text ? line : `${line}…`, { length });
}

/** The longest start of a text within a size; never inside a character. */
export function headWithin(text: string, size: TextSize): string {
  return rulerOf(size).head(text);
}

/** The longest end of a text within a size; never inside a character. */
export function tailWithin(text: string, size: TextSize): string {
  return rulerOf(size).tail(text);
}

function endsWithin(
  text: string,
  ruler: Ruler,
  { keep = "start", atLineEnds = false }: ClipOptions,
): { head: string; tail: string } {
  if (keep === "start") return { head: wholeLines(ruler.head(text), atLineEnds), tail: "" };
  const share = keep === "end" ? 0 : Math.floor(ruler.most * HEAD_SHARE);
  const head = wholeLines(ruler.of(share).head(text), atLineEnds);
  const left = ruler.of(ruler.most - ruler.measure(head));
  const tail = left.tail(text.slice(head.length));
  const line = atLineEnds ? tail.indexOf("\n") : -1;
  return { head, tail: line >= 0 && line < tail.length / 2 ? tail.slice(line + 1) : tail };
}

function wholeLines(head: string, atLineEnds: boolean): string {
  const line = atLineEnds ? head.lastIndexOf("\n") : -1;
  return line > head.length / 2 ? head.slice(0, line) : head;
}

interface Ruler {
  readonly most: number;
  of(most: number): Ruler;
  measure(text: string): number;
  fits(text: string): boolean;
  head(text: string): string;
  tail(text: string): string;
}

function rulerOf(size: TextSize): Ruler {
  if ("length" in size) return lengthRuler(size.length);
  return "bytes" in size ? byteRuler(size.bytes) : tokenRuler(size.tokens, size.count);
}

function lengthRuler(most: number): Ruler {
  const room = Math.max(0, most);
  return {
    most,
    of: lengthRuler,
    measure: (text) => text.length,
    fits: (text) => text.length <= most,
    head: (text) => startOf(text, Math.min(room, text.length)),
    tail: (text) => endOf(text, Math.max(0, text.length - room)),
  };
}

function byteRuler(most: number): Ruler {
  return {
    most,
    of: byteRuler,
    measure: (text) => utf8Length(text),
    fits: (text) => text.length <= most && utf8Length(text) <= most,
    head: (text) => startOf(text, endWithin(text, 0, most)),
    tail: (text) => endOf(text, startWithin(text, text.length, most)),
  };
}

function tokenRuler(most: number, count: CountTokens): Ruler {
  const within = (text: string, piece: (units: number) => string): number =>
    mostUnits(text.length, (units) => count(piece(units)) <= most);
  return {
    most,
    of: (other) => tokenRuler(other, count),
    measure: count,
    fits: (text) => count(text) <= most,
    head: (text) =>
      startOf(
        text,
        within(text, (units) => text.slice(0, units)),
      ),
    tail: (text) =>
      endOf(text, text.length - within(text, (units) => text.slice(text.length - units))),
  };
}

/** About the largest number of units that fits; what is looked at grows with what is found only. */
function mostUnits(length: number, fits: (units: number) => boolean): number {
  let low = 0;
  let high = 64;
  while (high < length && fits(high)) [low, high] = [high, high * 2];
  high = Math.min(high, length);
  if (fits(high)) return high;
  while (high - low > Math.max(1, low / EXACT)) {
    const middle = (low + high) >> 1;
    if (fits(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function startOf(text: string, end: number): string {
  return text.slice(0, safeEnd(text, end));
}

function endOf(text: string, start: number): string {
  return text.slice(safeStart(text, start));
}

import {
  ERROR_SCAN_UNITS,
  type ErrorLines,
  findErrorLines,
  lineEnds,
  NAMED_ERRORS,
  addCleaning,
  type Cleaning,
  NO_CLEANING,
  utf8Length,
  terminalText,
} from "../text/index.ts";
import { binaryKind } from "./binary.ts";
import { type Kept, keepHead, keepTail } from "./keep-lines.ts";
import { type Direction, type Limits, windowBytes } from "./limits.ts";
import type { Omitted, Truncation } from "./truncation.ts";

/** The two ends of an output that is too large; both may be the same whole text. */
export interface Ends {
  readonly head: string;
  readonly tail: string;
  /** Whether `head` and `tail` are one text, the whole output. */
  readonly isWhole: boolean;
  readonly total: { readonly lines?: number; readonly bytes: number };
  /** Pieces that were no UTF-8 when the ends were made. */
  readonly invalid: number;
}

export interface CutOptions {
  readonly limits: Limits;
  readonly direction: Direction;
}

/** The share of the room that the start gets where both ends are kept; the end says how it came out. */
const HEAD_SHARE = 0.35;
/** What the line between the two ends may need. */
const GAP: Limits = { maxLines: 1, maxBytes: 160 };
/** With less room than that, two ends would show nothing. */
const LEAST_FOR_BOTH: Limits = { maxLines: 5, maxBytes: 800 };

/** Cuts an output that does not fit, or that is no text. */
export function cutEnds(ends: Ends, options: CutOptions): Truncation {
  const direction = possibleDirection(ends, options);
  if (direction === undefined) return describeBinary(ends, options);
  const { limits } = options;
  const possible = { limits, direction };
  const whole = ends.isWhole ? cleanedWhole(ends, possible) : undefined;
  if (whole !== undefined) return whole;
  return direction === "both" ? cutBoth(ends, limits) : cutOne(ends, limits, direction);
}

/** One end; the other one where that is thousands of blank lines, or a state that was overwritten. */
function cutOne(ends: Ends, limits: Limits, direction: "head" | "tail"): Truncation {
  const kept = keepEnd(ends, direction, limits);
  const other = direction === "head" ? "tail" : "head";
  const instead = isBlank(kept) ? keepEnd(ends, other, limits) : undefined;
  return instead === undefined || isBlank(instead)
    ? assemble(ends, { limits, direction }, { [direction]: kept })
    : assemble(ends, { limits, direction: other }, { [other]: instead });
}

/** Nothing of an end that is no text. */
function keepEnd(ends: Ends, end: "head" | "tail", limits: Limits): Kept {
  const isText = binaryKind(ends[end], end === "head" ? "start" : "end") === undefined;
  const given = isText ? ends : { ...ends, [end]: "" };
  return end === "head" ? headOf(given, limits) : tailOf(given, limits);
}

function isBlank({ text }: Kept): boolean {
  return !/\S/.test(text);
}

/** An end that is binary or blank is not worth keeping when the other one says something. */
function possibleDirection(ends: Ends, { direction, limits }: CutOptions): Direction | undefined {
  const head = ends.head === "" ? "binary" : judge(ends.head, "start", limits);
  const tail = ends.tail === "" ? "binary" : judge(ends.tail, "end", limits);
  if (head === "binary" && tail === "binary") return undefined;
  const isSmall =
    limits.maxBytes < LEAST_FOR_BOTH.maxBytes || limits.maxLines < LEAST_FOR_BOTH.maxLines;
  const wanted = direction === "both" && isSmall ? "tail" : direction;
  if (head === tail) return wanted;
  if (wanted !== "head" && tail !== "text" && head !== "binary") return "head";
  if (wanted !== "tail" && head !== "text" && tail !== "binary") return "tail";
  return wanted;
}

function judge(text: string, end: "start" | "end", limits: Limits): "text" | "blank" | "binary" {
  if (binaryKind(text, end) !== undefined) return "binary";
  const size = windowBytes(limits);
  const near = end === "start" ? text.slice(0, size) : text.slice(-size);
  return /\S/.test(near) ? "text" : "blank";
}

/** An output that fits once colours and overwritten lines are gone. */
function cleanedWhole(ends: Ends, { limits, direction }: CutOptions): Truncation | undefined {
  if (ends.head.length > windowBytes(limits)) return undefined;
  const { text, cleaning } = terminalText(ends.head);
  const bytes = utf8Length(text);
  const lines = ends.total.lines ?? 0;
  if (bytes > limits.maxBytes || lines > limits.maxLines) return undefined;
  return {
    text: visible(text, limits),
    isTruncated: true,
    direction,
    total: ends.total,
    kept: { lines, bytes },
    cleaning: { ...cleaning, invalid: cleaning.invalid + ends.invalid },
    isLineCut: false,
  };
}

function headOf(ends: Ends, limits: Limits, end: number = ends.head.length): Kept {
  const window = ends.head.slice(0, Math.min(end, windowBytes(limits)));
  const cut = keepHead(window, limits, ends.isWhole && window.length === ends.head.length);
  return isPassingState(ends, cut) ? withoutLastLine(ends, cut) : cut;
}

function tailOf({ tail, isWhole }: Ends, limits: Limits): Kept {
  const window = tail.slice(-windowBytes(limits));
  const kept = keepTail(window, limits, isWhole && window.length === tail.length);
  const base = tail.length - window.length;
  return { ...kept, from: kept.from + base, to: kept.to + base };
}

function cutBoth(ends: Ends, limits: Limits): Truncation {
  const room = {
    maxLines: limits.maxLines - GAP.maxLines,
    maxBytes: limits.maxBytes - GAP.maxBytes,
  };
  const tail = tailOf(ends, {
    maxLines: room.maxLines - Math.floor(room.maxLines * HEAD_SHARE),
    maxBytes: room.maxBytes - Math.floor(room.maxBytes * HEAD_SHARE),
  });
  const left = { maxLines: room.maxLines - tail.lines, maxBytes: room.maxBytes - tail.bytes };
  const head = headOf(ends, left, ends.isWhole ? tail.from : ends.head.length);
  return head.text === ""
    ? assemble(ends, { limits, direction: "tail" }, { tail })
    : assemble(ends, { limits, direction: "both" }, { head, tail });
}

/** Whether the head ends within a line that is overwritten further on: that state was not to stay. */
function isPassingState({ head }: Ends, { to, isLineCut }: Kept): boolean {
  if (!isLineCut) return false;
  const line = head.slice(head.lastIndexOf("\n", to - 1) + 1, to);
  return line.includes("\r");
}

function withoutLastLine(ends: Ends, cut: Kept): Kept {
  const end = ends.head.lastIndexOf("\n", cut.to - 1) + 1;
  const whole = { maxLines: Math.max(1, cut.lines), maxBytes: Math.max(4, cut.bytes) };
  return keepHead(ends.head.slice(0, end), whole, true);
}

interface KeptEnds {
  readonly head?: Kept;
  readonly tail?: Kept;
}

function assemble(
  ends: Ends,
  { direction, limits }: CutOptions,
  { head, tail }: KeptEnds,
): Truncation {
  const omitted = omittedPart(ends, head, tail);
  const gap = head !== undefined && tail !== undefined ? gapLine(head, omitted) : "";
  return {
    text: visible(`${head?.text ?? ""}${gap}${tail?.text ?? ""}`, limits),
    isTruncated: true,
    direction,
    total: ends.total,
    kept: {
      lines: (head?.lines ?? 0) + (tail?.lines ?? 0) - (isOneLine(omitted, head, tail) ? 1 : 0),
      bytes: (head?.bytes ?? 0) + (tail?.bytes ?? 0),
    },
    ...(omitted !== undefined && { omitted }),
    cleaning: totalCleaning(ends, head, tail),
    isLineCut: head?.isLineCut === true || tail?.isLineCut === true,
  };
}

/** Whether both ends hold a part of the same line. */
function isOneLine(
  omitted: Omitted | undefined,
  head: Kept | undefined,
  tail: Kept | undefined,
): boolean {
  const areCut = head?.isLineCut === true && tail?.isLineCut === true;
  return areCut && omitted?.fromLine !== undefined && omitted.fromLine === omitted.toLine;
}

function totalCleaning(ends: Ends, head: Kept | undefined, tail: Kept | undefined): Cleaning {
  const both = addCleaning(head?.cleaning ?? NO_CLEANING, tail?.cleaning ?? NO_CLEANING);
  return { ...both, invalid: both.invalid + ends.invalid };
}

/** A piece that is nothing but escape sequences still has to show something. */
function visible(text: string, { maxBytes }: Limits): string {
  return text === "" ? "[no visible text]".slice(0, maxBytes) : text;
}

/** Stands between the two ends; nothing where they meet. */
function gapLine(head: Kept, omitted: Omitted | undefined): string {
  if (omitted === undefined) return "";
  const { fromLine = 1, toLine, bytes } = omitted;
  const where =
    toLine === undefined
      ? `from line ${fromLine} on`
      : fromLine === toLine
        ? `in line ${fromLine}`
        : `in lines ${fromLine} to ${toLine}`;
  const start = head.text.endsWith("\n") ? "" : "\n";
  return `${start}[… ${bytes} bytes left out here, ${where} …]\n`;
}

function omittedPart(
  ends: Ends,
  head: Kept | undefined,
  tail: Kept | undefined,
): Omitted | undefined {
  if (head !== undefined && tail !== undefined && ends.isWhole && head.to === tail.from) {
    return undefined;
  }
  const { lines, bytes } = ends.total;
  const headBytes = head === undefined ? 0 : utf8Length(ends.head, head.from, head.to);
  const tailBytes = tail === undefined ? 0 : utf8Length(ends.tail, tail.from, tail.to);
  const fromLine = 1 + wholeLines(head);
  const toLine = lines === undefined ? undefined : lines - wholeLines(tail);
  const errors = head && tail && omittedErrors(ends, head, tail);
  return {
    fromLine,
    ...(toLine !== undefined && { toLine, lines: toLine - fromLine + 1 }),
    bytes: Math.max(0, bytes - headBytes - tailBytes),
    fromByte: headBytes,
    ...(errors !== undefined && errors.count > 0 && { errors }),
  };
}

/** A line of which only a part is kept belongs to what is left out. */
function wholeLines(kept: Kept | undefined): number {
  return (kept?.lines ?? 0) - (kept?.isLineCut === true ? 1 : 0);
}

/** What is left out of the two ends that we hold is searched, the start of it first. */
function omittedErrors(ends: Ends, head: Kept, tail: Kept): ErrorLines {
  const after = ends.isWhole ? tail.from : ends.head.length;
  const start = findErrorLines(ends.head.slice(head.to, after), 1 + wholeLines(head));
  if (ends.isWhole) return start;
  const piece = ends.tail.slice(0, tail.from).slice(-ERROR_SCAN_UNITS);
  const end = findErrorLines(piece, firstLineOf(piece, tail, ends.total.lines));
  return {
    count: start.count + end.count,
    first: [...start.first, ...end.first].slice(0, NAMED_ERRORS),
    isPartial: true,
  };
}

/** The number of the first line of a piece that ends where the kept end begins. */
function firstLineOf(piece: string, tail: Kept, total: number | undefined): number | undefined {
  if (total === undefined) return undefined;
  return total - tail.lines + 1 - lineEnds(piece, 0, piece.length);
}

function describeBinary(ends: Ends, { limits, direction }: CutOptions): Truncation {
  const kind =
    (ends.head === "" ? undefined : binaryKind(ends.head, "start")) ??
    binaryKind(ends.tail, "end") ??
    "binary data";
  return {
    text: `[binary output: ${kind}, ${ends.total.bytes} bytes]`.slice(0, limits.maxBytes),
    isTruncated: true,
    direction,
    total: ends.total,
    kept: { lines: 0, bytes: 0 },
    omitted: { bytes: ends.total.bytes },
    isLineCut: false,
    binary: kind,
  };
}

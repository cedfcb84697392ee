import { endWithin } from "../core/text/boundary.ts";
import { showControls } from "../core/text/clean.ts";
import { decodeUtf8, dropPartialEnd, skipPartialStart } from "../core/text/utf8.ts";
import { ContextError } from "../core/error.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import type { Handle } from "../core/message/index.ts";
import { type Archive, checkedHandle, type OriginalReader } from "./archive.ts";
import {
  BLOCK_BYTES,
  endOfLine,
  lineEndsBetween,
  openOriginal,
  readPiece,
  startOfLine,
} from "./reading.ts";
import { resultNotice } from "./result-notice.ts";

export type Range = readonly [from: number, to: number];

export interface RecallOptions {
  /** The first and the last line, from 1. */
  readonly lines?: Range;
  /** The first byte, from 0, and the one after the last; moved so that no character is split. */
  readonly bytes?: Range;
  /** At least 1. @default 1900 */
  readonly maxLines?: number;
  /** At least 4, the longest character. @default 48000 */
  readonly maxBytes?: number;
}

/** A part of an original. */
export interface Recalled {
  readonly handle: Handle;
  readonly text: string;
  /** The whole original. Lines are missing where counting them would take long. */
  readonly total: { readonly bytes: number; readonly lines?: number };
  /** The place of `text` in it; lines only if it was asked for by lines, or for nothing. */
  readonly shown: { readonly bytes: Range; readonly lines?: Range };
  /** The next part to ask for, if the limits left something of the asked part out. */
  readonly next?: { readonly lines: Range } | { readonly bytes: Range };
}

/** With its notice, what is recalled stays below the limits of T15 (2,000 lines, 50,000 bytes). */
const RECALL_LIMITS = { maxLines: 1_900, maxBytes: 48_000 } as const;
const LEAST_BYTES = 4;
/** Counting the lines of so much takes some milliseconds. */
const COUNTED_BYTES = 8_388_608;

/**
 * A part of an original, in bounded memory and of bounded size whatever the original is: by lines,
 * by bytes, or from the start on. Rejects with `unknown-handle` (asking again will not help), with
 * `invalid-options` for a part that the original does not have, and with `archive-failed`.
 */
export async function recallRange(
  archive: Archive,
  handle: string,
  options: RecallOptions = {},
): Promise<Recalled> {
  const name = checkedHandle(handle);
  checkRange(options);
  const reader = await openOriginal(archive, name);
  try {
    const part = await (options.bytes === undefined
      ? partByLines(reader, name, options)
      : partByBytes(reader, name, options));
    const lines = reader.bytes > COUNTED_BYTES ? undefined : await countLines(reader);
    return {
      handle: name,
      total: { bytes: reader.bytes, ...(lines !== undefined && { lines }) },
      ...part,
    };
  } finally {
    await reader.close();
  }
}

/**
 * A recalled part as an agent gets it: the text, with symbols for control characters because
 * providers refuse them, and below it what it is and what to ask next.
 */
export function recalledText({ handle, text: plain, total, shown, next }: Recalled): string {
  const [from, to] = shown.bytes;
  const text = showControls(plain);
  const gap = text === "" || text.endsWith("\n") ? "" : "\n";
  const isWhole = from === 0 && to === total.bytes;
  const part =
    shown.lines === undefined
      ? `bytes ${from} to ${to} of ${total.bytes}`
      : `lines ${shown.lines[0]} to ${shown.lines[1]}${total.lines === undefined ? "" : ` of ${total.lines}`} (bytes ${from} to ${to} of ${total.bytes})`;
  const notice = resultNotice(
    {
      recall: handle,
      bytes: total.bytes,
      ...(total.lines !== undefined && { lines: total.lines }),
    },
    [
      isWhole ? `Above is the whole of ${handle}.` : `Above are ${part} of ${handle}.`,
      ...(text === plain ? [] : ["Control characters are shown as symbols (NUL as ␀)."]),
      ...(next === undefined ? [] : [nextInstruction(handle, next)]),
    ],
  );
  return `${text}${gap}${notice}`;
}

function nextInstruction(handle: Handle, next: NonNullable<Recalled["next"]>): string {
  return "lines" in next
    ? `More of what you asked for follows: recall ${handle} with lines [${next.lines.join(", ")}].`
    : `The line goes on: recall ${handle} with bytes [${next.bytes.join(", ")}].`;
}

/** A part of an original as its bytes, piece by piece and without limits: for a person's terminal. */
export async function* recallBytes(
  archive: Archive,
  handle: string,
  options: Pick<RecallOptions, "lines" | "bytes"> = {},
): AsyncGenerator<Uint8Array> {
  const name = checkedHandle(handle);
  checkRange(options);
  const reader = await openOriginal(archive, name);
  try {
    if (options.bytes !== undefined) checkStart(reader, name, options.bytes[0]);
    const [from, to] = options.bytes ?? (await bytesOfLines(reader, name, options.lines));
    for (let at = from; at < Math.min(to, reader.bytes);) {
      const piece = await readPiece(reader, at, Math.min(BLOCK_BYTES, to - at));
      if (piece.length === 0) return;
      yield piece;
      at += piece.length;
    }
  } finally {
    await reader.close();
  }
}

async function bytesOfLines(
  reader: OriginalReader,
  handle: Handle,
  lines: Range | undefined,
): Promise<Range> {
  if (lines === undefined) return [0, Infinity];
  const start = await lineOrThrow(reader, handle, lines[0]);
  const end = lines[1] === Infinity ? undefined : await startOfLine(reader, lines[1] + 1);
  return [start, end !== undefined && "at" in end ? end.at : Infinity];
}

async function lineOrThrow(reader: OriginalReader, handle: Handle, line: number): Promise<number> {
  if (reader.bytes === 0) return 0;
  const start = await startOfLine(reader, line);
  if ("at" in start) return start.at;
  throw beyondEnd(handle, `${start.lines} lines; ask for lines between 1 and ${start.lines}`);
}

type Part = Pick<Recalled, "text" | "shown" | "next">;

async function partByLines(
  reader: OriginalReader,
  handle: Handle,
  { lines: [first, last] = [1, Infinity], ...limits }: RecallOptions,
): Promise<Part> {
  const { maxLines = RECALL_LIMITS.maxLines, maxBytes = RECALL_LIMITS.maxBytes } = limits;
  if (reader.bytes === 0) return EMPTY;
  const start = await lineOrThrow(reader, handle, first);
  const piece = fitting(await readPiece(reader, start, maxBytes), maxBytes);
  const isEnd = start + piece.length >= reader.bytes;
  const wanted = Math.min(last - first + 1, maxLines);
  const cut = wholeLines(piece, wanted, isEnd);
  const bytes: Range = [start, start + cut.end];
  const shownLast = first + cut.lines - 1;
  const shown = { bytes, lines: [first, shownLast] as const };
  const { text } = decodeUtf8(piece.subarray(0, cut.end));
  if (bytes[1] >= reader.bytes) return { text, shown };
  if (cut.isLineCut) {
    const end = last === Infinity ? reader.bytes : await endOfLine(reader, bytes[1]);
    return { text, shown, next: { bytes: [bytes[1], end] } };
  }
  if (shownLast >= last) return { text, shown };
  const end = last === Infinity ? shownLast + maxLines : last;
  return { text, shown, next: { lines: [shownLast + 1, end] } };
}

const EMPTY: Part = { text: "", shown: { bytes: [0, 0] } };

/**
 * As much of a piece as fits once it is shown: what is no UTF-8, and a control character, is one
 * byte and takes three.
 */
function fitting(piece: Uint8Array, maxBytes: number): Uint8Array {
  for (let fit = piece; ;) {
    const { text } = decodeUtf8(fit);
    const end = endWithin(text, 0, maxBytes);
    if (end === text.length) return fit;
    const shorter = fit.subarray(0, Math.floor((fit.length * end) / text.length));
    fit = shorter.subarray(0, dropPartialEnd(shorter));
  }
}

interface WholeLines {
  readonly end: number;
  readonly lines: number;
  readonly isLineCut: boolean;
}

/** As many whole lines of a piece as are wanted; of a line that is longer, what there is. */
function wholeLines(piece: Uint8Array, wanted: number, isEnd: boolean): WholeLines {
  let lines = 0;
  let end = 0;
  for (let at = piece.indexOf(10); at >= 0 && lines < wanted; at = piece.indexOf(10, at + 1)) {
    lines++;
    end = at + 1;
  }
  if (lines === wanted || end === piece.length) return { end, lines, isLineCut: false };
  if (isEnd) return { end: piece.length, lines: lines + 1, isLineCut: false };
  if (lines > 0) return { end, lines, isLineCut: false };
  return { end: dropPartialEnd(piece), lines: 1, isLineCut: true };
}

async function partByBytes(
  reader: OriginalReader,
  handle: Handle,
  { bytes: [from, to] = [0, Infinity], maxBytes = RECALL_LIMITS.maxBytes }: RecallOptions,
): Promise<Part> {
  if (reader.bytes === 0) return EMPTY;
  checkStart(reader, handle, from);
  const asked = Math.min(to, reader.bytes);
  const end = Math.min(asked, from + maxBytes);
  const piece = await readPiece(reader, from, end - from);
  const start = from === 0 ? 0 : skipPartialStart(piece);
  const stop = end === reader.bytes ? piece.length : Math.max(start, dropPartialEnd(piece));
  const fit = fitting(piece.subarray(start, stop), maxBytes);
  const shown = { bytes: [from + start, from + start + fit.length] as const };
  const { text } = decodeUtf8(fit);
  const isAll = end >= asked && start + fit.length === stop;
  return isAll ? { text, shown } : { text, shown, next: { bytes: [shown.bytes[1], asked] } };
}

function checkStart({ bytes }: OriginalReader, handle: Handle, from: number): void {
  if (bytes === 0 || from < bytes) return;
  throw beyondEnd(handle, `${bytes} bytes; ask for bytes between 0 and ${bytes}`);
}

async function countLines(reader: OriginalReader): Promise<number> {
  if (reader.bytes === 0) return 0;
  const last = await readPiece(reader, reader.bytes - 1, 1);
  return (await lineEndsBetween(reader, 0, reader.bytes)) + (last[0] === 10 ? 0 : 1);
}

const RECALL_OPTIONS: OptionNames<RecallOptions> = { ...RECALL_LIMITS, lines: true, bytes: true };

function checkRange(options: RecallOptions): void {
  checkNames(options, RECALL_OPTIONS);
  const { lines, bytes, maxLines = 1, maxBytes = LEAST_BYTES } = options;
  if (!(maxLines >= 1 && maxBytes >= LEAST_BYTES)) {
    throw invalidRange(`At least 1 line and ${LEAST_BYTES} bytes must be allowed.`, {
      maxLines,
      maxBytes,
    });
  }
  if (lines !== undefined && bytes !== undefined) {
    throw invalidRange("Ask for lines or for bytes, not for both.", { lines, bytes });
  }
  if (lines !== undefined && !isRange(lines, 1)) {
    throw invalidRange("Lines count from 1: give the first and the last one, e.g. [1, 200].", {
      lines,
    });
  }
  if (bytes !== undefined && (!isRange(bytes, 0) || bytes[0] === bytes[1])) {
    throw invalidRange("Bytes count from 0: give the first and the end, e.g. [0, 20000].", {
      bytes,
    });
  }
}

/** Models write any number for an end that they do not know. */
function isRange(range: Range, least: number): boolean {
  if (!Array.isArray(range) || range.length !== 2) return false;
  const [from, to] = range;
  const isEnd = Number.isInteger(to) || to === Infinity;
  return Number.isInteger(from) && isEnd && from >= least && to >= from;
}

function invalidRange(advice: string, details: Readonly<Record<string, unknown>>): ContextError {
  return new ContextError("invalid-options", `No such part of an original. ${advice}`, { details });
}

function beyondEnd(handle: Handle, has: string): ContextError {
  return new ContextError("invalid-options", `${handle} has ${has}.`, { details: { handle } });
}

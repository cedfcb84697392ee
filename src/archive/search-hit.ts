import { showControls } from "../core/text/clean.ts";
import { clip } from "../core/text/clip.ts";
import { decodeUtf8, dropPartialEnd, skipPartialStart } from "../core/text/utf8.ts";
import { NOTICE_ELEMENT, RESULT_ELEMENT } from "../core/truncate/marker.ts";
import type { ArchiveEntry, OriginalReader } from "./archive.ts";
import { LINE_END, readPiece } from "./reading.ts";
import type { SearchHit } from "./search-result.ts";

/** A hit whose line is not counted yet, and the byte at which that line begins. */
export interface ReadHit {
  readonly found: Omit<SearchHit, "line">;
  readonly start: number;
}

export interface HitPlace {
  readonly entry: ArchiveEntry;
  /** Where the match begins, in bytes. */
  readonly at: number;
  /** Lines before and after. */
  readonly context: number;
}

/** So much of a line is shown, around the match. */
const LINE_BYTES = 400;
/** Lines before and after are looked for so far from the match. */
const REACH_BYTES = 32_768;

/** Reads the line of a match and those around it. */
export async function readHit(
  reader: OriginalReader,
  { entry, at, context }: HitPlace,
): Promise<ReadHit> {
  const from = Math.max(0, at - REACH_BYTES);
  const piece = await readPiece(reader, from, REACH_BYTES * 2);
  const match = at - from;
  const start = match === 0 ? 0 : piece.lastIndexOf(LINE_END, match - 1) + 1;
  const end = endIn(piece, match);
  const { handle, path } = entry;
  return {
    start: from + start,
    found: {
      handle,
      ...(path !== undefined && { path }),
      byte: at,
      text: around(piece, { start, end, match }),
      before: linesBefore(piece, start, { context, isStart: from === 0 }),
      after: linesAfter(piece, end, context),
    },
  };
}

function endIn(piece: Uint8Array, from: number): number {
  const at = piece.indexOf(LINE_END, from);
  return at < 0 ? piece.length : at;
}

/** A line, or a third of the room before the match and the rest of it from there on. */
function around(
  piece: Uint8Array,
  { start, end, match }: { start: number; end: number; match: number },
): string {
  if (end - start <= LINE_BYTES) return decode(piece.subarray(start, end));
  const from = Math.max(start, match - Math.floor(LINE_BYTES / 3));
  const to = Math.min(end, from + LINE_BYTES);
  const text = decode(whole(piece.subarray(from, to)));
  return `${from > start ? "…" : ""}${text}${to < end ? "…" : ""}`;
}

function linesBefore(
  piece: Uint8Array,
  start: number,
  { context, isStart }: { context: number; isStart: boolean },
): readonly string[] {
  const lines: string[] = [];
  for (let end = start - 1; end >= 0 && lines.length < context;) {
    const from = end === 0 ? 0 : piece.lastIndexOf(LINE_END, end - 1) + 1;
    // What begins before the piece is no whole line.
    if (from === 0 && !isStart) break;
    lines.unshift(shortened(piece.subarray(from, end)));
    end = from - 1;
  }
  return lines;
}

function linesAfter(piece: Uint8Array, end: number, context: number): readonly string[] {
  const lines: string[] = [];
  for (let from = end + 1; from < piece.length && lines.length < context;) {
    const to = endIn(piece, from);
    lines.push(shortened(piece.subarray(from, to)));
    from = to + 1;
  }
  return lines;
}

function shortened(line: Uint8Array): string {
  return clip(decode(line.subarray(0, 2 * LINE_BYTES)), { bytes: LINE_BYTES });
}

/** Without the characters that a cut split. */
function whole(bytes: Uint8Array): Uint8Array {
  const from = skipPartialStart(bytes);
  return bytes.subarray(from, Math.max(from, dropPartialEnd(bytes)));
}

/** Without the "\r" of a line end, and with symbols for what could break the line in two. */
function decode(bytes: Uint8Array): string {
  const { text } = decodeUtf8(bytes);
  return showControls(text.replace(/\r+$/, "")).replaceAll("\r", "␍");
}

const END_BYTES = 64;

/**
 * Whether an original is only what was made of others: the answer of a recall or a search, or what a
 * truncation left. Found again first, each search would find the ones before it.
 */
export async function isExcerpt(reader: OriginalReader): Promise<boolean> {
  const bytes = await readPiece(reader, Math.max(0, reader.bytes - END_BYTES), END_BYTES);
  const end = new TextDecoder().decode(bytes).trimEnd();
  return [NOTICE_ELEMENT, RESULT_ELEMENT].some((element) => end.endsWith(`</${element}>`));
}

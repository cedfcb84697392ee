import { showControls } from "../core/text/clean.ts";
import { clip } from "../core/text/clip.ts";
import { decodeUtf8, dropPartialEnd, skipPartialStart } from "../core/text/utf8.ts";
import type { OriginalReader } from "./archive.ts";
import { LINE_END, readPiece } from "./reading.ts";
import type { SearchHit } from "./search-result.ts";

/** A hit whose line is not counted yet, and the byte at which that line begins. */
interface ReadHit extends Pick<SearchHit, "byte" | "text" | "before" | "after"> {
  readonly start: number;
}

/** The part of a line that is shown, around the match. */
const LINE_BYTES = 400;
/** Lines before and after are looked for so far from the match. */
const REACH_BYTES = 32_768;

/** Reads the line of a match at a byte, and so many lines before and after it. */
export async function readHit(
  reader: OriginalReader,
  byte: number,
  context: number,
): Promise<ReadHit> {
  const from = Math.max(0, byte - REACH_BYTES);
  const piece = await readPiece(reader, from, REACH_BYTES * 2);
  const match = byte - from;
  const start = match === 0 ? 0 : piece.lastIndexOf(LINE_END, match - 1) + 1;
  const end = endIn(piece, match);
  // A line that begins before the piece is not whole.
  const before = context === 0 ? [] : linesOf(piece.subarray(0, start)).slice(from === 0 ? 0 : 1);
  const after = context === 0 ? [] : linesOf(piece.subarray(end + 1));
  return {
    start: from + start,
    byte,
    text: around(piece.subarray(start, end), match - start),
    before: before.slice(-context).map(shortened),
    after: after.slice(0, context).map(shortened),
  };
}

function endIn(piece: Uint8Array, from: number): number {
  const at = piece.indexOf(LINE_END, from);
  return at < 0 ? piece.length : at;
}

function linesOf(piece: Uint8Array): readonly Uint8Array[] {
  const lines: Uint8Array[] = [];
  for (let from = 0; from < piece.length; from += (lines.at(-1)?.length ?? 0) + 1) {
    lines.push(piece.subarray(from, endIn(piece, from)));
  }
  return lines;
}

/** A line, or a third of the room before the match and the rest of it from there on. */
function around(line: Uint8Array, match: number): string {
  if (line.length <= LINE_BYTES) return decode(line);
  const from = Math.max(0, match - Math.floor(LINE_BYTES / 3));
  const part = line.subarray(from, from + LINE_BYTES);
  const start = skipPartialStart(part);
  const text = decode(part.subarray(start, Math.max(start, dropPartialEnd(part))));
  return `${from > 0 ? "…" : ""}${text}${from + LINE_BYTES < line.length ? "…" : ""}`;
}

function shortened(line: Uint8Array): string {
  return clip(decode(line.subarray(0, 2 * LINE_BYTES)), { bytes: LINE_BYTES });
}

/** Without the "\r" of a line end, and with symbols for what could break the line in two. */
function decode(bytes: Uint8Array): string {
  const { text } = decodeUtf8(bytes);
  return showControls(text.replace(/\r+$/, "")).replaceAll("\r", "␍");
}

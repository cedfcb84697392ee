import { withoutEscapes } from "./clean.ts";
import { clip, clipLine } from "./clip.ts";
import { terminalText } from "./terminal.ts";
import { lineEnds } from "./utf8.ts";

/** The most that is searched, so that a huge output costs no more than a large one. */
export const ERROR_SCAN_UNITS = 1_000_000;
export const NAMED_ERRORS = 5;
const LINE_UNITS = 160;

/**
 * The words for something that went wrong, as tools write them, so that prose about
 * errors is rarely meant. No part of it crosses a line end. `TypeError` and the like are found by
 * their end: to look from every capital letter on would take twice as long as all the rest.
 */
const ERROR =
  /\b(?:[Ee]rror|ERROR|FAIL|FAILED|FAILURE|[Ff]ailed|FATAL|[Ff]atal|CRITICAL|PANIC|panic(?:ked)?|Traceback|[Ee]xception|Segmentation fault|not ok)\b|(?:Error|Exception)(?<=\b[A-Z]\w{0,69})\b|^[ \t]*[✗✘×]|^E  |ERR!/gm;
/** "0 errors", "no failures", "error: false", "failed=0" say that nothing went wrong. */
const NO_ERROR =
  /\b(?:0|no|without) (?:errors?|failures?|failed|exceptions?)\b|\b(?:errors?|failures?|failed)["']?\s*[:=]\s*(?:0|null|none|false|\[\]|["']{2})/i;

/** A line that looks like an error. */
export interface ErrorLine {
  /** Its number in the whole output, from 1; absent when the number of lines is not known. */
  readonly line?: number;
  readonly text: string;
}

/** Lines of a piece that look like errors. */
export interface ErrorLines {
  readonly count: number;
  readonly first: readonly ErrorLine[];
  /** Whether only a part of what was left out could be searched. */
  readonly isPartial: boolean;
}

/**
 * The lines of a piece of an output that look like errors.
 * @param firstLine Number of the piece's first line in the output; absent when it is not known.
 */
export function findErrorLines(text: string, firstLine?: number): ErrorLines {
  const searched = text.slice(0, ERROR_SCAN_UNITS);
  // A colour directly before a word would hide where the word begins.
  const piece = withoutEscapes(searched);
  const first: ErrorLine[] = [];
  let count = 0;
  let line = firstLine;
  let counted = 0;
  const search = new RegExp(ERROR);
  for (let found = search.exec(piece); found !== null; found = search.exec(piece)) {
    const start = piece.lastIndexOf("\n", found.index) + 1;
    const stop = piece.indexOf("\n", found.index);
    const end = stop < 0 ? piece.length : stop;
    search.lastIndex = Math.max(end, found.index + 1);
    const words = piece.slice(
      Math.max(start, found.index - LINE_UNITS),
      Math.min(end, found.index + LINE_UNITS),
    );
    if (NO_ERROR.test(words)) continue;
    count++;
    if (first.length >= NAMED_ERRORS) continue;
    if (line !== undefined) line += lineEnds(piece, counted, start);
    counted = start;
    const text = lineText(piece, stateStart(piece, start, found.index), end);
    first.push({ line, text });
  }
  return { count, first, isPartial: searched.length < text.length };
}

/** A progress bar may have overwritten the error: it begins behind the carriage return before it. */
function stateStart(piece: string, start: number, at: number): number {
  return Math.max(start, piece.slice(start, at).lastIndexOf("\r") + 1 + start);
}

/** A line, or its first state, as it is shown: clean, and its start if it is long. */
function lineText(piece: string, start: number, end: number): string {
  const overwritten = piece.indexOf("\r", start);
  const stop = overwritten < 0 ? end : Math.min(end, overwritten);
  const { text } = terminalText(piece.slice(start, Math.min(stop, start + 10 * LINE_UNITS)));
  return clip(text.trim(), { length: LINE_UNITS });
}

/** Of an output that failed, any word that says so is meant. */
const SAID =
  /error|fail|exception|cannot|can't|could not|not found|no such|denied|fatal|panic|undefined|unexpected|invalid|refused|timed? ?out|blocked|rejected|doesn't want|did not|must |\bassert|\bexit(?:ed)?(?: with)?(?: code)? \d|^E\s/i;
/** Lines of the program around the tool, not of the tool. */
const FRAME =
  /^(?:Exit code:? -?\d+|Chunk ID: .*|Wall time: .*|Process exited with code .*|Original token count: .*|Output:|Error:|ERROR:|Command exited with code -?\d+|\(no output\)|Total output lines: .*|```\w*|\[(?:The command completed|Command finished) with exit code .*|\[Current working directory: .*|\[Python interpreter: .*|Process Group PGID: \d+)$/;
/** A longer line is minified code or data, where any word can stand. */
const PROSE_UNITS = 500;
/** The start and the end of an output that are looked at: errors stand there. */
const LOOK_UNITS = 16_000;

/**
 * The first lines of a failed output that say what went wrong, each once, clean and clipped; where
 * none does, `[]`.
 * @param most So many lines.
 * @param length So many UTF-16 units of each.
 */
export function failureLines(output: string, most: number, length: number): readonly string[] {
  const lines = toldLines(output);
  const telling = lines.filter((line) => line.length <= PROSE_UNITS && SAID.test(line));
  return telling.slice(0, most).map((line) => clipLine(line, length));
}

/** The lines of a long output's ends, each once, without those of the program around the tool. */
export function toldLines(output: string): readonly string[] {
  const ends =
    output.length <= 2 * LOOK_UNITS
      ? output
      : `${output.slice(0, LOOK_UNITS)}\n${output.slice(-LOOK_UNITS)}`;
  const lines = withoutEscapes(ends)
    .replace(/<\/?tool_use_error>/g, "")
    .split(/\r\n|[\r\n]/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !FRAME.test(line));
  return [...new Set(lines)];
}

import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";
import { clipLine } from "../core/text/clip.ts";

/*
 * Texts by the columns that they take on a terminal; pure. Colours take none, ideographs take two.
 */

/** The columns of a text. */
export function columnsOf(text: string): number {
  return stringWidth(text);
}

/** A space of something that is copied as a whole: a noncharacter of Unicode, which no text has. */
const JOINT = "\uFDD0";

/** A path, an address or a command: no line end comes into it, however long it is. */
export function unbroken(text: string): string {
  return text.replaceAll(" ", JOINT);
}

/** The same with its own spaces, for whoever prints or compares it. */
export function withSpaces(text: string): string {
  return text.replaceAll(JOINT, " ");
}

/**
 * A line as lines of at most so many columns, broken between words; further ones begin below the
 * first word of the text. A longer command, path or address stands on a line of its own, whole; any
 * other word that is longer is broken wherever the line ends.
 */
export function brokenLine(line: string, columns: number): string[] {
  if (line.length * 2 <= columns || columnsOf(line) <= columns) return [line];
  const indent = indentOf(line, columns);
  const lines: string[] = [];
  let current = "";
  let used = 0;
  const words = line.split(" ").flatMap((word) => piecesOf(word, columns - indent));
  for (const [at, word] of words.entries()) {
    const wide = columnsOf(word);
    if (at === 0 || used + 1 + wide <= columns) {
      current += at === 0 ? word : ` ${word}`;
      used += at === 0 ? wide : 1 + wide;
    } else if (word !== "") {
      // Colours alone are no line: what they begin on comes next.
      const isSeen = columnsOf(current.trim()) > 0;
      if (isSeen) lines.push(current.trimEnd());
      const margin = Math.max(0, Math.min(indent, columns - wide));
      current = (isSeen ? "" : current.trim()) + " ".repeat(margin) + word;
      used = margin + wide;
    }
  }
  // Colours alone are no line here either: they end with what they are the colours of.
  if (lines.length > 0 && columnsOf(current.trim()) === 0) current = lines.pop() + current.trim();
  return [...lines, current];
}

/** A path, or an address. */
const COPIED = /^["'(`]?(?:~?\/|\\\\\w|[A-Za-z]:[/\\]|[a-z][a-z0-9+.-]*:\/\/)/;

// oxlint-disable-next-line no-control-regex -- it is one
const COLOUR = /(\x1b\[[\d;]*m)/;

/** A word in pieces of so many columns; colours stay where they are and take none. */
function piecesOf(word: string, columns: number): readonly string[] {
  if (word.length * 2 <= columns || columnsOf(word) <= columns) return [word];
  const plain = stripVTControlCharacters(word);
  if (plain.includes(JOINT) || COPIED.test(plain)) return [word];
  const pieces: string[] = [];
  let current = "";
  let used = 0;
  for (const sign of signsOf(word)) {
    const wide = columnsOf(sign);
    if (used > 0 && used + wide > columns) {
      pieces.push(current);
      [current, used] = ["", 0];
    }
    current += sign;
    used += wide;
  }
  return [...pieces, current];
}

/** Signs as a person sees them, and colours between them: an emoji of several characters is one sign. */
function signsOf(word: string): readonly string[] {
  const signs = new Intl.Segmenter("en", { granularity: "grapheme" });
  return word
    .split(COLOUR)
    .flatMap((text, at) =>
      at % 2 === 1 ? [text] : Array.from(signs.segment(text), ({ segment }) => segment),
    );
}

/** The column at which the text of a line begins: behind its margin, its mark, or its label. */
function indentOf(line: string, columns: number): number {
  const plain = stripVTControlCharacters(line);
  const [before = ""] =
    /^\s*(?:[!•-] |[A-Za-z]+: |\S+(?: \S+){0,2} {2,})?/.exec(plain.slice(0, columns)) ?? [];
  return Math.min(before.length, Math.floor(columns / 3));
}

/** The cell of a table: a text on one line, clipped or filled up to so many columns. */
export function cell(text: string, columns: number): string {
  const clipped = clipColumns(text, columns);
  return clipped + " ".repeat(Math.max(0, columns - columnsOf(clipped)));
}

/** A text behind spaces that fill it up to so many columns. */
export function padded(text: string, columns: number): string {
  return " ".repeat(Math.max(0, columns - columnsOf(text))) + text;
}

/** Widths of a table's columns; the first has what the others leave, from 8 to `most`. */
export interface TableShape {
  /** Of all columns but the first. */
  readonly widths: readonly number[];
  readonly gap: string;
  readonly most: number;
}

/** A line of a table: a name to the left, and cells to the right, which may have colours. */
export function tableLine(
  [name = "", ...cells]: readonly string[],
  width: number,
  { widths, gap, most }: TableShape,
): string {
  const right = cells.map((text, at) => gap + padded(text, widths[at] ?? 0)).join("");
  const room = Math.max(8, Math.min(most, width - columnsOf(right)));
  return (cell(name, room) + right).trimEnd();
}

/** A text on one line of at most so many columns, clipped at its end. */
export function clipColumns(text: string, columns: number): string {
  for (let length = columns; ;) {
    const clipped = clipLine(text, length);
    const excess = columnsOf(clipped) - columns;
    if (excess <= 0 || length <= 1) return clipped;
    length -= Math.ceil(excess / 2);
  }
}

import { ESCAPE } from "./clean.ts";
import { splitsPoint, utf8Length } from "./utf8.ts";

/** The longest escape sequence: those in use are links. */
const ESCAPE_UNITS = 4_096;
/** Code points of one cluster that are kept together; beyond it is no writing but a prank. */
const CLUSTER_POINTS = 32;

const JOINER = 0x200d;
/** Parts of the character before them: marks, joiners, variation selectors, skin tones, tags. */
const EXTENDS = /^(?:\p{M}|\p{Emoji_Modifier}|\u200c|\u200d|[\u{e0020}-\u{e007f}])/u;
const REGIONAL = /^[\u{1f1e6}-\u{1f1ff}]/u;

/**
 * The first place at or after `at` where a piece of text may begin: not within a code point, a
 * CRLF, an escape sequence or a visible character. May be the end of the text.
 */
export function safeStart(text: string, at: number): number {
  const from = (place: number): number => pointStart(text, escapeAround(text, place)?.end ?? place);
  const first = from(at);
  let place = first;
  for (let tries = 0; tries < CLUSTER_POINTS; tries++) {
    if (isBoundary(text, place)) return place;
    place = from(place + pointLength(text, place));
  }
  return first;
}

/** The last place at or before `at` where a piece of text may end; may be its start. */
export function safeEnd(text: string, at: number): number {
  const upTo = (place: number): number => pointEnd(text, escapeAround(text, place)?.start ?? place);
  const last = upTo(at);
  let place = last;
  for (let tries = 0; tries < CLUSTER_POINTS; tries++) {
    if (isBoundary(text, place)) return place;
    place = upTo(place - 1);
  }
  return last;
}

/**
 * The start or the end of a piece that would show nothing otherwise: a visible character may be split
 * then, an escape sequence may not. It is taken as a whole, since a preview leaves it out.
 */
export function partStart(text: string, at: number): number {
  return pointStart(text, escapeAround(text, at)?.start ?? at);
}

export function partEnd(text: string, at: number): number {
  return pointEnd(text, escapeAround(text, at)?.end ?? at);
}

/** The end of the text from `from` on that fits a number of bytes as a preview shows it. */
export function endWithin(text: string, from: number, bytes: number): number {
  let left = bytes;
  for (let at = from; at < text.length;) {
    const length = pointLength(text, at);
    left -= shownBytes(text, at, length);
    if (left < 0) return at;
    at += length;
  }
  return text.length;
}

/** From where a text that ends at `to` fits a number of bytes as a preview shows it. */
export function startWithin(text: string, to: number, bytes: number): number {
  let left = bytes;
  for (let at = to; at > 0;) {
    const start = pointEnd(text, at - 1);
    left -= shownBytes(text, start, at - start);
    if (left < 0) return at;
    at = start;
  }
  return 0;
}

/** A control character is shown by a picture of three bytes. */
function shownBytes(text: string, at: number, length: number): number {
  const unit = text.charCodeAt(at);
  const isControl =
    unit < 0x20 ? unit < 9 || (unit > 10 && unit !== 13) : unit > 0x7e && unit < 0xa0;
  return isControl ? 3 : utf8Length(text, at, at + length);
}

function isBoundary(text: string, at: number): boolean {
  if (at <= 0 || at >= text.length) return true;
  const before = text.charCodeAt(at - 1);
  if (before === 13 && text.charCodeAt(at) === 10) return false;
  if (before < 0x80 && text.charCodeAt(at) < 0x300) return true;
  if (before === JOINER) return false;
  const next = text.slice(at, at + 2);
  if (EXTENDS.test(next)) return false;
  return !REGIONAL.test(next) || flagLettersBefore(text, at) % 2 === 0;
}

/** Two regional letters are one flag; how many stand before a place says which two. */
function flagLettersBefore(text: string, at: number): number {
  let count = 0;
  while (count < CLUSTER_POINTS && REGIONAL.test(text.slice(Math.max(0, at - 2 * count - 2), at))) {
    if (at - 2 * count - 2 < 0) break;
    count++;
  }
  return count;
}

/** The escape sequence that a place lies within, if any. */
function escapeAround(text: string, at: number): { start: number; end: number } | undefined {
  if (at <= 0 || at >= text.length) return undefined;
  const start = lastEscape(text, at - 1);
  if (start < 0) return undefined;
  // The end of a link or title is itself written as an escape.
  const outer = text.startsWith("\x1b\\", start) ? lastEscape(text, start - 1) : -1;
  return (outer >= 0 ? escapeAt(text, outer, at) : undefined) ?? escapeAt(text, start, at);
}

/** Not further back than any escape sequence is long. */
function lastEscape(text: string, at: number): number {
  const from = Math.max(0, at + 1 - ESCAPE_UNITS);
  const near = text.slice(from, at + 1);
  const found = Math.max(near.lastIndexOf("\x1b"), near.lastIndexOf("\x9b"));
  return found < 0 ? -1 : from + found;
}

function escapeAt(
  text: string,
  start: number,
  at: number,
): { start: number; end: number } | undefined {
  const from = text.slice(start, start + ESCAPE_UNITS);
  const found = new RegExp(ESCAPE, "y").exec(from);
  if (found === null || start + found[0].length <= at) return undefined;
  return { start, end: start + found[0].length };
}

/** A place moved on when it splits a code point. */
function pointStart(text: string, at: number): number {
  return splitsPoint(text, at) ? at + 1 : at;
}

/** A place moved back when it splits a code point. */
function pointEnd(text: string, at: number): number {
  return splitsPoint(text, at) ? at - 1 : at;
}

function pointLength(text: string, at: number): number {
  return splitsPoint(text, at + 1) ? 2 : 1;
}

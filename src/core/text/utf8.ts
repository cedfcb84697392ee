/** Bytes of a text in UTF-8; half a surrogate pair counts as U+FFFD does, three. */
export function utf8Length(text: string, from = 0, to: number = text.length): number {
  let bytes = to - from;
  for (let at = asciiUntil(text, from, to); at < to; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) continue;
    bytes += unit < 0x800 ? 1 : 2;
    // A pair is four bytes: the two halves and the two that were just added.
    if (isHigh(unit) && at + 1 < to && isLow(text.charCodeAt(at + 1))) at++;
  }
  return bytes;
}

// oxlint-disable-next-line no-control-regex
const NOT_ASCII = /[^\0-\x7f]/;
const ASCII_UNITS = 65_536;

/** Large ASCII outputs are the rule, and a search for what is not ASCII is four times as fast. */
function asciiUntil(text: string, from: number, to: number): number {
  let at = from;
  while (to - at >= ASCII_UNITS && !NOT_ASCII.test(text.slice(at, at + ASCII_UNITS))) {
    at += ASCII_UNITS;
  }
  return at;
}

export function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

export function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** A place between the two halves of a pair. */
export function splitsPoint(text: string, at: number): boolean {
  return isHigh(text.charCodeAt(at - 1)) && isLow(text.charCodeAt(at));
}

/** Newer engines have this in native code, which the language level here does not declare. */
type Text = string & { readonly isWellFormed?: () => boolean };

const LONE_SURROGATE = /\p{Cs}/u;

/** A text has a UTF-8 form where it holds no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return (text as Text).isWellFormed?.() ?? !LONE_SURROGATE.test(text);
}

/** Text made of bytes. */
export interface Decoded {
  readonly text: string;
  /** Pieces that were no UTF-8; each is one U+FFFD in the text. */
  readonly invalid: number;
}

/** Every platform has it; the language level here does not declare it. */
declare const TextDecoder: new (
  encoding: "utf-8",
  options: { readonly ignoreBOM: boolean; readonly fatal?: boolean },
) => { decode(bytes: Uint8Array): string };

/**
 * Bytes as text. Anything but UTF-8 becomes U+FFFD, one for each longest piece that could have
 * begun a character, as the Encoding Standard has it; a byte order mark stays.
 */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  try {
    const text = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes);
    return { text, invalid: 0 };
  } catch {
    const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    return { text, invalid: text.split("\ufffd").length - 1 - writtenReplacements(bytes) };
  }
}

/** A text, or the bytes of one, as text. */
export function textOf(piece: string | Uint8Array): string {
  return typeof piece === "string"
    ? piece
    : new TextDecoder("utf-8", { ignoreBOM: true }).decode(piece);
}

declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** A text as bytes; half a surrogate pair becomes U+FFFD. */
export function encodeUtf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** U+FFFD may stand in the bytes itself. */
function writtenReplacements(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbf && bytes[at + 2] === 0xbd) count++;
  }
  return count;
}

/** The start of the first whole character of a piece of a larger output: at most 3 bytes on. */
export function skipPartialStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}

/** The end of a piece of a larger output without the character that it holds only the start of. */
export function dropPartialEnd(bytes: Uint8Array): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const at = bytes.length - back;
    const byte = bytes[at] as number;
    if ((byte & 0xc0) === 0x80) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc2 ? 2 : 1;
    return needed > back ? at : bytes.length;
  }
  return bytes.length;
}

/** Line ends (`\n`), as `wc -l` counts them. */
export function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

/** Line ends between two places of a text. */
export function lineEnds(text: string, from = 0, to: number = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}

/** Lines of a text; a last line without a line end counts. */
export function countLines(text: string): number {
  return lineEnds(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

/** How many bytes a text has in UTF-8; half a surrogate pair counts as U+FFFD does, three. */
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

/** Whether a UTF-16 unit is the first half of a pair. */
export function isHigh(unit: number): boolean {
  return (unit & 0xfc00) === 0xd800;
}

/** Whether a UTF-16 unit is the second half of a pair. */
export function isLow(unit: number): boolean {
  return (unit & 0xfc00) === 0xdc00;
}

/** Newer engines have this in native code, which the language level here does not declare. */
type Text = string & { readonly isWellFormed?: () => boolean };

const LONE_SURROGATE = /\p{Cs}/u;

/** Whether a text has a UTF-8 form: it holds no half of a surrogate pair. */
export function isWellFormed(text: string): boolean {
  return (text as Text).isWellFormed?.() ?? !LONE_SURROGATE.test(text);
}

/** Text made of bytes. */
export interface Decoded {
  readonly text: string;
  /** How many pieces were no UTF-8; each is one U+FFFD in the text. */
  readonly invalid: number;
}

/** So many units are turned into text at once; engines limit the arguments of a call. */
const BLOCK = 8_192;

/**
 * Bytes as text. What is no UTF-8 becomes U+FFFD, one for each longest piece that could have begun
 * a character, as the Encoding Standard has it; a byte order mark stays.
 */
export function decodeUtf8(bytes: Uint8Array): Decoded {
  const blocks: string[] = [];
  const units = new Uint16Array(BLOCK);
  let invalid = 0;
  let filled = 0;
  for (let at = 0; at < bytes.length;) {
    if (filled > BLOCK - 2) {
      blocks.push(asText(units, filled));
      filled = 0;
    }
    const byte = bytes[at] as number;
    if (byte < 0x80) {
      units[filled++] = byte;
      at++;
      continue;
    }
    const { length, isWhole } = sequenceAt(bytes, at);
    const code = isWhole ? codePoint(bytes, at, length) : 0xfffd;
    if (!isWhole) invalid++;
    if (code > 0xffff) units[filled++] = 0xd7c0 + (code >> 10);
    units[filled++] = code > 0xffff ? 0xdc00 + (code & 0x3ff) : code;
    at += length;
  }
  blocks.push(asText(units, filled));
  return { text: blocks.join(""), invalid };
}

/** At which byte a unit of the text begins that `decodeUtf8` makes of some bytes. */
export function byteOfUnit(bytes: Uint8Array, unit: number): number {
  let at = 0;
  for (let units = 0; units < unit && at < bytes.length;) {
    const byte = bytes[at] as number;
    const { length, isWhole } = byte < 0x80 ? ONE_BYTE : sequenceAt(bytes, at);
    units += isWhole && length === 4 ? 2 : 1;
    at += length;
  }
  return at;
}

const ONE_BYTE: Sequence = { length: 1, isWhole: true };

function asText(units: Uint16Array, length: number): string {
  // An argument list made of a typed array is many times faster than the same by spreading.
  return String.fromCharCode.apply(null, units.subarray(0, length) as unknown as number[]);
}

interface Sequence {
  readonly length: number;
  readonly isWhole: boolean;
}

/** The sequence that starts at a byte above 0x7f: how long it is as far as it is right. */
function sequenceAt(bytes: Uint8Array, at: number): Sequence {
  const lead = bytes[at] as number;
  const expected = lead < 0xc2 || lead > 0xf4 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (expected === 1) return { length: 1, isWhole: false };
  for (let index = 1; index < expected; index++) {
    const byte = bytes[at + index] ?? 0;
    const isRight = (byte & 0xc0) === 0x80 && (index > 1 || isSecond(lead, byte));
    if (!isRight) return { length: index, isWhole: false };
  }
  return { length: expected, isWhole: true };
}

/** No overlong forms, no surrogates, nothing above U+10FFFF. */
function isSecond(lead: number, byte: number): boolean {
  if (lead === 0xe0) return byte >= 0xa0;
  if (lead === 0xed) return byte < 0xa0;
  if (lead === 0xf0) return byte >= 0x90;
  return lead !== 0xf4 || byte < 0x90;
}

function codePoint(bytes: Uint8Array, at: number, length: number): number {
  let code = (bytes[at] as number) & (0xff >> (length + 1));
  for (let index = 1; index < length; index++) {
    code = (code << 6) | ((bytes[at + index] as number) & 0x3f);
  }
  return code;
}

/** Where the first whole character of a piece of a larger output begins: at most 3 bytes on. */
export function skipPartialStart(bytes: Uint8Array): number {
  let at = 0;
  while (at < 3 && at < bytes.length && ((bytes[at] as number) & 0xc0) === 0x80) at++;
  return at;
}

/** Where a piece of a larger output ends without the character that it holds only the start of. */
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

/** How many line ends (`\n`) there are: what `wc -l` counts. */
export function countLineEnds(bytes: Uint8Array): number {
  let count = 0;
  for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) count++;
  return count;
}

/** How many line ends there are between two places of a text. */
export function lineEnds(text: string, from = 0, to: number = text.length): number {
  let count = 0;
  for (let at = text.indexOf("\n", from); at >= 0 && at < to; at = text.indexOf("\n", at + 1)) {
    count++;
  }
  return count;
}

/** How many lines a text has; a last line without a line end counts. */
export function countLines(text: string): number {
  return lineEnds(text) + (text === "" || text.endsWith("\n") ? 0 : 1);
}

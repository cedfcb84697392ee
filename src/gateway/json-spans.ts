/** The place of a value in a text. */
export interface Span {
  /** The name of the field; absent in a list. */
  readonly key?: string;
  readonly start: number;
  readonly end: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_LIST = 0x5b;
const OPEN_OBJECT = 0x7b;
const CLOSE_LIST = 0x5d;
const CLOSE_OBJECT = 0x7d;

/**
 * The children of a list or an object of a JSON text that was parsed before: nothing is checked
 * here.
 */
export function childrenAt(text: string, start: number): Span[] {
  const isObject = text.charCodeAt(start) === OPEN_OBJECT;
  const spans: Span[] = [];
  let at = skipSpace(text, start + 1);
  while (at < text.length && !isClose(text.charCodeAt(at))) {
    let key: string | undefined;
    if (isObject) {
      const end = skipString(text, at);
      key = JSON.parse(text.slice(at, end)) as string;
      at = skipSpace(text, end);
      if (text.charCodeAt(at) === COLON) at = skipSpace(text, at + 1);
    }
    const end = skipValue(text, at);
    spans.push(key === undefined ? { start: at, end } : { key, start: at, end });
    at = skipSpace(text, end);
    if (text.charCodeAt(at) === COMMA) at = skipSpace(text, at + 1);
  }
  return spans;
}

function isClose(unit: number): boolean {
  return unit === CLOSE_LIST || unit === CLOSE_OBJECT;
}

function isSpace(unit: number): boolean {
  return unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09;
}

function skipSpace(text: string, from: number): number {
  let at = from;
  while (isSpace(text.charCodeAt(at))) at++;
  return at;
}

/** Behind the string that begins here. */
function skipString(text: string, from: number): number {
  for (let end = text.indexOf('"', from + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === BACKSLASH) slashes++;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/** Behind the value that begins here; no recursion, so that depth costs nothing. */
function skipValue(text: string, from: number): number {
  let depth = 0;
  let at = from;
  while (at < text.length) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) {
      at = skipString(text, at);
      if (depth === 0) return at;
      continue;
    }
    if (unit === OPEN_LIST || unit === OPEN_OBJECT) depth++;
    else if (isClose(unit)) {
      // The end of what holds a number or a word.
      if (depth === 0) return at;
      depth--;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && (unit === COMMA || isSpace(unit))) return at;
    at++;
  }
  return at;
}

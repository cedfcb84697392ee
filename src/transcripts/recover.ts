/** The fields that a line or document still holds although it is no valid JSON. */
interface Recovered {
  readonly values: readonly unknown[];
  readonly lossy: boolean;
}

/**
 * The whole records in a line that does not parse: two that share a line because a line end was
 * lost, or a whole one behind one that was cut short when a program died and another went on.
 */
export function recoverRecords(text: string): Recovered {
  const values: unknown[] = [];
  let lossy = false;
  let at = nextOpening(text, 0);
  while (at !== -1) {
    const end = endOfValue(text, at);
    const value = end === -1 ? undefined : parsed(text.slice(at, end));
    if (value === undefined) break;
    values.push(value);
    at = nextOpening(text, end);
  }
  if (at !== -1) {
    lossy = true;
    const start = startOfLastValue(text);
    const value = start > at ? parsed(text.slice(start)) : undefined;
    if (value !== undefined) values.push(value);
  }
  return { values, lossy: lossy || values.length === 0 };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * Beginnings and ends of values in JSON text, also in text that is cut or damaged: only strings and
 * brackets are looked at. Every scan is linear and without recursion.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_RECORD = 123;
const CLOSE_RECORD = 125;

/** Index of the next list or record that opens; -1 without one. */
function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN_RECORD || code === OPEN_LIST) return at;
  }
  return -1;
}

/** Index behind the list or record that opens at `start`; -1 when it never closes. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_RECORD || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_RECORD || code === CLOSE_LIST) depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** Index of the quote that closes the string that opens at `start`; the text's length without one. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** Index at which the list or record that closes at the end of the text opens; -1 without one. */
function startOfLastValue(text: string): number {
  let depth = 0;
  for (let at = text.trimEnd().length - 1; at >= 0; at -= 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = startOfString(text, at);
    else if (code === CLOSE_RECORD || code === CLOSE_LIST) depth += 1;
    else if (code === OPEN_RECORD || code === OPEN_LIST) depth -= 1;
    if (depth === 0) return code === OPEN_RECORD || code === OPEN_LIST ? at : -1;
  }
  return -1;
}

/** Index of the quote that opens the string that closes at `end`; -1 without one. */
function startOfString(text: string, end: number): number {
  for (let at = end - 1; at >= 0; at -= 1) {
    if (text.charCodeAt(at) !== QUOTE) continue;
    let slashes = 0;
    while (text.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1;
    if (slashes % 2 === 0) return at;
  }
  return -1;
}

/** Whether a JSON text ends inside a string, a list or a record: it was cut short. */
export function isCutShort(text: string): boolean {
  const start = nextOpening(text, 0);
  return start !== -1 && endOfValue(text, start) === -1;
}

interface Cut {
  readonly end: number;
  /** The brackets and, for a string that was cut, the quote that are missing. */
  readonly closers: string;
}

/**
 * The value of a JSON document that was cut short. A string that is not whole keeps what it has; a
 * name, a number or a word that is not whole goes. `undefined` when that gives no valid JSON.
 */
export function closedDocument(text: string): unknown {
  const cut = findCut(text);
  try {
    return JSON.parse(text.slice(0, cut.end) + cut.closers);
  } catch {
    return undefined;
  }
}

function findCut(text: string): Cut {
  /** Brackets that close the open lists and records, outermost first. */
  const open: string[] = [];
  /** Whether a string that comes now is a value and no name. */
  let isValue = true;
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (char === '"') {
      const quote = endOfString(text, at);
      if (quote >= text.length && isValue) return cutString(text, open);
      if (isValue) end = quote + 1;
      at = quote;
    } else if (char === "{" || char === "[") {
      open.push(char === "{" ? "}" : "]");
      isValue = char === "[";
      end = at + 1;
    } else if (char === "}" || char === "]") {
      open.pop();
      end = at + 1;
    } else if (char === ":") isValue = true;
    else if (char === ",") {
      isValue = open.at(-1) === "]";
      end = at;
    }
  }
  return { end: Math.min(end, text.length), closers: closersOf(open) };
}

/** A string without its end loses an escape that is not whole. */
function cutString(text: string, open: readonly string[]): Cut {
  const escape = /(?<!\\)(?:\\\\)*(\\(?:u[0-9a-fA-F]{0,3})?)$/.exec(text.slice(-4000))?.[1] ?? "";
  return { end: text.length - escape.length, closers: `"${closersOf(open)}` };
}

function closersOf(open: readonly string[]): string {
  return open.toReversed().join("");
}

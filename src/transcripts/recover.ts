import { jsonrepair } from "jsonrepair";

/** What a line or document that is no valid JSON still holds. */
export interface Recovered {
  readonly values: readonly unknown[];
  /** Whether something was lost. */
  readonly lossy: boolean;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_RECORD = 123;
const CLOSE_RECORD = 125;

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

/** Whether a JSON text ends inside a string, a list or a record: it was cut short. */
export function isCutShort(text: string): boolean {
  const start = nextOpening(text, 0);
  return start !== -1 && endOfValue(text, start) === -1;
}

/**
 * The value of a JSON document that does not parse, after `jsonrepair`; `undefined` when it is
 * beyond repair. Throws `RangeError` when it is nested too deep for the repair.
 */
export function repairDocument(text: string): unknown {
  try {
    return JSON.parse(jsonrepair(text));
  } catch (error) {
    if (error instanceof RangeError) throw error;
    return undefined;
  }
}

/**
 * The value of a JSON document that was cut short, closed behind the last value in it that is
 * whole; `undefined` when that is no valid JSON. (Repair by guessing takes commas and brackets
 * inside the torn string for the document's own.)
 */
export function closeDocument(text: string): unknown {
  const start = nextOpening(text, 0);
  const closers: string[] = [];
  let safe = { at: 0, closers: "" };
  for (let at = start; at !== -1 && at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === OPEN_RECORD) closers.unshift("}");
    else if (code === OPEN_LIST) closers.unshift("]");
    else if (code === CLOSE_RECORD || code === CLOSE_LIST) closers.shift();
    if (code === COMMA) safe = { at, closers: closers.join("") };
    else if (isBracket(code)) safe = { at: at + 1, closers: closers.join("") };
  }
  return safe.at === 0 ? undefined : parsed(text.slice(start, safe.at) + safe.closers);
}

function isBracket(code: number): boolean {
  return code === OPEN_RECORD || code === OPEN_LIST || code === CLOSE_RECORD || code === CLOSE_LIST;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

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

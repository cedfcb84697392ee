/**
 * Where values begin and end in JSON text, also in text that is cut or damaged: only strings and
 * brackets are looked at. Every scan is linear and without recursion.
 */

const QUOTE = 34;
const BACKSLASH = 92;
const OPEN_LIST = 91;
const CLOSE_LIST = 93;
const OPEN_RECORD = 123;
const CLOSE_RECORD = 125;

/** Index of the next list or record that opens; -1 without one. */
export function nextOpening(text: string, from: number): number {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === OPEN_RECORD || code === OPEN_LIST) return at;
  }
  return -1;
}

/** Index behind the list or record that opens at `start`; -1 when it never closes. */
export function endOfValue(text: string, start: number): number {
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
export function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === BACKSLASH) at += 1;
    else if (code === QUOTE) return at;
  }
  return text.length;
}

/** Index at which the list or record that closes at the end of the text opens; -1 without one. */
export function startOfLastValue(text: string): number {
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

import { endOfString, endOfValue, nextOpening } from "./json-scan.ts";

/** Whether a JSON text ends inside a string, a list or a record: it was cut short. */
export function isCutShort(text: string): boolean {
  const start = nextOpening(text, 0);
  return start !== -1 && endOfValue(text, start) === -1;
}

/** How far a text is good, and what is open there. */
interface Cut {
  readonly end: number;
  /** The brackets and, for a string that was cut, the quote that are missing. */
  readonly closers: string;
}

/**
 * The value of a JSON document that was cut short. A string that is not whole keeps what it has; a
 * name, a number or a word that is not whole goes. `undefined` when that gives no valid JSON.
 * Repair by guessing would take commas and brackets in the cut string for the document's own.
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
  /** What closes the open lists and records, outermost first. */
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

import { ContextError, errorMessage } from "../core/error.ts";
import { LINE_END } from "./reading.ts";

/** Finds a pattern in bytes of UTF-8. */
export interface Matcher {
  /** The start of the first match; -1 for none, also when the search is over before the end. */
  find(block: Uint8Array, view: BlockView): number;
  /**
   * The part of a block that is done when nothing more is found in it; the rest is looked at again,
   * together with what comes next. At least 1.
   */
  done(block: Uint8Array): number;
}

export interface BlockView {
  /** Nothing comes after it. */
  readonly isLast: boolean;
  /** The search has to end, found or not. */
  readonly isOver: () => boolean;
}

/** Finds a text as it is. */
export function literalMatcher(text: string): Matcher {
  const needle = new TextEncoder().encode(text);
  if (needle.length === 0) {
    throw new ContextError("invalid-options", "There is nothing to search for: give a text.");
  }
  const indexOf = nativeIndexOf() ?? plainIndexOf;
  return {
    find: (block) => indexOf(block, needle),
    done: (block) => Math.max(1, block.length - needle.length + 1),
  };
}

type IndexOf = (block: Uint8Array, needle: Uint8Array) => number;

/** Node's own search is several times as fast; this file must work without it. */
function nativeIndexOf(): IndexOf | undefined {
  const { Buffer: native } = globalThis as { Buffer?: typeof Buffer };
  if (native === undefined) return undefined;
  return (block, needle) => native.prototype.indexOf.call(block, needle);
}

function plainIndexOf(block: Uint8Array, needle: Uint8Array): number {
  const first = needle[0] as number;
  for (let at = block.indexOf(first); at >= 0; at = block.indexOf(first, at + 1)) {
    if (at + needle.length > block.length) return -1;
    if (needle.every((byte, index) => block[at + index] === byte)) return at;
  }
  return -1;
}

/**
 * The worst patterns take some seconds for 1 MB; whoever searches must be able to stop in between. Of
 * a line that is longer, each such piece is searched by itself.
 */
const PIECE_BYTES = 131_072;
/** The longest pattern and the largest program: both bound the time for one line. */
const MOST_PATTERN_UNITS = 1_000;
const MOST_INSTRUCTIONS = 5_000;
const CARRIAGE_RETURN = 13;

/**
 * Finds a regular expression (RE2's: no back references, no look-ahead) line by line, in time that
 * grows with the text and never with the pattern's shape. Its engine is loaded only here.
 */
export async function regexMatcher(pattern: string): Promise<Matcher> {
  const regex = await compile(pattern);
  // A line alone can match at its edges or before its "\r" where it does not within a piece.
  const isPieceTelling = !/\\[Az]|\(\?\w*-/.test(pattern);
  const done = (block: Uint8Array): number => block.lastIndexOf(LINE_END) + 1 || block.length;
  return {
    done,
    find(block, { isLast, isOver }) {
      const end = isLast ? block.length : done(block);
      for (let from = 0; from < end && !isOver();) {
        const rest = block.subarray(from, Math.min(end, from + PIECE_BYTES));
        const to = from + rest.length === end ? end : from + done(rest);
        const found = isPossible(block.subarray(from, to)) ? findLine(block, from, to) : -1;
        if (found >= 0) return found;
        from = to;
      }
      return -1;
    },
  };

  /** A look at many lines at once is faster than one at each. */
  function isPossible(piece: Uint8Array): boolean {
    return !isPieceTelling || piece.includes(CARRIAGE_RETURN) || regex.test(piece);
  }

  function findLine(block: Uint8Array, from: number, to: number): number {
    for (let at = from; at < to;) {
      const end = block.indexOf(LINE_END, at);
      const next = end < 0 || end >= to ? to : end + 1;
      const line = block.subarray(at, withoutLineEnd(block, at, next));
      if (regex.test(line)) return at + startIn(line);
      at = next;
    }
    return -1;
  }

  /** The start of a match in its line, in bytes. */
  function startIn(line: Uint8Array): number {
    const found = regex.matcher(line);
    return found.find() ? found.start() : 0;
  }
}

function withoutLineEnd(block: Uint8Array, from: number, next: number): number {
  const end = block[next - 1] === LINE_END ? next - 1 : next;
  return end > from && block[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}

async function compile(pattern: string): Promise<import("re2js").RE2JS> {
  const { RE2JS } = await import("re2js");
  if (pattern === "" || pattern.length > MOST_PATTERN_UNITS) {
    throw invalidPattern(
      `it has ${pattern.length} characters, and 1 to ${MOST_PATTERN_UNITS} work`,
    );
  }
  try {
    const regex = RE2JS.compile(pattern, RE2JS.MULTILINE);
    if (regex.programSize() <= MOST_INSTRUCTIONS) return regex;
  } catch (error) {
    throw invalidPattern(errorMessage(error).replace("`(?m)", "`"));
  }
  throw invalidPattern("its repetitions make it too large");
}

function invalidPattern(why: string): ContextError {
  return new ContextError(
    "invalid-options",
    `This is no regular expression that can be searched for: ${why}. It is RE2's syntax, without back references and look-ahead; or search for a plain text.`,
  );
}

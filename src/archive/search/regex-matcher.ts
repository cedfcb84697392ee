import { ContextError, errorMessage } from "../../core/error.ts";
import { type FindWindow, findWindow } from "./find-window.ts";
import type { Matcher } from "../matcher.ts";
import { type ByteWindow, windowsOf } from "./regex-window.ts";

/**
 * The worst patterns take some seconds for 1 MB; who searches must be able to stop in between. Of a
 * line that is longer, each such piece is searched by itself.
 */
const PIECE_BYTES = 131_072;
/** A window that is in so much of a text costs more than it saves. */
const DENSE_SHARE = 0.25;
/** When all windows are, so many pieces are looked at without them: 2 MB. */
const DENSE_PIECES = 16;
/** The longest pattern and the largest program: both bound the time for one line. */
const MOST_PATTERN_UNITS = 1_000;
const MOST_INSTRUCTIONS = 5_000;

/**
 * Finds a regular expression (RE2's: no back references, no look-ahead) line by line, in time that
 * grows with the text and never with what the pattern is made of. The engine sees only lines that
 * hold the bytes which a match must have, where the pattern says what those are.
 */
export async function regexMatcher(pattern: string): Promise<Matcher> {
  const { regex, windows } = await compile(pattern);
  // A line alone can match at its edges or before its "\r" where it does not within a piece.
  const isPieceUseful = !/\\[Az]|\(\?\w*-/.test(pattern);
  const lines = possibleLines(windows);
  const done = (block: Uint8Array): number => block.lastIndexOf(LINE_END) + 1 || block.length;
  return {
    done,
    find(block, { isLast, isOver }) {
      const end = isLast ? block.length : done(block);
      for (let from = 0; from < end && !isOver();) {
        const rest = block.subarray(from, end);
        const piece = rest.subarray(0, PIECE_BYTES);
        const to = from + (piece.length === rest.length ? piece.length : done(piece));
        const found = isPossible(block.subarray(from, to)) ? findLine(block, from, to) : -1;
        if (found >= 0) return found;
        from = to;
      }
      return -1;
    },
  };

  /** Where any line is possible, the engine is faster on a whole piece than line by line. */
  function isPossible(piece: Uint8Array): boolean {
    if (!lines.areAny() || !isPieceUseful) return true;
    return piece.indexOf(CARRIAGE_RETURN) >= 0 || regex.test(piece);
  }

  function findLine(block: Uint8Array, from: number, to: number): number {
    const nextLine = lines.finder();
    let seen = 0;
    for (let at = from; at < to;) {
      const place = nextLine(block, at, to);
      if (place < 0) break;
      const start = Math.max(at, place === 0 ? 0 : block.lastIndexOf(LINE_END, place - 1) + 1);
      const next = lineEnd(block, place, to);
      const line = block.subarray(start, withoutLineEnd(block, start, next));
      if (regex.test(line)) return start + startIn(line);
      seen += line.length;
      at = next;
    }
    lines.note(seen / (to - from));
    return -1;
  }

  /** Where in its line a match begins, in bytes. */
  function startIn(line: Uint8Array): number {
    const found = regex.matcher(line);
    return found.find() ? found.start() : 0;
  }
}

/** The lines in which a match is possible. */
interface PossibleLines {
  /** Whether every line is, as far as is known; asked once for each piece. */
  areAny(): boolean;
  /** Finds a place in the next one. */
  finder(): FindWindow;
  /** What share of a piece they were, without a match. */
  note(share: number): void;
}

/**
 * Every window is in every match, so any of them can be looked for. One that turns out to be in many
 * lines of this text gives way to the next.
 */
function possibleLines(windows: readonly ByteWindow[]): PossibleLines {
  const finders: FindWindow[] = [];
  let current = 0;
  let dense = 0;
  return {
    areAny() {
      if (current < windows.length) return false;
      if (++dense > DENSE_PIECES) [current, dense] = [0, 0];
      return true;
    },
    finder() {
      const window = windows[current];
      if (window === undefined) return (_, from) => from;
      return (finders[current] ??= findWindow(window));
    },
    note(share) {
      if (share > DENSE_SHARE && current < windows.length) current++;
    },
  };
}

const LINE_END = 10;
const CARRIAGE_RETURN = 13;

function lineEnd(block: Uint8Array, from: number, usable: number): number {
  const at = block.indexOf(LINE_END, from);
  return at < 0 || at >= usable ? usable : at + 1;
}

function withoutLineEnd(block: Uint8Array, from: number, next: number): number {
  const end = block[next - 1] === LINE_END ? next - 1 : next;
  return end > from && block[end - 1] === CARRIAGE_RETURN ? end - 1 : end;
}

type Regex = import("re2js").RE2JS;

interface Compiled {
  readonly regex: Regex;
  readonly windows: readonly ByteWindow[];
}

async function compile(pattern: string): Promise<Compiled> {
  const { RE2JS } = await import("re2js");
  if (pattern === "" || pattern.length > MOST_PATTERN_UNITS) {
    throw invalidPattern(
      `it has ${pattern.length} characters, and 1 to ${MOST_PATTERN_UNITS} work`,
    );
  }
  const compiled = (text: string): Regex => RE2JS.compile(text, RE2JS.MULTILINE);
  const regex = parse(() => compiled(pattern));
  if (regex.programSize() > MOST_INSTRUCTIONS) {
    throw invalidPattern("its repetitions make it too large");
  }
  return { regex, windows: isReadable(compiled) ? windowsOf(programOf(regex)) : [] };
}

function programOf(regex: Regex): unknown {
  return regex.re2().prog;
}

/** Patterns with every kind of instruction, and the windows that they have. */
const KNOWN_WINDOWS: readonly (readonly [pattern: string, window: string])[] = [
  ["(?i)^(?:(b)c|d[e-g])\\b!+h*", "BDbd CEFGcefg !"],
  ["ab.cde", "c d e"],
];

/**
 * What the engine's instructions mean is its own affair and may be otherwise in another version. Then
 * searching takes longer, and finds the same.
 */
function isReadable(compiled: (pattern: string) => Regex): boolean {
  return KNOWN_WINDOWS.every(([pattern, expected]) => {
    const [window] = windowsOf(programOf(compiled(pattern)));
    return window?.map(charactersOf).join(" ") === expected;
  });
}

function charactersOf(bytes: Uint8Array): string {
  return Array.from(bytes, (isIn, byte) => (isIn === 1 ? String.fromCharCode(byte) : "")).join("");
}

function parse(work: () => Regex): Regex {
  try {
    return work();
  } catch (error) {
    throw invalidPattern(errorMessage(error).replace("`(?m)", "`"));
  }
}

function invalidPattern(why: string): ContextError {
  return new ContextError(
    "invalid-options",
    `This is no regular expression that can be searched for: ${why}. It is RE2's syntax, without back references and look-ahead; or search for a plain text.`,
  );
}

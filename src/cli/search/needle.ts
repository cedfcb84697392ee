import { literalMatcher, regexMatcher } from "../../archive/matcher.ts";
import { caselessProbe, literalProbe, type Probe } from "./probe.ts";

/** The thing that is looked for: quickly in bytes as they are stored, and for certain in a text. */
export interface Needle {
  /**
   * One of these is in every stored form of what fits, so that bytes with none of them need not be
   * read. Empty: there is nothing that could be looked for in bytes.
   */
  readonly probes: readonly Probe[];
  /** Its beginning in a text, in UTF-16 units; -1 for nowhere. */
  find(text: string): number;
}

/** A text as it is, upper and lower case told apart. */
export function literalNeedle(text: string): Needle {
  literalMatcher(text);
  return { probes: probesOf(text), find: (within) => within.indexOf(text) };
}

/** A regular expression of RE2, in time that grows with the text only. */
export async function regexNeedle(pattern: string): Promise<Needle> {
  const matcher = await regexMatcher(pattern);
  return {
    probes: patternProbes(pattern),
    find(within) {
      const bytes = Buffer.from(within);
      const at = matcher.find(bytes, { isLast: true, isOver: () => false });
      return at < 0 ? -1 : bytes.toString("utf8", 0, at).length;
    },
  };
}

// oxlint-disable no-control-regex -- they are about control characters
/** Characters that stand for themselves in every JSON, however often it is packed into JSON again. */
const PLAIN = /[^"\\/<>&'\x00-\x1f\x7f-\uffff]+/g;
const BEYOND_ASCII = /[^\x00-\x7f]+/g;
// oxlint-enable no-control-regex
/** So short a piece is in nearly every block, so that it would save nothing. */
const SHORT = 2;

/**
 * JSON writes quotes, line ends, backslashes and at will slashes, `<` and everything beyond ASCII in
 * more than one way; the longest piece without these is the same in all.
 */
function probesOf(text: string): Probe[] {
  const [plain, beyond] = [longestOf(text, PLAIN), longestOf(text, BEYOND_ASCII)];
  if (plain.length > SHORT || beyond === "") return plain === "" ? [] : [literalProbe(plain)];
  const hex = beyond.charCodeAt(0).toString(16).padStart(4, "0");
  // The backslash before it may be doubled.
  return [beyond, `u${hex}`, `u${hex.toUpperCase()}`].map(literalProbe);
}

/** Of K and S there is a third one beyond ASCII. */
const THIRDS = /[ks]/gi;

function caselessProbes(text: string): Probe[] {
  const plain = longestOf(text.replace(THIRDS, "\0"), PLAIN);
  return plain === "" ? [] : [caselessProbe(plain)];
}

/** Those of every alternative; none where one of these has none. */
function patternProbes(pattern: string): Probe[] {
  const [flags = ""] = /^\(\?[a-z]*i[a-z]*\)/i.exec(pattern) ?? [];
  const texts = requiredTexts(pattern.slice(flags.length));
  const probes = texts.map(flags === "" ? probesOf : caselessProbes);
  return probes.some((one) => one.length === 0) ? [] : probes.flat();
}

function longestOf(text: string, pattern: RegExp): string {
  return longest(text.match(pattern) ?? []);
}

function longest(texts: readonly string[]): string {
  return texts.reduce((a, b) => (b.length > a.length ? b : a), "");
}

/** For each alternative a text that is in everything which fits; empty where none is seen at once. */
function requiredTexts(pattern: string): string[] {
  if (/\(\?[a-z]*i/i.test(pattern)) return [""];
  const alternatives: string[] = [];
  let pieces: string[] = [];
  let [piece, depth] = ["", 0];
  const end = (): void => {
    pieces.push(piece);
    piece = "";
  };
  for (let at = 0; at < pattern.length; at++) {
    const [char = "", next = ""] = [pattern[at], pattern[at + 1]];
    if (char === "|" && depth === 0) {
      end();
      alternatives.push(longest(pieces));
      pieces = [];
    } else if (char === "[") {
      end();
      at = endOfClass(pattern, at);
    } else if (char === "(" || char === ")") {
      end();
      depth += char === "(" ? 1 : -1;
    } else if (char === "\\" && /[^\w\s]/.test(next)) {
      piece += next;
      at++;
    } else if (char === "\\") {
      end();
      at++;
      // The next characters may belong to it: \x41, \pL, \Q.
      if (/[xpPQ0-7]/.test(next)) return [""];
    } else if ("*?{+".includes(char)) {
      // The character before it may be there more often, or not at all.
      if (char !== "+") piece = piece.replace(/.$/su, "");
      end();
      if (char === "{") at = Math.max(at, pattern.indexOf("}", at));
    } else if (".^$".includes(char)) end();
    else if (depth === 0) piece += char;
  }
  end();
  return [...alternatives, longest(pieces)];
}

/** A `]` that comes first in a class stands for itself. */
function endOfClass(pattern: string, from: number): number {
  let at = from + (pattern[from + 1] === "^" ? 2 : 1);
  if (pattern[at] === "]") at++;
  for (; at < pattern.length && pattern[at] !== "]"; at++) if (pattern[at] === "\\") at++;
  return at;
}

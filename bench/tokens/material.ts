/** Names, words and paths taken from the corpus, for the text that is generated from it. */
import { pick } from "./generate.ts";

export type Random = () => number;

/** What generated text is made of; every member gives another piece each time. */
export interface Material {
  readonly random: Random;
  /** A whole number below the limit. */
  number(limit: number): number;
  /** A source file, or a part of one. */
  code(): string;
  /** A line of code with something in it, without its indent. */
  codeLine(): string;
  /** A name from source code: `camelCase`, `snake_case` or one word. */
  name(): string;
  word(): string;
  /** A few words of English. */
  phrase(words: number): string;
  /** A text in another language. */
  foreign(): string;
  /** A name that no vocabulary knows, as projects have: `zubano`. */
  madeUp(): string;
  /** A path of a real file, below no particular folder. */
  path(): string;
  /** One of the items. */
  pick<T>(items: readonly T[]): T;
  /** So many lines. */
  lines(count: number, line: (index: number) => string): string;
  /** A string of so many characters of an alphabet. */
  drawn(alphabet: string, length: number): string;
}

export interface MaterialSources {
  readonly code: readonly string[];
  readonly prose: readonly string[];
  readonly foreign: readonly string[];
  readonly paths: readonly string[];
}

const SYLLABLES = `ba be bo bra cor da dex dub bo du fi flo ga go gra hel ja jo ka ki kra la lo lum
  ma mi mo na ne no ol on or pa pi plu qua ra ri ro sa se so sta ta ti to tri u ul va ve vi wa xa ya
  yo za ze zo`.split(/\s+/);

export function createMaterial(random: Random, sources: MaterialSources): Material {
  const number = (limit: number): number => Math.floor(random() * limit);
  const names = uniqueNames(sources.code);
  const words = sources.prose.flatMap(
    (text) => text.match(/(?<![\w-])[a-z]{2,14}(?![\w-])/g) ?? [],
  );
  const codeLines = sources.code.flatMap((text) =>
    text
      .slice(0, 6_000)
      .split("\n")
      .map((line) => line.trim())
      .filter((line) => line.length > 8 && line.length < 160),
  );
  const phrase = (count: number): string => {
    const from = number(words.length - count);
    return words.slice(from, from + count).join(" ");
  };
  return {
    random,
    number,
    code: () => pick(random, sources.code),
    codeLine: () => pick(random, codeLines),
    name: () => pick(random, names),
    word: () => pick(random, words),
    phrase,
    foreign: () => pick(random, sources.foreign),
    madeUp: () =>
      Array.from({ length: 2 + number(2) }, () => pick(random, SYLLABLES)).join("") +
      pick(random, ["", "", "n", "r", "x", "ly"]),
    path: () => pick(random, sources.paths),
    pick: (items) => pick(random, items),
    lines: (count, line) => Array.from({ length: count }, (_, i) => line(i)).join("\n"),
    drawn: (alphabet, length) =>
      Array.from({ length }, () => alphabet[number(alphabet.length)]).join(""),
  };
}

function uniqueNames(code: readonly string[]): readonly string[] {
  const names = new Set<string>();
  for (const text of code) {
    for (const name of text.match(/\b[A-Za-z_][A-Za-z0-9_]{2,24}\b/g) ?? []) names.add(name);
  }
  return [...names];
}

import { meaningOf, plainForm } from "../words.ts";
import type { Meaning } from "../words.ts";

/**
 * Finds what a user typed in what a model says the user wants. Gives the places, among the texts, of
 * those that the claim was taken from; `undefined` when a part of it is from nowhere.
 */
export type FindSource = (claim: string) => ReadonlySet<number> | undefined;

/** So many characters of what users typed are looked at, the newest first. */
const LOOK_UNITS = 400_000;
/** A claim may leave out so many words in a row; leaving out more can turn a sentence around. */
const MOST_SKIPPED = 1;
/** A claim of fewer words must be half of what it was taken from. */
const FEW_WORDS = 3;

const SENTENCE_END = /[.!?]+(?=\s|$)|[。！？；;\n]+/;
const CLAUSE_END = /[,:()–—、，：]+(?=\s|$)|[、，：]/;

type Clauses = readonly Meaning[];

/**
 * A claim is grounded if every sentence of it is: its content words stand in one text, in the same
 * order, in clauses that follow each other, at most one word left out at a time, and each clause is
 * negated exactly if that of the user is. So neither new words nor a word left out can make an order
 * that nobody gave. Letters that only look alike are different letters.
 *
 * @param texts What users typed, the newest first.
 */
export function createFindSource(texts: readonly string[]): FindSource {
  let typed: readonly Typed[] | undefined;
  return (claim) => {
    const sources = new Set<number>();
    const sentences = claim.split(SENTENCE_END).map(clausesOf);
    for (const sentence of sentences.filter(({ length }) => length > 0)) {
      typed ??= readTexts(texts);
      const key = longestWord(sentence);
      // Most texts do not have the word: they need not be taken apart.
      const at = typed.findIndex(
        ({ plain, clauses }) => plain.includes(key) && holds(clauses(), sentence),
      );
      if (at < 0) return undefined;
      sources.add(at);
    }
    return sources.size > 0 ? sources : undefined;
  };
}

interface Typed {
  readonly plain: string;
  readonly clauses: () => Clauses;
}

function readTexts(texts: readonly string[]): readonly Typed[] {
  let left = LOOK_UNITS;
  return texts.map((text) => {
    const looked = text.slice(0, Math.max(0, left));
    left -= text.length;
    let clauses: Clauses | undefined;
    return {
      plain: plainForm(looked),
      clauses: () => (clauses ??= looked.split(SENTENCE_END).flatMap(clausesOf)),
    };
  });
}

function longestWord(sentence: Clauses): string {
  const words = sentence.flatMap(({ words }) => words);
  return words.reduce((longest, word) => (word.length > longest.length ? word : longest), "");
}

function clausesOf(sentence: string): Clauses {
  return sentence
    .split(CLAUSE_END)
    .map(meaningOf)
    .filter(({ words }) => words.length > 0);
}

function holds(typed: Clauses, claim: Clauses): boolean {
  return typed.some((_, start) => followsFrom(typed, start, claim));
}

/** Whether the clauses of a claim come one after the other, the first one at `start`. */
function followsFrom(typed: Clauses, start: number, claim: Clauses): boolean {
  let at = start;
  for (const [index, clause] of claim.entries()) {
    const candidates = index === 0 ? [start] : [at, at + 1];
    const next = candidates.find((place) => isQuote(clause, typed[place]));
    if (next === undefined) return false;
    at = next;
  }
  return true;
}

function isQuote(claim: Meaning, typed: Meaning | undefined): boolean {
  if (typed === undefined || claim.isNegated !== typed.isNegated) return false;
  const { words } = claim;
  if (words.length < FEW_WORDS && words.length * 2 < typed.words.length) return false;
  return typed.words.some((_, start) => isSubsequence(words, typed.words, start));
}

function isSubsequence(words: readonly string[], typed: readonly string[], start: number): boolean {
  let at = start;
  for (const [index, word] of words.entries()) {
    const end = index === 0 ? at + 1 : at + 1 + MOST_SKIPPED;
    const found = typed.indexOf(word, at);
    if (found < 0 || found >= end) return false;
    at = found + 1;
  }
  return true;
}

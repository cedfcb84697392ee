import type { ShellWord } from "./shell-lexer.ts";

/** Values of variables; `undefined` where a value is not known. */
export type Variables = ReadonlyMap<string, readonly string[] | undefined>;

/** More values than this one word never has in work done by hand. */
const MAX_VALUES = 64;
/** Longer words are texts, not paths; they are never expanded. */
const MAX_UNITS = 1_024;
const REFERENCE = /\uE000(\w+)\uE001/;
const BRACES = /^([^{}]*)\{([^{}]*,[^{}]*)\}(.*)$/s;

/**
 * What a word stands for: its text, or several texts when it holds braces, or a variable with
 * several values; `undefined` when only a shell could tell.
 */
export function expandWord(word: ShellWord, variables: Variables): string[] | undefined {
  if (!word.plain) return undefined;
  if (word.text.length > MAX_UNITS) return REFERENCE.test(word.text) ? undefined : [word.text];
  const hasReferences = word.text.includes("\uE000");
  if (!hasReferences && (word.quoted || !word.text.includes("{"))) return [word.text];
  const values = substitute(word.text, variables);
  if (values === undefined || word.quoted) return values;
  const isBare = word.text.startsWith("\uE000") && word.text.endsWith("\uE001");
  const split = isBare ? values.flatMap((value) => value.split(/\s+/)) : values;
  const expanded = split.flatMap(expandBraces);
  return expanded.length > MAX_VALUES ? undefined : expanded;
}

const REFERENCES = /\uE000(\w+)\uE001/g;

/** The names of the variables a word uses. */
export function referencedNames(text: string): string[] {
  if (!text.includes("\uE000") || text.length > MAX_UNITS) return [];
  return [...text.matchAll(REFERENCES)].map(([, name = ""]) => name);
}

function substitute(text: string, variables: Variables): string[] | undefined {
  const found = REFERENCE.exec(text);
  if (found === null) return [text];
  const values = variables.get(found[1] ?? "");
  if (values === undefined) return undefined;
  const rest = substitute(text.slice(found.index + found[0].length), variables);
  if (rest === undefined || rest.length * values.length > MAX_VALUES) return undefined;
  const before = text.slice(0, found.index);
  return values.flatMap((value) => rest.map((tail) => before + value + tail));
}

function expandBraces(text: string): string[] {
  const found = BRACES.exec(text);
  if (found === null) return [text];
  const [, before = "", choices = "", after = ""] = found;
  const tails = expandBraces(after);
  const all = choices.split(",").flatMap((choice) => tails.map((tail) => before + choice + tail));
  return all.length > MAX_VALUES ? [text] : all;
}

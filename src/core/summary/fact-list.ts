import { counted, type Entry, type FactList } from "./lists.ts";
import type { CoreSectionId } from "./template.ts";

/** What a list has, in the plural. */
export type Noun =
  | "requests"
  | "instructions"
  | "short answers"
  | "protected outputs"
  | "unresolved errors"
  | "statements"
  | "environment facts"
  | "heads"
  | "counts"
  | "commands"
  | "finished todos"
  | "open todos"
  | "last words"
  | "changed files"
  | "files read"
  | "names";

/**
 * What is recorded: the section of each list and its weight. The weights say what an agent misses
 * most when a cap is too small for all: what was changed, what the user said, then what was learned.
 */
const LISTS: Readonly<Record<Noun, readonly [CoreSectionId, number]>> = {
  requests: ["goal", 13],
  instructions: ["instructions", 22],
  "short answers": ["instructions", 4],
  "protected outputs": ["instructions", 20],
  "unresolved errors": ["discoveries", 7],
  statements: ["discoveries", 9],
  "environment facts": ["discoveries", 4],
  heads: ["discoveries", 3],
  counts: ["accomplished", 6],
  commands: ["accomplished", 6],
  "finished todos": ["accomplished", 2],
  "open todos": ["accomplished", 5],
  "last words": ["accomplished", 3],
  "changed files": ["relevantFiles", 27],
  "files read": ["relevantFiles", 9],
  names: ["relevantFiles", 40],
};

/** A list of facts with its section and weight; `size` is that of the entries where it is not given. */
export function list(
  noun: Noun,
  entries: readonly Entry[],
  rest: Partial<FactList> = {},
): FactList {
  return longList(noun, { ...counted(entries), ...rest });
}

/** The same of more facts than anybody looks at. */
export function longList(
  noun: Noun,
  rest: Omit<FactList, "section" | "noun" | "weight">,
): FactList {
  const [section, weight] = LISTS[noun];
  return { section, noun, weight, ...rest };
}

export function texts(all: readonly string[]): readonly Entry[] {
  return all.map((text) => ({ text: () => text }));
}

import type { CoreSectionId } from "./template.ts";

/** One entry of a list; its text is made when there may be room for it. */
export interface Entry {
  /** May have several lines. */
  readonly text: () => string;
  /** Of the piece that a clip leaves out, what matters all the same. @default nothing */
  readonly gist?: (left: string) => string;
  /** The number of facts that it holds. @default 1 */
  readonly facts?: number;
  /** Its time, for a list in the order of time. @default 0 */
  readonly at?: number;
  /** Its subject: a further entry of the section about the same is put on the line of the first … */
  readonly about?: string;
  /** … as this. */
  readonly addition?: () => string;
}

/** Entries, the most important first. */
export interface Entries {
  /** Only as many are asked for as may have room. */
  readonly entries: Iterable<Entry>;
  /** The number of facts: those of the entries, and others that are only counted. */
  readonly size: number;
}

/** Facts, or words, of one kind. */
export interface FactList extends Entries {
  /** The id of the section that it stands in. */
  readonly section: string;
  /** The entries in the plural, for the line that says how many were cut. */
  readonly noun: string;
  /** The list's part of a cap that is too small for all, compared with the other lists. */
  readonly weight: number;
  /** Those of them that matter also when they are old, in the order in which they are chosen. */
  readonly keep?: Iterable<Entry>;
  /** The same facts in fewer words, for where `entries` have no room: there are so many tokens. */
  readonly grouped?: (room: number) => Entries;
  /** Whether an entry may be clipped; otherwise it is there as a whole or not at all. */
  readonly clips?: boolean;
  /** Whether the entries are lines in somebody's words, which no recorded fact looks like. */
  readonly quoted?: boolean;
  /** Whether no handle leads to what has no room. */
  readonly isNew?: boolean;
  /** Whether as much as it needs of half the budget is its own, whatever the others need. */
  readonly comesFirst?: boolean;
  /** Whether what is shown stands in the order of time, whatever is the most important. */
  readonly inTime?: boolean;
}

/** Entries that are all the facts there are. */
export function counted(entries: readonly Entry[]): Entries {
  return { entries, size: entries.reduce((sum, { facts = 1 }) => sum + facts, 0) };
}

/** Whether a list has anything to show or to count. */
export function isList({ size, entries }: FactList): boolean {
  return size > 0 || entries[Symbol.iterator]().next().done !== true;
}

/** The entries of a list, in the plural. */
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
 * The recorded lists: section and weight of each. The weights say what an agent misses
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

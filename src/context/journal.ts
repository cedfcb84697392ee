import * as rule from "../core/rules.ts";
import { fieldsOf } from "../core/text/json.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { ContextPlan } from "../core/plan/index.ts";
import type { Words } from "../core/summary/index.ts";

/** A list by its key (see `chain.ts`), without the system messages at its beginning. */
export interface ListKey {
  readonly key: string;
  readonly length: number;
}

/**
 * One edit made to a conversation, as plain JSON: what, when, why, how much it brought, and the
 * handles of what left. The journal is append-only; the current view is a projection of history and
 * journal, so the same two always give the same bytes.
 */
export interface JournalRecord {
  readonly version: 2;
  /** In ms since the epoch. */
  readonly at: number;
  /** Its indices count from the first message that is no leading system message. */
  readonly plan: ContextPlan;
  /** The list that the plan was made for; whatever begins with it gets this edit. */
  readonly before: ListKey;
  /** The list after the edit. */
  readonly after: ListKey;
  /** The same, after a later edit of it was undone, if what that had pruned stayed so. */
  readonly restored?: ListKey;
  /** The key that the record before this one left; absent on the first. */
  readonly follows?: string;
  /** Messages of the history that it and the records before it have consumed. */
  readonly consumed: number;
  /** On compactions: the framed summary, exactly as it stands in the context. */
  readonly summary?: string;
  readonly summarySource?: SummarySource;
  /** A model's words in it by section, as they were written: no facts. */
  readonly narrative?: Words;
  /** Words of summaries that no record vouches for, by section: no facts either. */
  readonly earlier?: Words;
  /** The facts of the messages that this record consumed. */
  readonly facts: Ledger;
  readonly tokens: { readonly before: number; readonly after: number };
  /** The limit that the provider named when it refused a request, and the window that was said. */
  readonly window?: { readonly tokens: number; readonly insteadOf: number };
}

/** A record was undone; what a stored journal holds beside records. */
export interface JournalUndo {
  readonly version: 2;
  readonly at: number;
  /** The key of what that record left. */
  readonly undo: string;
  /** `restored` of the record before it, by now. */
  readonly restored?: ListKey;
}

export type JournalEntry = JournalRecord | JournalUndo;

/** Records that were made one upon the other, oldest first. */
export type Branch = readonly JournalRecord[];

/**
 * The words in a summary beside the recorded facts: all of a model's, as many of them as had room,
 * or none.
 */
export type SummarySource = "model" | "repaired" | "extractive";

/** The records that stand in a stored journal, by the key of what they left, oldest first. */
export function standingRecords(entries: readonly JournalEntry[]): Map<string, JournalRecord> {
  let standing = new Map<string, JournalRecord>();
  for (const entry of entries) {
    if ("undo" in entry) standing = takeBack(standing, entry.undo, entry.restored);
    else {
      standing.delete(entry.after.key);
      standing.set(entry.after.key, entry);
    }
  }
  return standing;
}

/** Without an undone record; `restored` is what the record before it left, as it stands by now. */
export function takeBack(
  records: ReadonlyMap<string, JournalRecord>,
  key: string,
  restored: ListKey | undefined,
): Map<string, JournalRecord> {
  const standing = new Map(records);
  const before = standing.get(standing.get(key)?.follows ?? "");
  standing.delete(key);
  if (before !== undefined && restored !== undefined) {
    standing.set(before.after.key, { ...before, restored });
  }
  return standing;
}

/** A record with those that it was made upon; it begins later where a record is lost. */
export function branchOf(records: ReadonlyMap<string, JournalRecord>, newest: string): Branch {
  const branch = new Set<JournalRecord>();
  let record = records.get(newest);
  while (record !== undefined && !branch.has(record)) {
    branch.add(record);
    record = records.get(record.follows ?? "");
  }
  return [...branch].toReversed();
}

/** The records that stand, and the lists that tell of them by their keys. */
export interface Known {
  readonly records: ReadonlyMap<string, JournalRecord>;
  readonly before: ReadonlyMap<string, JournalRecord>;
  readonly after: ReadonlyMap<string, JournalRecord>;
  /** The length of the longest of those lists. */
  readonly longest: number;
}

export function knownBy(records: ReadonlyMap<string, JournalRecord>): Known {
  const before = new Map<string, JournalRecord>();
  const after = new Map<string, JournalRecord>();
  let longest = 0;
  for (const record of records.values()) {
    before.set(record.before.key, record);
    after.set(record.after.key, record);
    if (record.restored !== undefined) after.set(record.restored.key, record);
    longest = Math.max(longest, record.before.length, record.after.length);
  }
  return { records, before, after, longest };
}

/** The record that was made last, with those that it was made upon. */
export function newestBranch({ records }: Known): Branch {
  const newest = [...records.keys()].at(-1);
  return newest === undefined ? [] : branchOf(records, newest);
}

/** Facts are told as text: no field of one holds anything deeper than a list. */
const FLAT = rule.is("a fact", (fact) =>
  Object.values(fieldsOf(fact))
    .flat()
    .every((value) => typeof value !== "object" || value === null),
);

function facts(texts: readonly string[], more: rule.Rules = {}): rule.Rule {
  const fact = rule.record({
    ...Object.fromEntries(texts.map((name) => [name, rule.TEXT])),
    ...more,
  });
  return rule.list((value, at) => fact(value, at) ?? FLAT(value, at));
}

const LEDGER = rule.record({
  files: facts(["path"], { ops: rule.list(rule.ANYTHING) }),
  commands: facts(["command"]),
  instructions: facts(["text"]),
  todos: facts(["text"]),
  errors: facts(["tool", "subject", "text"]),
  statements: facts(["text"]),
  said: rule.optional(facts(["text"])),
  names: rule.optional(facts(["name"])),
} satisfies Record<keyof Omit<Ledger, "todosAt">, rule.Rule>);

const KEY = rule.record({ key: rule.TEXT, length: rule.NUMBER });
const VERSION = { version: rule.oneOf(2) };
const UNDO = rule.record({ ...VERSION, undo: rule.TEXT });
/** The fields on which the next edit rests. */
const RECORD = rule.record({
  ...VERSION,
  plan: rule.record({}),
  before: KEY,
  after: KEY,
  consumed: rule.NUMBER,
  summary: rule.optional(rule.TEXT),
  narrative: rule.optional(rule.each(rule.TEXT)),
  earlier: rule.optional(rule.each(rule.TEXT)),
  facts: LEDGER,
});

export function isJournalEntry(value: unknown): value is JournalEntry {
  return rule.fits(RECORD, value) || rule.fits(UNDO, value);
}

/** A value that `journal()` of a context of this version returned. */
export function isJournal(value: unknown): value is readonly JournalRecord[] {
  return rule.fits(rule.list(RECORD), value);
}

/** A value that `extractLedger` made. */
export function isLedger(value: unknown): boolean {
  return rule.fits(LEDGER, value);
}

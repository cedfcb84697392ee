import type { Ledger } from "../../core/ledger/index.ts";
import { type Message, repairMessages } from "../../core/message/index.ts";
import { applyPlan, type ContextPlan } from "../../core/plan/index.ts";
import type { Words } from "../../core/summary/index.ts";

/**
 * One edit made to a conversation, as plain JSON: what, when, why, how much it brought, and the
 * handles of what left. The journal is append-only; the current view is a projection of history and
 * journal, so the same two always give the same bytes.
 */
export interface JournalRecord {
  readonly version: 1;
  /** When it was made, in ms since the epoch. */
  readonly at: number;
  readonly plan: ContextPlan;
  /** How many messages of the history the view held when the plan was made. */
  readonly consumed: number;
  /**
   * Fingerprints of the first of them that is no leading system message, and of the last, to
   * recognise the history again.
   */
  readonly first: string;
  readonly last: string;
  /** On compactions: the framed summary, exactly as it stands in the context. */
  readonly summary?: string;
  readonly summarySource?: SummarySource;
  /** A model's words in it by section, as they were written: no facts. */
  readonly narrative?: Words;
  /** What it carries of summaries that no record vouches for, by section: no facts either. */
  readonly earlier?: Words;
  /** The facts of the messages that this record consumed; {@link mergeLedgers} adds them up. */
  readonly facts: Ledger;
  readonly tokens: { readonly before: number; readonly after: number };
  /**
   * What stood for the consumed messages afterwards: how many messages, and a digest of what they
   * say, so that a caller who kept only those is recognised too.
   */
  readonly after: {
    readonly length: number;
    readonly digest: string;
    /** The digest of the same where what a later edit had pruned stayed so when it was undone. */
    readonly restored?: string;
  };
  /** The digest of what the record before this one left; absent on the first. */
  readonly follows?: string;
}

/** A record was undone; what a stored journal holds beside records. */
export interface JournalUndo {
  readonly version: 1;
  readonly at: number;
  /** The digest of what that record left. */
  readonly undo: string;
  /** What `after.restored` of the record before it is by now. */
  readonly restored?: string;
}

export type JournalEntry = JournalRecord | JournalUndo;

/** Whether a stored value is an entry that this version wrote. */
export function isJournalEntry(value: unknown): value is JournalEntry {
  if (typeof value !== "object" || value === null) return false;
  const {
    version,
    undo,
    plan,
    consumed,
    facts,
    after,
    summary = "",
    narrative = {},
    earlier = {},
  } = value as Fields;
  if (version !== 1) return false;
  if (typeof undo === "string") return true;
  const isText = typeof summary === "string" && [narrative, earlier].every(isWords);
  const isPlanned = [plan, after].every(isObject) && typeof consumed === "number";
  return isText && isPlanned && isLedger(facts);
}

type Fields = Readonly<Record<string, unknown>>;

function isWords(value: unknown): boolean {
  return isObject(value) && Object.values(value).every((text) => typeof text === "string");
}

function isObject(value: unknown): value is Fields {
  return typeof value === "object" && value !== null;
}

/** What must be a text in each fact, so that the facts of all records can be added up. */
const FACT_TEXTS = {
  files: ["path"],
  commands: ["command"],
  instructions: ["text"],
  todos: ["text"],
  errors: ["tool", "subject", "text"],
  statements: ["text"],
} as const satisfies Record<keyof Omit<Ledger, "todosAt">, readonly string[]>;

function isLedger(value: unknown): boolean {
  if (!isObject(value)) return false;
  return Object.entries(FACT_TEXTS).every(([name, texts]) => {
    const facts = value[name];
    const isFact = (fact: unknown): boolean =>
      isObject(fact) && texts.every((text) => typeof fact[text] === "string");
    const isWhole = (fact: Fields): boolean => name !== "files" || Array.isArray(fact["ops"]);
    return Array.isArray(facts) && facts.every((fact) => isFact(fact) && isWhole(fact));
  });
}

/**
 * What a summary holds beside the recorded facts: all words of a model, as many of them as had room,
 * or none that a model wrote for it.
 */
export type SummarySource = "model" | "repaired" | "extractive";

/** A view: what stands for the consumed messages, and how many those are. */
export interface Projection {
  readonly base: readonly Message[];
  readonly consumed: number;
}

export const EMPTY_PROJECTION: Projection = { base: [], consumed: 0 };

/** Applies one record to the view before it; `history` holds at least what the record consumed. */
export function project(
  before: Projection,
  history: readonly Message[],
  record: JournalRecord,
): Projection {
  const list = [...before.base, ...history.slice(before.consumed, record.consumed)];
  // Plans are made for legal lists, and repairing is deterministic.
  const view = repairMessages(list).messages;
  return { base: applyRecord(view, record), consumed: record.consumed };
}

/** Applies one record to the very view that its plan was made for. */
export function applyRecord(
  view: readonly Message[],
  { plan, summary }: Pick<JournalRecord, "plan" | "summary">,
): readonly Message[] {
  return applyPlan(view, plan, summary === undefined ? undefined : { summary });
}

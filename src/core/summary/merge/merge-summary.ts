import type { Ledger } from "../../ledger/index.ts";
import { cleanAnswer } from "../judge/clean-answer.ts";
import { composeSummary, fitsWhole } from "../compose.ts";
import { findContradictions } from "../judge/contradictions.ts";
import type { ExtractiveInput } from "../extractive.ts";
import type { Facts } from "../facts/facts.ts";
import { gatherFacts } from "../facts/gather-facts.ts";
import { mergeContent } from "./merge-content.ts";
import { mergedLists } from "./merged-lists.ts";
import { modelSections } from "./model-sections.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../template.ts";
import type { CompactionTemplate } from "../template.ts";

/** What a summary of a model and of facts is made from. */
export interface MergeSummaryInput extends ExtractiveInput {
  /** What the model wrote: accepted, or with gaps that facts can fill; see `judgeSummary`. */
  readonly model: string;
  /** The facts of all of the conversation, for what is said of earlier work. @default `ledger` */
  readonly known?: Ledger;
  /** What the user typed beyond the ledger, e.g. in messages that stay; newest first. */
  readonly userTexts?: readonly string[];
}

export interface MergedSummary {
  readonly text: string;
  /** Whether all that the model wrote stands there: had room, and is denied by no fact. */
  readonly isWhole: boolean;
}

/**
 * A model's summary completed with the facts that it may not leave out: the user's instructions word
 * for word, changed files, commands, todos, unresolved errors, older heads, each only if the model
 * does not say it already. It has all five sections and stays under the cap; what has no room is
 * counted and named by handle. The facts of the summary before it are carried over; the prose of that
 * one is the model's to merge. The same input gives the same text.
 */
export function mergeSummary(input: MergeSummaryInput): MergedSummary {
  const { cap, count, ledger, known = ledger, template = DEFAULT_COMPACTION_TEMPLATE } = input;
  const { facts: all, heads, handles } = gatherFacts(input, template);
  const facts = { ...all, others: ownSections(all, template) };
  const { text } = cleanAnswer(input.model, template);
  const wrong = findContradictions(text, known, template).map(({ line }) => line);
  const sections = modelSections(text, template);
  const { userTexts = [] } = input;
  const content = mergeContent(sections, {
    facts,
    heads,
    userTexts,
    wrong: new Set(wrong),
    hasNewTodos: ledger.todos.length > 0,
    cap,
    count,
  });
  const options = { cap, count, handles };
  // Where every instruction stands word for word, rules in a model's words say nothing more.
  const whole = mergedLists({ ...content, rules: [] }, { isShort: false });
  const lists = fitsWhole(whole, template, options)
    ? whole
    : mergedLists(content, { isShort: true });
  const summary = composeSummary(lists, template, options);
  const entries = [...content.model.values()].flat();
  const isWhole = wrong.length === 0 && entries.every((entry) => summary.includes(entry.text));
  return { text: summary, isWhole };
}

/** Sections that nobody asked for are prose of an earlier summary. */
function ownSections({ others }: Facts, { sections }: CompactionTemplate): Facts["others"] {
  const ids = new Set(sections.map(({ id }) => id));
  return new Map([...others].filter(([id]) => ids.has(id)));
}

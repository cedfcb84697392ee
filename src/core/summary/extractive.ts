import type { Handle } from "../message/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { composeSummary } from "./compose.ts";
import { factLists } from "./facts/fact-lists.ts";
import { gatherFacts } from "./facts/gather-facts.ts";
import type { CountTokens } from "./plain-text.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";
import type { CompactionTemplate } from "./template.ts";

/** What an extractive summary is made from. */
export interface ExtractiveInput {
  /** The facts of the messages that the summary replaces, without those of `previousSummary`. */
  readonly ledger: Ledger;
  /** The summary that stands now, framed or not, ours or another agent's; it is merged. */
  readonly previousSummary?: string;
  /**
   * What an extractive summary said in its place, where a model wrote `previousSummary`: facts are
   * read from here, and only words from what the model wrote.
   */
  readonly previousFacts?: string;
  /**
   * Summaries that other programs wrote in this conversation, oldest first. They are merged too; what
   * they call instructions is marked as theirs, because nobody can tell who said it.
   */
  readonly foreignSummaries?: readonly string[];
  /** At most this many tokens. Under about 300 only the headings and what they leave out remain. */
  readonly cap: number;
  readonly count: CountTokens;
  /** Where the messages are that the summary replaces, the previous summary among them. */
  readonly headHandle?: Handle;
  /** The heads of earlier compactions, newest first. */
  readonly olderHandles?: readonly Handle[];
  /** One line each, e.g. `working directory /srv/app`. */
  readonly environment?: readonly string[];
  /** Rules from outside the conversation, word for word, oldest first. */
  readonly constraints?: readonly string[];
  /** Sections beyond the five are there too, with what a previous summary had in them. */
  readonly template?: CompactionTemplate;
}

/**
 * A summary with all five sections and no model: facts of the ledger and of the summary before it,
 * newest first, under the cap. What has no room is counted and named by handle. The same input gives
 * the same text.
 */
export function extractiveSummary(input: ExtractiveInput): string {
  const { cap, count, template = DEFAULT_COMPACTION_TEMPLATE } = input;
  const { facts, heads, handles } = gatherFacts(input, template);
  return composeSummary(factLists(facts, heads), template, { cap, count, handles });
}

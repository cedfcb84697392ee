import type { Handle } from "../../message/index.ts";
import type { Ledger } from "../../ledger/index.ts";
import { unframeSummary } from "../frame.ts";
import { asForeign, wordsOf } from "./earlier-facts.ts";
import { distinct } from "./facts.ts";
import type { Facts } from "./facts.ts";
import { ledgerFacts } from "./ledger-facts.ts";
import { mergeFacts } from "./merge-facts.ts";
import { cleanText, oneLine } from "../plain-text.ts";
import { summaryFacts, type SummaryFacts } from "./summary-facts.ts";
import type { CompactionTemplate } from "../template.ts";

/** Where the facts of a summary come from. */
export interface FactSources {
  readonly ledger: Ledger;
  readonly previousSummary?: string;
  /** Where facts are read from, if `previousSummary` holds the words of a model. */
  readonly previousFacts?: string;
  readonly foreignSummaries?: readonly string[];
  readonly headHandle?: Handle;
  readonly olderHandles?: readonly Handle[];
  readonly environment?: readonly string[];
  /** Rules from outside the conversation, oldest first: they come before what was said in it. */
  readonly constraints?: readonly string[];
}

export interface GatheredFacts {
  readonly facts: Facts;
  /** The heads of earlier compactions, newest first. */
  readonly heads: readonly Handle[];
  /** All heads that a text may name, newest first. */
  readonly handles: readonly Handle[];
}

/**
 * The facts of a ledger and of the summary before it together, with the heads of earlier
 * compactions.
 */
export function gatherFacts(input: FactSources, template: CompactionTemplate): GatheredFacts {
  const { headHandle, olderHandles = [] } = input;
  const earlier = earlierFacts(input, template);
  const heads = new Set([...olderHandles, ...earlier.heads]);
  if (headHandle !== undefined) heads.delete(headHandle);
  const handles = headHandle === undefined ? [...heads] : [headHandle, ...heads];
  const environment = (input.environment ?? []).map(oneLine);
  const said = ledgerFacts(input.ledger);
  const rules = (input.constraints ?? []).map((text) => cleanText(text).trim());
  const instructions = distinct([...rules.toReversed(), ...said.instructions]);
  const newer = { ...said, environment, instructions };
  return { facts: mergeFacts(newer, earlier.facts), heads: [...heads], handles };
}

/** What earlier summaries hold, whoever wrote them, and the heads that they name. */
function earlierFacts(input: FactSources, template: CompactionTemplate): SummaryFacts {
  const { previousSummary = "", previousFacts, foreignSummaries = [] } = input;
  const framed = unframeSummary(previousSummary);
  const named = framed?.headHandle === undefined ? [] : [framed.headHandle];
  const said = summaryFacts(framed?.text ?? previousSummary, template);
  const known = previousFacts === undefined ? said : summaryFacts(previousFacts, template);
  const own =
    previousFacts === undefined
      ? said.facts
      : mergeFacts(wordsOf(said.facts, known.facts), known.facts);
  const foreign = foreignSummaries.map((text) => asForeign(summaryFacts(text, template).facts));
  const facts = foreign.reduce((older, newer) => mergeFacts(newer, older), own);
  return { facts, heads: [...named, ...known.heads] };
}

import type { Handle } from "../handle/index.ts";
import type { Ledger } from "../ledger/index.ts";
import { listDemand, renderList } from "./fact-list.ts";
import type { FactList, RenderContext, RenderedList } from "./fact-list.ts";
import { factLists } from "./fact-lists.ts";
import type { SectionLists } from "./fact-lists.ts";
import type { Facts } from "./facts.ts";
import { unframeSummary } from "./frame.ts";
import { ledgerFacts } from "./ledger-facts.ts";
import { mergeFacts } from "./merge-facts.ts";
import { oneLine } from "./plain-text.ts";
import type { CountTokens } from "./plain-text.ts";
import { renderSummary } from "./sections.ts";
import { shareOut } from "./share.ts";
import type { Want } from "./share.ts";
import { summaryFacts } from "./summary-facts.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "./template.ts";
import type { CompactionTemplate } from "./template.ts";

/** What an extractive summary is made from. */
export interface ExtractiveInput {
  /** The facts of the messages that the summary replaces, without those of `previousSummary`. */
  readonly ledger: Ledger;
  /** The summary that stands now, framed or not, ours or another agent's; it is merged. */
  readonly previousSummary?: string | undefined;
  /** At most this many tokens. Under about 300 only the headings and what they leave out remain. */
  readonly cap: number;
  readonly count: CountTokens;
  /** Where the messages are that the summary replaces, the previous summary among them. */
  readonly headHandle?: Handle | undefined;
  /** The heads of earlier compactions, newest first. */
  readonly olderHandles?: readonly Handle[] | undefined;
  /** One line each, e.g. `working directory /srv/app`. */
  readonly environment?: readonly string[] | undefined;
  /** Sections beyond the five are there too, with what a previous summary had in them. */
  readonly template?: CompactionTemplate | undefined;
}

/** Tokens are not additive: joined lines may cost more than their sum, so there is a next try. */
const TRIES = [1, 0.95, 0.85, 0.7, 0.5, 0.25, 0];

/**
 * A summary with all five sections and no model: facts of the ledger and of the summary before it,
 * newest first, under the cap. What has no room is counted and named by handle. The same input gives
 * the same text.
 */
export function extractiveSummary(input: ExtractiveInput): string {
  const { cap, count, template = DEFAULT_COMPACTION_TEMPLATE } = input;
  const { facts, heads } = gatherFacts(input, template);
  const handles = input.headHandle === undefined ? heads : [input.headHandle, ...heads];
  const lists = factLists(facts, heads);
  const context = { count, handles };
  const whole = withCore(template);
  const headings = count(renderSummary(new Map(), whole));
  let summary = "";
  for (const part of TRIES) {
    const bodies = renderLists(lists, Math.floor((cap - headings) * part), context);
    summary = renderSummary(bodies, whole);
    if (count(summary) <= cap) return summary;
  }
  const least = renderSummary(leastBodies(lists, context), whole);
  return count(least) < count(summary) ? least : summary;
}

function gatherFacts(
  input: ExtractiveInput,
  template: CompactionTemplate,
): { facts: Facts; heads: readonly Handle[] } {
  const { headHandle, olderHandles = [], previousSummary = "" } = input;
  const framed = unframeSummary(previousSummary);
  const earlier = summaryFacts(framed?.text ?? previousSummary, template);
  const named = framed?.headHandle === undefined ? [] : [framed.headHandle];
  const heads = new Set([...olderHandles, ...named, ...earlier.heads]);
  if (headHandle !== undefined) heads.delete(headHandle);
  const environment = (input.environment ?? []).map(oneLine);
  const newer = { ...ledgerFacts(input.ledger), environment };
  return { facts: mergeFacts(newer, earlier.facts), heads: [...heads] };
}

/** The template with those of the five sections that it leaves out, so that no fact is left out. */
function withCore(template: CompactionTemplate): CompactionTemplate {
  const ids = new Set(template.sections.map(({ id }) => id));
  const missing = DEFAULT_COMPACTION_TEMPLATE.sections.filter(({ id }) => !ids.has(id));
  return { sections: [...template.sections, ...missing] };
}

/** All lists under a budget. What one list leaves over goes to those that were cut. */
function renderLists(
  lists: SectionLists,
  budget: number,
  context: RenderContext,
): ReadonlyMap<string, string> {
  const all = [...lists.values()].flat();
  const limit = Math.max(0, budget);
  const wants: Want[] = all.map((list) => ({
    weight: list.weight,
    demand: (most) => listDemand(list, most, context),
  }));
  const shares = shareOut(limit, wants);
  const first = all.map((list, index) => renderList(list, shares[index] ?? 0, context));
  const used = wants.map((want, index): Want => {
    const { whole = false, tokens = 0 } = first[index] ?? {};
    return whole ? { ...want, demand: () => tokens } : want;
  });
  const larger = shareOut(limit, used);
  const second = first.map((rendered, index) => {
    const share = larger[index] ?? 0;
    const isSame = rendered.whole || share === shares[index];
    return isSame ? rendered : renderList(all[index] as FactList, share, context);
  });
  const rendered = fillUp(all, second, { limit, context });
  const byList = new Map(all.map((list, index) => [list, rendered[index]?.lines ?? []]));
  return mapBodies(lists, (list) => byList.get(list) ?? []);
}

/** Entries are not divisible, so every list that was cut leaves a rest: the weightiest use it. */
function fillUp(
  lists: readonly FactList[],
  rendered: readonly RenderedList[],
  { limit, context }: { readonly limit: number; readonly context: RenderContext },
): readonly RenderedList[] {
  const filled = [...rendered];
  let left = rendered.reduce((rest, { tokens }) => rest - tokens, limit);
  const cut = [...lists.entries()].filter(([index]) => filled[index]?.whole === false);
  for (const [index, list] of cut.toSorted(([, a], [, b]) => b.weight - a.weight)) {
    const before = filled[index]?.tokens ?? 0;
    if (left <= 0) break;
    const next = renderList(list, before + left, context);
    if (next.tokens > before + left) continue;
    filled[index] = next;
    left -= next.tokens - before;
  }
  return filled;
}

/** One line a section that counts its facts and names where they are. */
function leastBodies(lists: SectionLists, context: RenderContext): ReadonlyMap<string, string> {
  const bodies = [...lists].map(([section, some]) => {
    const entries = some.flatMap((list) => list.entries);
    const handles = some.flatMap(({ hidden }) => hidden?.handles ?? []);
    const count = some.reduce((sum, { hidden }) => sum + (hidden?.count ?? 0), 0);
    const hidden = count === 0 ? undefined : { count, handles };
    const { lines } = renderList({ noun: "facts", weight: 1, entries, hidden }, 0, context);
    return [section, lines.join("\n")] as const;
  });
  return new Map(bodies);
}

function mapBodies(
  lists: SectionLists,
  lines: (list: FactList) => readonly string[],
): ReadonlyMap<string, string> {
  return new Map([...lists].map(([section, some]) => [section, some.flatMap(lines).join("\n")]));
}

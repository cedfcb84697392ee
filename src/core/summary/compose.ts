import type { Handle } from "../message/index.ts";
import { listDemand, renderList } from "./facts/fact-list.ts";
import type { FactList, RenderContext, RenderedList } from "./facts/fact-list.ts";
import type { SectionLists } from "./facts/fact-lists.ts";
import type { CountTokens } from "./plain-text.ts";
import { renderSummary } from "./sections.ts";
import { shareOut } from "./share.ts";
import type { Want } from "./share.ts";
import { withCore } from "./resolve-template.ts";
import type { CompactionTemplate } from "./template.ts";

export interface ComposeOptions {
  /** At most this many tokens. */
  readonly cap: number;
  readonly count: CountTokens;
  /** Where facts without room are, newest first. */
  readonly handles: readonly Handle[];
}

/** Tokens are not additive: joined lines may cost more than their sum, so there is a next try. */
const TRIES = [1, 0.95, 0.85, 0.7, 0.5, 0.25, 0];

/**
 * A summary from the lists of its sections, under a cap that the lists share by weight. The five
 * sections are there also where the template leaves them out, so that no fact is left out.
 */
export function composeSummary(
  lists: SectionLists,
  template: CompactionTemplate,
  { cap, count, handles }: ComposeOptions,
): string {
  const context = { count, handles };
  const whole = withCore(template);
  const room = cap - count(renderSummary(new Map(), whole));
  let summary = "";
  for (const part of TRIES) {
    const bodies = renderLists(lists, Math.floor(room * part), context);
    summary = renderSummary(bodies, whole);
    if (count(summary) <= cap) return summary;
  }
  const least = renderSummary(leastBodies(lists, whole, context), whole);
  return count(least) < count(summary) ? least : summary;
}

/** Whether a cap is enough for all entries of all lists. */
export function fitsWhole(
  lists: SectionLists,
  template: CompactionTemplate,
  { cap, count, handles }: ComposeOptions,
): boolean {
  let left = cap - count(renderSummary(new Map(), withCore(template)));
  for (const list of [...lists.values()].flat()) {
    if (left < 0) return false;
    left -= listDemand(list, left, { count, handles });
  }
  return left >= 0;
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
function leastBodies(
  lists: SectionLists,
  template: CompactionTemplate,
  context: RenderContext,
): ReadonlyMap<string, string> {
  const ids = new Set(template.sections.map(({ id }) => id));
  const homes = new Map<string, FactList[]>();
  for (const [section, some] of lists) {
    const home = ids.has(section) ? section : "discoveries";
    homes.set(home, [...(homes.get(home) ?? []), ...some]);
  }
  const bodies = [...homes].map(([home, some]) => {
    const entries = some.flatMap((list) => list.entries);
    const handles = some.flatMap(({ hidden }) => hidden?.handles ?? []);
    const count = some.reduce((sum, { hidden }) => sum + (hidden?.count ?? 0), 0);
    const hidden = count === 0 ? undefined : { count, handles };
    const { lines } = renderList({ noun: "facts", weight: 1, entries, hidden }, 0, context);
    return [home, lines.join("\n")] as const;
  });
  return new Map(bodies);
}

function mapBodies(
  lists: SectionLists,
  lines: (list: FactList) => readonly string[],
): ReadonlyMap<string, string> {
  return new Map([...lists].map(([section, some]) => [section, some.flatMap(lines).join("\n")]));
}

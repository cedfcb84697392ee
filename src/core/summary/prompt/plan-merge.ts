import { EMPTY_LEDGER } from "../../ledger/index.ts";
import { extractiveSummary } from "../index.ts";
import { evenGroups, type Stretch } from "./balance.ts";
import { fitSummary, frameOf, retryRoom } from "./plan-prompts.ts";
import { mergePrompt } from "./prompts.ts";
import type { PromptBudget, SummaryInput, SummaryPrompt } from "./request.ts";

/** Consecutive summaries that become one; `from` and `to` (exclusive) are their indices. */
export interface MergeGroup extends Stretch {
  /** Absent for a single summary, which goes on as it is. */
  readonly prompt?: SummaryPrompt;
}

/** One level of merging. */
export interface MergePlan {
  readonly groups: readonly MergeGroup[];
  /** Whether this gives the summary of the whole; only then the previous one is part of it. */
  readonly isLast: boolean;
}

/** Summaries of consecutive chunks, oldest first, and how large one of them may be. */
export interface Partials {
  readonly texts: readonly string[];
  /** As in the plan of the chunks. */
  readonly cap: number;
}

/** Where texts cost more together than by themselves, they are made smaller until they fit. */
const TIGHTER = [1, 0.85, 0.6, 0.35];

/**
 * The next level of merging: all summaries at once if they fit, else in as few groups of equal size
 * as the room allows, of two at least. Each level leaves at most half as many (rounded up), so from
 * k chunks on it takes at most ⌈log2 k⌉ + 1 levels, and no fact is summarized again more often.
 * `undefined` when not even two fit together.
 */
export function planMerge(
  partials: Partials,
  input: SummaryInput,
  budget: PromptBudget,
): MergePlan | undefined {
  const { length } = partials.texts;
  for (const part of TIGHTER) {
    const tighter = { ...partials, cap: Math.floor(partials.cap * part) };
    const last = groupPrompt(tighter, { from: 0, to: length }, { input, budget });
    if (last !== undefined) {
      const isAlone = length === 1 && (input.previousSummary ?? "") === "";
      const group = { from: 0, to: length, ...(!isAlone && { prompt: last }) };
      return { groups: [group], isLast: true };
    }
    const inner = { input: { ...input, previousSummary: undefined, cap: partials.cap }, budget };
    for (let count = 2; count <= Math.ceil(length / 2); count++) {
      const groups = planGroups(tighter, evenGroups(length, count), inner);
      if (groups !== undefined) return { groups, isLast: false };
    }
  }
  return undefined;
}

/** Summaries put together without a model: their facts, under a cap. Oldest first. */
export function joinSummaries(
  texts: readonly string[],
  { cap, template }: Pick<SummaryInput, "cap" | "template">,
  { count }: Pick<PromptBudget, "count">,
): string {
  // The newest facts stand first in a summary, and what is last has no room.
  const previousSummary = texts.toReversed().join("\n\n");
  return extractiveSummary({ ledger: EMPTY_LEDGER, previousSummary, cap, count, template });
}

interface Context {
  readonly input: SummaryInput;
  readonly budget: PromptBudget;
}

function planGroups(
  partials: Partials,
  stretches: readonly Stretch[],
  context: Context,
): readonly MergeGroup[] | undefined {
  const groups: MergeGroup[] = [];
  for (const stretch of stretches) {
    if (stretch.to - stretch.from === 1) {
      groups.push(stretch);
      continue;
    }
    const prompt = groupPrompt(partials, stretch, context);
    if (prompt === undefined) return undefined;
    groups.push({ ...stretch, prompt });
  }
  return groups;
}

/** The prompt that merges a stretch of summaries, if it fits. */
function groupPrompt(
  { texts, cap }: Partials,
  { from, to }: Stretch,
  { input, budget }: Context,
): SummaryPrompt | undefined {
  const { count, room } = budget;
  const fit = { template: input.template, count };
  const some = texts.slice(from, to).map((text) => fitSummary(text, cap, fit));
  const { previousSummary = "" } = input;
  const share = Math.floor(room / 4);
  const earlier = previousSummary === "" ? "" : fitSummary(previousSummary, share, fit);
  const prompt = mergePrompt(some, { ...frameOf(input, budget), previousSummary: earlier });
  const tokens = count(prompt.system) + count(prompt.user);
  return tokens + retryRoom(room) <= room ? prompt : undefined;
}

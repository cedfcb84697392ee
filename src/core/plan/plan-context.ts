import { applyEdits } from "../message/edit.ts";
import { leadingSystemCount } from "../message/structure.ts";
import { planPrune, prunableTokens } from "../prune/prune.ts";
import { editingPlan } from "./bound-reasoning.ts";
import { irreducible } from "./irreducible.ts";
import type { PlanOptions } from "./options.ts";
import { planCompaction } from "./plan-compaction.ts";
import type { ContextPlan } from "./plan.ts";
import { countedLimit, fitsInto, isOver, requestSize, roomOf } from "./size.ts";
import type { Message } from "../message/index.ts";
import type { PruneContext } from "../prune/index.ts";

/**
 * Decides what to do to a conversation; pure, and the result is plain JSON. Nothing while there is
 * room; else pruning, if that alone reaches the target; else a compaction (at once with `force`).
 * The list must be legal (`checkMessages`). Throws `ContextError` code `irreducible` when what may
 * not be removed does not fit, naming what fills the window.
 */
export function planContext(messages: readonly Message[], options: PlanOptions): ContextPlan {
  const size = requestSize(messages, options, options.usedTokens);
  const nothing: ContextPlan = { version: 1, action: "none", length: messages.length, edits: [] };
  const mustShrink = isOver(size, options);
  if (!mustShrink && options.force !== true) return nothing;
  assertFixedFits(messages, options);
  const mayPrune = mustShrink && options.force !== true && options.canRecall !== false;
  const pruned = mayPrune ? prunePlan(messages, options, size.tokens) : undefined;
  if (pruned !== undefined) return pruned;
  const compacted = planCompaction(messages, options);
  if (compacted !== undefined) return compacted;
  // A report may be wrong; what fits as it is counted is sent, and the provider says if it was right.
  const counted = { ...options, usedTokens: undefined };
  if (isOver(requestSize(messages, options), counted)) throw irreducible(messages, options);
  return nothing;
}

/** T9: the plan that only prunes, if that brings the context to its target. */
function prunePlan(
  messages: readonly Message[],
  options: PlanOptions,
  tokens: number,
): ContextPlan | undefined {
  const { budget } = options;
  const excess = tokens - budget.target;
  const context: PruneContext = { ...options, excess };
  // Most long conversations are beyond pruning; that is seen before anything is chosen.
  if (prunableTokens(messages, context) < excess) return undefined;
  const pieces = planPrune(messages, context);
  const saved = pieces.reduce((total, piece) => total + piece.saving, 0);
  if (pieces.length === 0 || tokens - saved > budget.target) return undefined;
  const edits = pieces.map((piece) => piece.edit);
  const after = requestSize(applyEdits(messages, edits), options);
  if (!fitsInto({ ...after, tokens: tokens - saved }, roomOf(budget.target, options)))
    return undefined;
  // What was reported for the list of before says nothing about this one: its count decides next.
  if (after.tokens >= countedLimit(options)) return undefined;
  return editingPlan(messages, edits, options);
}

/** If the fixed part alone fills the budget, no compaction can help. */
function assertFixedFits(messages: readonly Message[], options: PlanOptions): void {
  const system = messages.slice(0, leadingSystemCount(messages));
  const fixed = requestSize(system, options).tokens;
  if (fixed >= options.budget.usable) throw irreducible(messages, options);
}

import { sha256Hex } from "../archive/digest.ts";
import { applyEdits } from "../core/message/edit.ts";
import { assertMessages } from "../core/message/shape.ts";
import { budgetOf } from "../core/overflow/budget.ts";
import { originalsOf } from "../core/plan/apply-plan.ts";
import { planPrune, type PrunedPiece } from "../core/prune/prune.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter } from "../core/tokens/meter.ts";
import type { Message, Original } from "../core/message/index.ts";
import type { ContextPlan, PlanOptions } from "../core/plan/index.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import type { BudgetOptions } from "../core/overflow/index.ts";
import type { PruneOptions } from "../core/prune/index.ts";
import type { TokenCounter } from "../core/tokens/index.ts";

/**
 * The needs of `planContext` beside a budget and the time: a counter, a meter that remembers its
 * measurements, and the digest that names originals. Keep them for as long as the conversation
 * lasts, so that every message is measured once.
 */
export function planDefaults(
  counter: TokenCounter = estimator,
): Pick<PlanOptions, "counter" | "meter" | "digest"> {
  return { counter, meter: createMessageMeter(counter), digest: sha256Hex };
}

export interface PruneToolOutputsOptions extends BudgetOptions, PruneOptions {
  /** @default the estimator */
  readonly counter?: TokenCounter;
  readonly toolKinds?: ToolKinds;
  /** The clock for `time.compacted`, in ms since the epoch. @default Date.now */
  readonly now?: () => number;
}

export interface PrunedOutputs {
  /** The same list, and the same objects, wherever nothing was pruned. */
  readonly messages: readonly Message[];
  readonly pruned: readonly PrunedPiece[];
  /** The outputs that left the messages, for the caller's archive. */
  readonly originals: readonly Original[];
}

/**
 * Prunes everything that may be pruned (T9), once: old tool outputs become placeholders that name
 * their originals. Returns the list itself when less than the minimum saving would come back.
 */
export function pruneToolOutputs(
  messages: readonly Message[],
  options: PruneToolOutputsOptions = {},
): PrunedOutputs {
  assertMessages(messages);
  const { now = Date.now, toolKinds, protectedTools } = options;
  const pruned = planPrune(messages, {
    ...planDefaults(options.counter),
    budget: budgetOf(options),
    protectedTools,
    excess: Infinity,
    toolKinds,
    now: now(),
  });
  const edits = pruned.map((piece) => piece.edit);
  const plan: ContextPlan = { version: 1, action: "prune", length: messages.length, edits };
  return {
    messages: applyEdits(messages, edits),
    pruned,
    originals: originalsOf(messages, plan, sha256Hex),
  };
}

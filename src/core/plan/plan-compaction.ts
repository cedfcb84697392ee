import { buildContinuation } from "../continuation/continuation.ts";
import { isSkill, type ProtectedResult } from "../prune/protection.ts";
import { headOriginal } from "./apply-plan.ts";
import { type Attempt, firstThatFits, range, type Source, sourceOf } from "./attempt.ts";
import { editingPlan } from "./editing-plan.ts";
import { NEUTRAL_TRAITS, type PlanOptions } from "./options.ts";
import type { CompactionPlan, ContextPlan, HeadSplit, UnpinnedResult } from "./plan.ts";
import type { Handle, Message } from "../message/index.ts";

/**
 * Plans a compaction (T8, T11): tail, pins, clips and the room for the summary, so that the result
 * fits whatever the summary says. Without a head the plan only clips. `undefined` when
 * there is nothing to do, or when nothing fits.
 */
export function planCompaction(
  messages: readonly Message[],
  options: PlanOptions,
): ContextPlan | undefined {
  const source = sourceOf(messages, options);
  const attempt = firstThatFits(source);
  if (attempt === undefined) return undefined;
  return attempt.start <= source.system
    ? clipPlan(messages, attempt, options)
    : compactionPlan(messages, attempt, source);
}

/** No head, so nothing is summarized: the large pieces are clipped, if there are any. */
function clipPlan(
  messages: readonly Message[],
  { edits, withoutReasoning }: Attempt,
  options: PlanOptions,
): ContextPlan | undefined {
  if (edits.length === 0 && withoutReasoning.length === 0) return undefined;
  return editingPlan(messages, edits, options, withoutReasoning);
}

function compactionPlan(
  messages: readonly Message[],
  attempt: Attempt,
  { system, options, media }: Source,
): ContextPlan {
  const traits = options.traits ?? NEUTRAL_TRAITS;
  const { withoutReasoning, summary } = attempt;
  const keptIndices = [...attempt.pinned, ...range(attempt.start, messages.length)];
  const split = { system, tailStart: attempt.start, withoutReasoning };
  const lead = messages.slice(0, system);
  const kept = [...lead, ...keptIndices.flatMap((index) => messages[index] ?? [])];
  const { state, needed, message } = buildContinuation(messages, {
    policy: options.continuation,
    kept,
    endsWithInput: traits.endsWithInput,
  });
  // Some chat templates refuse a conversation in which no user speaks.
  const hasUserMessage = message !== undefined || kept.some((one) => one.role === "user");
  const role = hasUserMessage ? traits.summaryRole : "user";
  const handle = options.canRecall === false ? undefined : handleOfHead(messages, split, options);
  const compaction: CompactionPlan = {
    ...split,
    pinned: attempt.pinned,
    ...(attempt.steps.left.length > 0 && {
      unpinned: attempt.steps.left.map((result) => unpinnedResult(result, options)),
    }),
    ...(media.hadMedia !== undefined && { hadMedia: media.hadMedia }),
    ...(handle !== undefined && { handle }),
    summary: { role, ...summary },
    state,
    ...(needed && { needed }),
    ...(message !== undefined && { continuation: message }),
  };
  const isKept = new Set(keptIndices);
  const edits = attempt.edits.filter((edit) => isKept.has(edit.message));
  return { version: 1, action: "compact", length: messages.length, edits, compaction };
}

function handleOfHead(
  messages: readonly Message[],
  split: HeadSplit,
  { headOf, digest }: PlanOptions,
): Handle {
  return (headOf?.(split) ?? headOriginal(messages, split, digest)).handle;
}

function unpinnedResult(
  { message, part, call, facts, handle }: ProtectedResult,
  { canRecall = true }: PlanOptions,
): UnpinnedResult {
  const named = { tool: call.toolName, subject: facts.subject, isSkill: isSkill(facts) };
  return { message, part, ...named, ...(canRecall && { handle }) };
}

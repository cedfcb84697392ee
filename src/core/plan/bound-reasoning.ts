import type { Edit, Message } from "../message/index.ts";
import { reasoningOriginal } from "./apply-plan.ts";
import type { PlanOptions } from "./options.ts";
import type { ContextPlan } from "./plan.ts";

/**
 * What a plan that only edits parts says about reasoning: where reasoning is bound to everything
 * before it, all that stands behind the first edit goes.
 */
export function boundReasoning(
  messages: readonly Message[],
  edits: readonly Edit[],
  { traits, digest }: PlanOptions,
): Pick<ContextPlan, "reasoning"> {
  if (traits?.boundReasoning !== true) return {};
  const first = edits.reduce((least, { message }) => Math.min(least, message), messages.length);
  const bound = messages.flatMap(({ parts }, index) =>
    index >= first && parts.some((part) => part.type === "reasoning") ? [index] : [],
  );
  if (bound.length === 0) return {};
  const { handle } = reasoningOriginal(messages, bound, digest);
  return { reasoning: { messages: bound, handle } };
}

import type { Edit, Message } from "../message/index.ts";
import { reasoningOriginal } from "./apply-plan.ts";
import type { PlanOptions } from "./options.ts";
import type { ContextPlan } from "./plan.ts";

/**
 * What a plan that only edits parts says about reasoning: what has no room goes, and where reasoning
 * is bound to everything before it, all that stands behind the first change.
 */
export function droppedReasoning(
  messages: readonly Message[],
  edits: readonly Edit[],
  { traits, digest }: PlanOptions,
  withoutRoom: readonly number[] = [],
): Pick<ContextPlan, "reasoning"> {
  const places = [...edits.map(({ message }) => message), ...withoutRoom];
  const first = traits?.boundReasoning === true ? Math.min(...places) : Infinity;
  const dropped = messages.flatMap(({ parts }, index) => {
    const goes = index >= first || withoutRoom.includes(index);
    return goes && parts.some((part) => part.type === "reasoning") ? [index] : [];
  });
  if (dropped.length === 0) return {};
  const { handle } = reasoningOriginal(messages, dropped, digest);
  return { reasoning: { messages: dropped, handle } };
}

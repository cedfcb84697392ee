import type { Edit, Message } from "../message/index.ts";
import { openTag } from "../text/markup.ts";
import { applyPlan, reasoningOriginal } from "./apply-plan.ts";
import type { PlanOptions } from "./options.ts";
import type { ContextPlan, ReasoningPlan } from "./plan.ts";
import { countedLimit, requestSize } from "./size.ts";

/**
 * A plan that only edits parts, with what becomes of reasoning: what has no room goes, and where
 * reasoning is bound to everything before it, all that stands behind the first change. The first
 * edit names where it is.
 */
export function editingPlan(
  messages: readonly Message[],
  edits: readonly Edit[],
  options: PlanOptions,
  withoutRoom: readonly number[] = [],
): ContextPlan {
  const plan: ContextPlan = { version: 1, action: "prune", length: messages.length, edits };
  const reasoning = droppedReasoning(messages, edits, options, withoutRoom);
  if (reasoning === undefined) return plan;
  const silent = { ...plan, reasoning };
  const [first, ...others] = edits;
  if (first === undefined || options.canRecall === false) return silent;
  const named = { ...silent, edits: [naming(first, reasoning), ...others] };
  const { tokens } = requestSize(applyPlan(messages, named), options);
  return tokens < countedLimit(options) ? named : silent;
}

function droppedReasoning(
  messages: readonly Message[],
  edits: readonly Edit[],
  { traits, digest }: PlanOptions,
  withoutRoom: readonly number[],
): ReasoningPlan | undefined {
  const places = [...edits.map(({ message }) => message), ...withoutRoom];
  const first = traits?.boundReasoning === true ? Math.min(...places) : Infinity;
  const dropped = messages.flatMap(({ parts }, index) => {
    const goes = index >= first || withoutRoom.includes(index);
    return goes && parts.some((part) => part.type === "reasoning") ? [index] : [];
  });
  if (dropped.length === 0) return undefined;
  return { messages: dropped, handle: reasoningOriginal(messages, dropped, digest).handle };
}

/** An edit that also says where reasoning is. */
function naming(edit: Edit, { messages, handle }: ReasoningPlan): Edit {
  const note = `${openTag("reasoning-compacted", { messages: messages.length, recall: handle })} />`;
  if (edit.type !== "replace-input") return { ...edit, text: `${edit.text}\n${note}` };
  const noted = (value: unknown): unknown =>
    typeof value === "string" && value.includes(edit.handle) ? `${value} ${note}` : value;
  const { input } = edit;
  if (typeof input !== "object" || input === null) return { ...edit, input: noted(input) };
  const fields = Object.entries(input).map(([name, value]) => [name, noted(value)]);
  return { ...edit, input: Object.fromEntries(fields) };
}

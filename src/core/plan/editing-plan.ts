import { originalAttribute } from "../message/handle.ts";
import type { Edit, Handle, Message } from "../message/index.ts";
import { openTag } from "../text/markup.ts";
import { reasoningOriginal } from "./apply-plan.ts";
import type { MessageSize } from "../tokens/index.ts";
import type { PlanOptions } from "./options.ts";
import type { ContextPlan, ReasoningPlan } from "./plan.ts";

/**
 * A plan that only edits parts, with what becomes of reasoning: what has no room goes, and where
 * reasoning is bound to everything before it, all that stands behind the first change. The first
 * message that loses some says where it is.
 */
export function editingPlan(
  messages: readonly Message[],
  edits: readonly Edit[],
  options: PlanOptions,
  withoutRoom: readonly number[] = [],
): ContextPlan {
  const plan: ContextPlan = { version: 1, action: "prune", length: messages.length, edits };
  const reasoning = droppedReasoning(messages, edits, options, withoutRoom);
  return reasoning === undefined ? plan : { ...plan, reasoning };
}

function droppedReasoning(
  messages: readonly Message[],
  edits: readonly Edit[],
  { traits, digest, canRecall, recall }: PlanOptions,
  withoutRoom: readonly number[],
): ReasoningPlan | undefined {
  const isBound = traits?.boundReasoning === true;
  if (!isBound && withoutRoom.length === 0) return undefined;
  const firstOf = (places: readonly number[]): number =>
    places.reduce((least, place) => Math.min(least, place), Infinity);
  const edited = edits.map(({ message }) => message);
  const first = isBound ? Math.min(firstOf(edited), firstOf(withoutRoom)) : Infinity;
  const dropped = messages.flatMap(({ parts }, index) => {
    const goes = index >= first || withoutRoom.includes(index);
    return goes && parts.some((part) => part.type === "reasoning") ? [index] : [];
  });
  if (dropped.length === 0) return undefined;
  if (canRecall === false) return { messages: dropped };
  const { handle } = reasoningOriginal(messages, dropped, digest);
  return { messages: dropped, handle, note: reasoningNote(dropped.length, handle, recall) };
}

/** The note that names the archived reasoning of so many messages. */
function reasoningNote(messages: number, handle: Handle, recall?: boolean): string {
  const where = originalAttribute(handle, recall);
  return `${openTag("reasoning-compacted", { messages, ...where })} />`;
}

/** The most that this note takes; nothing where no reasoning goes. */
export function noteRoom(
  goes: boolean,
  messages: readonly Message[],
  { traits, canRecall, recall, meter }: PlanOptions,
): MessageSize {
  const mayGo = goes || traits?.boundReasoning === true;
  const isThere = ({ parts }: Message): boolean => parts.some(({ type }) => type === "reasoning");
  if (!mayGo || canRecall === false || !messages.some(isThere)) {
    return { tokens: 0, bytes: 0, images: 0 };
  }
  const text = reasoningNote(messages.length, `head_${"0".repeat(16)}`, recall);
  return meter.totalSize([{ role: "assistant", parts: [{ type: "text", text }] }]);
}

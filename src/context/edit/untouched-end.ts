import type { Message } from "../../core/message/index.ts";
import type { ContextPlan } from "../../core/plan/index.ts";
import type { View } from "../view/view.ts";

/**
 * How many messages at the end of a view a plan leaves alone: what was said after the newest step.
 * Agents put reminders there that are gone in the next request, so no record may rest on them; what
 * stays is new to the next one. `messages` is the legal list of the view.
 */
export function untouchedEnd(
  { fresh }: View,
  { messages, plan }: { readonly messages: readonly Message[]; readonly plan: ContextPlan },
): number {
  const { edits, compaction } = plan;
  if (compaction?.continuation !== undefined) return 0;
  const touched = Math.max(
    ...edits.map(({ message }) => message),
    compaction?.hadMedia ?? -1,
    (compaction?.tailStart ?? 0) - 1,
  );
  // A history is recognised by what was consumed of it.
  const most = Math.min(messages.length - 1 - touched, fresh.length - 1);
  let count = 0;
  while (count < most && isSaid(messages.at(-1 - count), fresh.at(-1 - count))) count++;
  return count;
}

function isSaid(message: Message | undefined, given: Message | undefined): boolean {
  return message === given && (message?.role === "user" || message?.role === "system");
}

import type { Message } from "../../core/message/index.ts";

/**
 * Looks at the messages of a list one by one, and gives them without what was reported before the
 * newest compaction of the agent's own: that is about the list before it, which was much longer.
 */
export function withoutStaleUsage(): (message: Message) => Message {
  let summarizedAt = -Infinity;
  return (message) => {
    const { kind, time = Infinity, usage } = message;
    if (kind === "summary" && time !== Infinity) summarizedAt = time;
    return usage === undefined || time > summarizedAt ? message : { ...message, usage: undefined };
  };
}

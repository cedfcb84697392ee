import { isWireObject } from "../dialects/wire-value.ts";

/**
 * The messages with no more cache breakpoints (`cache_control`) than the caller's own list has: callers
 * move theirs on with every request, but what was edited before still has those of its time, and a
 * provider takes only a few. `withContent` copies a message with other content.
 */
export function withoutStaleMarks<Native extends object>(
  messages: readonly Native[],
  given: readonly Native[],
  withContent: (message: Native, content: unknown) => Native,
): readonly Native[] {
  let stale = countMarks(messages) - countMarks(given);
  if (stale <= 0) return messages;
  const own = new Set(given);
  return messages.map((message) => {
    const marks = stale > 0 && !own.has(message) ? countMarks(message) : 0;
    if (marks === 0) return message;
    stale -= marks;
    return withContent(message, unmarked((message as { readonly content?: unknown }).content));
  });
}

/** How many breakpoints are in messages, a message, or its content. */
export function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + countMarks(one), 0);
  if (!isWireObject(value)) return 0;
  const own = isWireObject(value["cache_control"]) ? 1 : 0;
  return own + countMarks(value["content"]);
}

function unmarked(content: unknown): unknown {
  if (Array.isArray(content)) return content.map(unmarked);
  if (!isWireObject(content)) return content;
  const { cache_control: _, ...rest } = content;
  return "content" in rest ? { ...rest, content: unmarked(rest["content"]) } : rest;
}

import type { AnthropicConversation, AnthropicMessage } from "../../dialects/anthropic/index.ts";
import { isWireObject, type WireObject } from "../../dialects/wire-value.ts";
import type { MessageBody } from "./wire.ts";

/** The API takes at most this many breakpoints in one request. */
const MOST_BREAKPOINTS = 4;
const SUMMARY = "<prior-conversation-summary";

/**
 * Marks the end of the summary as a cache breakpoint, if the caller uses breakpoints and has one
 * left: everything up to there stays the same until the next compaction, while the caller's own
 * breakpoints move on with the newest messages.
 */
export function withBreakpoint(
  conversation: AnthropicConversation,
  { tools }: MessageBody,
): AnthropicConversation {
  const { system, messages } = conversation;
  const marks = countMarks(tools) + countMarks(system) + countMarks(messages);
  const at = messages.findIndex(isSummary);
  const message = messages[at];
  if (marks === 0 || marks >= MOST_BREAKPOINTS || message === undefined) return conversation;
  if (countMarks(message) > 0) return conversation;
  const marked = markLast(message);
  return { ...conversation, messages: messages.with(at, marked) };
}

/**
 * The messages with no more breakpoints than the caller's own list has: callers move theirs on with
 * every request, but what was edited before still has those of its time.
 */
export function withoutStaleMarks(
  messages: readonly AnthropicMessage[],
  given: readonly AnthropicMessage[],
): readonly AnthropicMessage[] {
  let stale = countMarks(messages) - countMarks(given);
  if (stale <= 0) return messages;
  const own = new Set(given);
  return messages.map((message) => {
    const marks = stale > 0 && !own.has(message) ? countMarks(message) : 0;
    if (marks === 0) return message;
    stale -= marks;
    return unmarked(message);
  });
}

function unmarked<Value>(value: Value): Value {
  if (Array.isArray(value)) return value.map(unmarked) as Value;
  if (!isWireObject(value)) return value;
  const { cache_control: _, ...rest } = value;
  return { ...rest, ...("content" in rest && { content: unmarked(rest["content"]) }) } as Value;
}

function isSummary({ content }: AnthropicMessage): boolean {
  if (typeof content === "string") return content.startsWith(SUMMARY);
  const [first] = content ?? [];
  return first?.type === "text" && String((first as WireObject)["text"]).startsWith(SUMMARY);
}

/** The summary is the first block; what was merged behind it may change sooner. */
function markLast(message: AnthropicMessage): AnthropicMessage {
  const cache_control = { type: "ephemeral" };
  const { content } = message;
  if (typeof content === "string") {
    return {
      ...message,
      content: [{ type: "text", text: content, cache_control }],
    };
  }
  const [first, ...rest] = content ?? [];
  return {
    ...message,
    content: [{ ...(first as WireObject), cache_control }, ...rest],
  } as AnthropicMessage;
}

function countMarks(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, one) => sum + countMarks(one), 0);
  if (!isWireObject(value)) return 0;
  const own = isWireObject(value["cache_control"]) ? 1 : 0;
  return own + countMarks(value["content"]);
}

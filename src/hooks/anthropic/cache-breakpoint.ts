import type { AnthropicConversation, AnthropicMessage } from "../../dialects/anthropic/wire.ts";
import type { WireObject } from "../../dialects/wire.ts";
import { countMarks } from "../stale-marks.ts";
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

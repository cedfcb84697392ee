import { type Message, toolCalls, waitingCalls } from "../message/index.ts";

/**
 * Where the run stands, read from the messages before a compaction (T11).
 * - `unanswered`: the person wrote something that has no reply yet.
 * - `media`: the same, and it holds images or files.
 * - `mid-task`: the agent is in the middle of its work.
 * - `answered`: the agent has finished, or waits for a word on a call; the person speaks next.
 */
export type RunState = "unanswered" | "media" | "mid-task" | "answered";

/** Decides the run state from a conversation; an empty one is `answered`. */
export function runState(messages: readonly Message[]): RunState {
  let index = messages.length - 1;
  while (isBystander(messages[index])) index--;
  const last = messages[index];
  if (last === undefined) return "answered";
  if (last.role === "user") return isMedia(last) ? "media" : "unanswered";
  const step = messages.findLastIndex(({ role }) => role === "assistant");
  if (waitingCalls(messages.slice(Math.max(step, 0))).size > 0) return "answered";
  if (last.role === "tool" || toolCalls(last).length > 0) return "mid-task";
  return last.metadata?.["finish"] === "length" ? "mid-task" : "answered";
}

/** Messages that programs add around a run; they neither ask nor answer. */
function isBystander(message: Message | undefined): boolean {
  if (message === undefined) return false;
  return message.role === "system" || (message.role === "user" && message.kind !== undefined);
}

function isMedia(message: Message): boolean {
  return message.parts.some((part) => part.type === "file");
}

import type { Message, Part } from "../../src/core/message/index.ts";
import type { Reading } from "../../src/transcripts/transcript.ts";

/** What the messages of a reading hold, by the names that the recordings' manifest has for it. */
export interface Counts {
  readonly messages: number;
  readonly typedUserTurns: number;
  readonly toolCalls: number;
  readonly toolResults: number;
  readonly messagesWithParallelCalls: number;
  readonly failedResults: number;
  readonly thinkingBlocks: number;
  readonly images: number;
  readonly compactions: number;
  readonly prunedOutputs: number;
}

/** Counts the effective contexts of all conversations of a file. */
export function countsOf({
  conversations,
  compactions,
}: Pick<Reading, "conversations" | "compactions">): Counts {
  const messages = conversations.flatMap((conversation) => conversation.messages);
  const parts = messages.flatMap((message) => message.parts);
  const calls = (list: readonly Part[]) => list.filter(({ type }) => type === "tool-call").length;
  const results = parts.filter((part) => part.type === "tool-result");
  const pieces = [...parts, ...results.flatMap(({ output }) => output)];
  return {
    messages: messages.length,
    typedUserTurns: messages.filter(isTyped).length,
    toolCalls: calls(parts),
    toolResults: results.length,
    messagesWithParallelCalls: messages.filter((message) => calls(message.parts) > 1).length,
    failedResults: results.filter((result) => result.isError === true).length,
    thinkingBlocks: parts.filter(({ type }) => type === "reasoning").length,
    images: pieces.filter((part) => part.type === "file" && part.mediaType.startsWith("image/"))
      .length,
    compactions,
    prunedOutputs: results.filter(({ time }) => time !== undefined).length,
  };
}

function isTyped({ role, kind, parts }: Message): boolean {
  return role === "user" && kind === undefined && parts.some(({ type }) => type !== "tool-result");
}

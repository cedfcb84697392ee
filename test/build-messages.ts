import { createHash } from "node:crypto";
import type { Digest, Message, ToolCallPart, ToolResultPart } from "../src/core/message/index.ts";
import type { TokenCounter } from "../src/core/tokens/index.ts";

/** Small builders for conversations, so that a test reads like the conversation it is about. */

export const digest: Digest = (text) => createHash("sha256").update(text, "utf8").digest("hex");

export function system(text: string): Message {
  return { role: "system", parts: [{ type: "text", text }] };
}

export function user(text: string): Message {
  return { role: "user", parts: [{ type: "text", text }] };
}

export function injected(text: string): Message {
  return { role: "user", kind: "injected", parts: [{ type: "text", text }] };
}

export function assistant(text: string): Message {
  return { role: "assistant", parts: [{ type: "text", text }] };
}

export function call(id: string, toolName: string, input: unknown = {}): ToolCallPart {
  return { type: "tool-call", toolCallId: id, toolName, input };
}

export function result(
  id: string,
  toolName: string,
  text: string,
  isError = false,
): ToolResultPart {
  const output = [{ type: "text" as const, text }];
  return { type: "tool-result", toolCallId: id, toolName, output, ...(isError && { isError }) };
}

export function calling(...calls: ToolCallPart[]): Message {
  return { role: "assistant", parts: calls };
}

export function results(...parts: ToolResultPart[]): Message {
  return { role: "tool", parts };
}

/** One step: a call and its result. */
export function step(id: string, toolName: string, input: unknown, output: string): Message[] {
  return [calling(call(id, toolName, input)), results(result(id, toolName, output))];
}

/** Four characters are one token: simple figures, so that a test can state them. */
export const quarter: TokenCounter = {
  name: "chars/4",
  count: (text) => Math.ceil(text.length / 4),
};

/** A text of so many tokens of {@link quarter}; another one for each seed. */
export function words(tokens: number, seed = "first"): string {
  const size = tokens * 4;
  return `${seed} the quick brown fox jumps over one lazy dog and then it runs home again, `
    .repeat(Math.ceil(size / 70))
    .slice(0, size);
}

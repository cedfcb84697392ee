import type { SummaryPrompt } from "../../core/summary/prompt/index.ts";
import { encodeOpenAIChat } from "../../dialects/openai-chat/encode.ts";
import type { ChatMessage } from "../../dialects/openai-chat/wire.ts";
import { isWireObject, type WireObject } from "../../dialects/wire.ts";
import { instructionMessage, type Live, wireTools } from "../live-request.ts";
import type { LiveRequest } from "../summarizer.ts";

/** The part of a request that holds what is said. */
export interface ChatContent {
  readonly tools?: readonly WireObject[];
  readonly messages: readonly ChatMessage[];
}

export function promptContent({ system, user }: SummaryPrompt): ChatContent {
  return {
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
  };
}

/**
 * The agent's own request up to what is to be summarized, and the instruction behind it; the
 * provider finds the prefix by itself. `undefined` if its tools are not of this API.
 */
export function liveContent(live: Live): ChatContent | undefined {
  const tools = wireTools(live, isTool);
  if (tools === undefined) return undefined;
  const system: ChatMessage[] = live.system ? [{ role: "system", content: live.system }] : [];
  const encoded = encodeOpenAIChat([...live.messages, instructionMessage(live)]);
  return {
    ...(tools.length > 0 && { tools }),
    messages: [...system, ...joinLast(encoded, live.instruction)],
  };
}

/** Whether {@link liveContent} has something to give. */
export function canReuse(live: LiveRequest): boolean {
  return wireTools(live, isTool) !== undefined;
}

function isTool(tool: WireObject): boolean {
  return isWireObject(tool["function"]) || isWireObject(tool["custom"]);
}

/** Two messages of the user in a row are refused by some servers: the last one joins the other. */
function joinLast(messages: readonly ChatMessage[], instruction: string): readonly ChatMessage[] {
  const [before, last] = messages.slice(-2);
  if (before?.role !== "user" || last?.role !== "user") return messages;
  const content =
    typeof before.content === "string"
      ? `${before.content}\n\n${instruction}`
      : [...(before.content ?? []), { type: "text", text: instruction }];
  return [...messages.slice(0, -2), { ...before, content }];
}

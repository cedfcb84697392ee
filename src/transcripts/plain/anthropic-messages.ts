import { isContextError } from "../../core/error.ts";
import type { Message } from "../../core/message/index.ts";
import { anthropic as dialect } from "../../dialects/anthropic/anthropic.ts";
import type { AnthropicConversation, AnthropicMessage } from "../../dialects/anthropic/wire.ts";
import type { DocumentFormat, RecordsFormat } from "../transcript.ts";
import { hasBlock } from "./blocks.ts";
import { plainFormats, type PlainFormats } from "./plain-format.ts";

/** Block types that no other format has. */
const BLOCKS = new Set([
  "tool_use",
  "tool_result",
  "thinking",
  "redacted_thinking",
  "server_tool_use",
  "document",
]);

/** Anthropic messages: a list, or a request with `messages` and `system`; also by lines. */
const formats: PlainFormats = plainFormats({
  name: "anthropic-messages",
  title: "Anthropic messages",
  detect: ({ wrapper, messages }) =>
    wrapper["system"] !== undefined ||
    messages.some((message) => hasBlock(message, isOwnBlock)) ||
    "no message has a block that only Anthropic knows, and there is no system beside them",
  createDecoder: () => {
    const decode = dialect.createDecoder();
    // The decoder checks what it is given, whatever its type says.
    return (native) => decode(native as AnthropicMessage);
  },
  decodeWrapper: ({ system }) => (system === undefined ? [] : decodeSystem(system)),
});

export const anthropicMessages: DocumentFormat = formats.document;
export const anthropicMessagesLines: RecordsFormat = formats.records;

function isOwnBlock(block: Readonly<Record<string, unknown>>): boolean {
  if (BLOCKS.has(String(block["type"]))) return true;
  return block["type"] === "image" && typeof block["source"] === "object";
}

function decodeSystem(system: unknown): readonly Message[] {
  try {
    return dialect.decode({ system, messages: [] } as unknown as AnthropicConversation);
  } catch (error) {
    if (isContextError(error)) return [];
    throw error;
  }
}

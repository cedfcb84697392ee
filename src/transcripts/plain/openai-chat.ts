import { openaiChat as dialect } from "../../dialects/openai-chat/openai-chat.ts";
import type { ChatMessage } from "../../dialects/openai-chat/wire.ts";
import type { DocumentFormat, RecordsFormat } from "../transcript.ts";
import { plainFormats, type PlainFormats } from "./plain-format.ts";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

/**
 * OpenAI chat messages: a list, an object around one (`messages`; tau-bench's `traj`), a list of
 * such objects, or either by lines. Any list of messages with plain text is read as this, so it
 * comes after the formats with marks of their own. Call ids may repeat inside a conversation:
 * results belong to the nearest call before them.
 */
const formats: PlainFormats = plainFormats({
  name: "openai-chat",
  title: "OpenAI chat messages",
  detect: ({ messages }) =>
    messages.some((message) => ROLES.has(roleOf(message))) ||
    "the messages have roles that OpenAI chat does not know",
  createDecoder: () => {
    const decode = dialect.createDecoder();
    // The decoder checks what it is given, whatever its type says.
    return (native) => decode(native as ChatMessage);
  },
});

export const openaiChat: DocumentFormat = formats.document;
export const openaiChatLines: RecordsFormat = formats.records;

function roleOf(message: unknown): string {
  return String((message as { readonly role?: unknown } | null)?.role);
}

import type { Message, OutputPart, Part, ToolResultPart } from "../../core/message/index.ts";
import { type CallIds, createCallIds } from "../call-ids.ts";
import { groupByNative, type NativeGroup, nativeOf, withFields } from "../native-message.ts";
import { answerPending } from "../pending-calls.ts";
import { isWireObject } from "../wire-value.ts";
import { encodeContent, encodeFunction, encodeToolCall, MAX_CALL_ID } from "./encode-part.ts";
import {
  type ChatFunction,
  type ChatMessage,
  OPENAI_CHAT,
  REASONING_DETAILS,
  REASONING_FIELDS,
} from "./wire.ts";

/**
 * Encodes to an array of chat messages. Untouched messages are the very objects that were decoded,
 * edited ones are copies with what changed; messages from elsewhere are built from their parts
 * (their reasoning stays out: the format has no common field for it).
 */
export function encodeOpenAIChat<Native extends ChatMessage = ChatMessage>(
  messages: readonly Message[],
): Native[] {
  const ids = createCallIds(MAX_CALL_ID);
  const groups = groupByNative(answerPending(messages), OPENAI_CHAT);
  const encoded = groups.flatMap((group) => encodeGroup(group, ids));
  return encoded as Native[];
}

function encodeGroup(group: NativeGroup, ids: CallIds): ChatMessage[] {
  const native = group.native as ChatMessage | undefined;
  const parts = group.messages.flatMap((message) => message.parts);
  if (native !== undefined && group.isWhole) {
    for (const part of parts) if (part.type === "tool-call") ids.keep(part.toolCallId);
    return [native];
  }
  const role = group.messages[0]?.role ?? "user";
  switch (role) {
    case "tool":
      return parts.flatMap((part) =>
        part.type === "tool-result" ? [encodeResult(part, ids)] : [],
      );
    case "assistant":
      return encodeAssistant(parts, native, ids);
    default: {
      const kinds = role === "user" ? "media" : "text";
      const content = encodeContent(contentParts(parts), native?.content, kinds);
      return [native === undefined ? { role, content } : withFields(native, { content })];
    }
  }
}

function contentParts(parts: readonly Part[]): OutputPart[] {
  return parts.filter((part) => isContent(part));
}

function isContent(part: Part): part is OutputPart {
  return part.type === "text" || part.type === "file" || part.type === "opaque";
}

function encodeResult(part: ToolResultPart, ids: CallIds): ChatMessage {
  const native = nativeOf(part, OPENAI_CHAT) as ChatMessage | undefined;
  const content = encodeContent(part.output, native?.content, "text");
  if (native?.role === "function") return withFields(native, { content });
  const id = ids.resolve(part.toolCallId);
  if (native !== undefined) return withFields(native, { tool_call_id: id, content });
  return { role: "tool", tool_call_id: id, content };
}

/** An assistant message that says nothing any more is left out. */
function encodeAssistant(
  parts: readonly Part[],
  native: ChatMessage | undefined,
  ids: CallIds,
): ChatMessage[] {
  const calls = parts.filter((part) => part.type === "tool-call");
  const legacy = calls.find((part) => isLegacyCall(part, native));
  const toolCalls = calls
    .filter((part) => part !== legacy)
    .map((part) => encodeToolCall(part, ids));
  const content = assistantContent(parts, native, calls.length > 0);
  const fields = {
    content,
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    ...(native?.function_call && {
      function_call: legacy && encodeFunction(legacy, native.function_call),
    }),
    ...(native !== undefined && {
      ...reasoningFields(parts, native),
      ...saidFields(parts, native),
    }),
  };
  const isEmpty =
    (content === null || content === undefined || content === "") &&
    calls.length === 0 &&
    !parts.some((part) => isField(part));
  if (isEmpty) return [];
  return [withFields(native ?? { role: "assistant" as const }, fields)];
}

function isLegacyCall(part: Part, native: ChatMessage | undefined): boolean {
  const before: ChatFunction | null | undefined = native?.function_call;
  return isWireObject(before) && nativeOf(part, OPENAI_CHAT) === before;
}

/** `content` is null only beside tool calls; a native empty content stays as it was. */
function assistantContent(
  parts: readonly Part[],
  native: ChatMessage | undefined,
  hasCalls: boolean,
): ChatMessage["content"] {
  const before = native?.content;
  const said = contentParts(parts).filter((part) => !isField(part));
  if (said.length > 0) return encodeContent(said, before, "text");
  if (native !== undefined && (before === null || before === undefined || before === "")) {
    return before;
  }
  return hasCalls ? null : "";
}

/** Whether a part stands for a field beside `content`, not for a block in it. */
function isField(part: Part): boolean {
  const value = part.type === "opaque" ? nativeOf(part, OPENAI_CHAT) : undefined;
  return isWireObject(value) && !("type" in value);
}

/** What becomes of `refusal` and `audio`: they go when their part is gone. */
function saidFields(parts: readonly Part[], native: ChatMessage): Record<string, unknown> {
  const kept = new Set(parts.filter((part) => part.type === "opaque").map((part) => part.kind));
  const gone = ["refusal", "audio"].filter((field) => field in native && !kept.has(field));
  return Object.fromEntries(
    gone.flatMap((field) => (fieldOf(native, field) === null ? [] : [[field, undefined]])),
  );
}

/** What becomes of the fields with the model's thinking: they go when the reasoning is gone. */
function reasoningFields(parts: readonly Part[], native: ChatMessage): Record<string, unknown> {
  if (parts.some((part) => part.type === "reasoning")) return {};
  const fields = [...REASONING_FIELDS, REASONING_DETAILS].filter((field) => field in native);
  return Object.fromEntries(fields.map((field) => [field, undefined]));
}

function fieldOf(native: ChatMessage, field: string): unknown {
  return (native as unknown as Record<string, unknown>)[field];
}

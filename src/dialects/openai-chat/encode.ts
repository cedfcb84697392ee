import {
  type FilePart,
  type Message,
  type OutputPart,
  type Part,
  type ToolCallPart,
  type ToolResultPart,
} from "../../core/message/index.ts";
import { type CallIds, createCallIds, safeName } from "../call-ids.ts";
import { fileData } from "../../core/message/file-data.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { addressOf, dataUrl, isSameFile } from "../files.ts";
import { answerPending, foreignText, outputAsText } from "../foreign-text.ts";
import {
  groupByNative,
  isOutputPart,
  type NativeGroup,
  nativeBlock,
  nativeOf,
  withFields,
} from "../native-message.ts";
import {
  argumentsText,
  freeTextArguments,
  freeTextIn,
  isWireObject,
  type WireBlock,
} from "../wire.ts";
import { decodeFile } from "./decode.ts";
import {
  type ChatCustomToolCall,
  type ChatFunction,
  type ChatMessage,
  type ChatPart,
  type ChatTextPart,
  type ChatToolCall,
  OPENAI_CHAT,
  REASONING_DETAILS,
  REASONING_FIELDS,
  SAID_FIELDS,
} from "./wire.ts";

/** Reasoning from elsewhere stays out: the format has no common field for it. */
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
      return parts.filter((part) => part.type === "tool-result").map((p) => encodeResult(p, ids));
    case "assistant":
      return encodeAssistant(parts, native, ids);
    default: {
      const kinds = role === "user" ? "media" : "text";
      const content = encodeContent(parts.filter(isOutputPart), native?.content, kinds);
      return [native === undefined ? { role, content } : withFields(native, { content })];
    }
  }
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
  const before: ChatFunction | null | undefined = native?.function_call;
  const legacy = before ? calls.find((part) => nativeOf(part, OPENAI_CHAT) === before) : undefined;
  const current = calls.filter((part) => part !== legacy);
  const toolCalls = current.map((part) => encodeToolCall(part, ids));
  const content = assistantContent(parts, native, calls.length > 0);
  const fields = {
    content,
    tool_calls: toolCalls.length > 0 ? toolCalls : undefined,
    ...(before && { function_call: legacy && encodeFunction(legacy, before) }),
    ...(native && { ...reasoningFields(parts, native), ...saidFields(parts, native) }),
  };
  if (!content && calls.length === 0 && !parts.some(isField)) return [];
  return [withFields(native ?? { role: "assistant" as const }, fields)];
}

/** `content` is null only beside tool calls; a native empty content stays as it was. */
function assistantContent(
  parts: readonly Part[],
  native: ChatMessage | undefined,
  hasCalls: boolean,
): ChatMessage["content"] {
  const before = native?.content;
  const said = parts.filter(isOutputPart).filter((part) => !isField(part));
  if (said.length > 0) return encodeContent(said, before, "text");
  if (native !== undefined && !before) return before;
  return hasCalls ? null : "";
}

/** A field beside `content`, not a block in it. */
function isField(part: Part): boolean {
  const value = part.type === "opaque" ? nativeOf(part, OPENAI_CHAT) : undefined;
  return isWireObject(value) && !("type" in value);
}

/** `refusal` and `audio` go when their part is gone. */
function saidFields(parts: readonly Part[], native: ChatMessage): Record<string, unknown> {
  const kept = new Set(parts.map((part) => part.type === "opaque" && part.kind));
  const fields = fieldsOf(native);
  const gone = SAID_FIELDS.filter((field) => fields[field] != null && !kept.has(field));
  return Object.fromEntries(gone.map((field) => [field, undefined]));
}

/** The fields with the model's thinking go when the reasoning is gone. */
function reasoningFields(parts: readonly Part[], native: ChatMessage): Record<string, unknown> {
  if (parts.some((part) => part.type === "reasoning")) return {};
  const fields = [...REASONING_FIELDS, REASONING_DETAILS].filter((field) => field in native);
  return Object.fromEntries(fields.map((field) => [field, undefined]));
}

/** The API refuses longer ids and names. */
const MAX_CALL_ID = 40;
const MAX_TOOL_NAME = 64;

/**
 * A string where the native content was one (or there is none) and one text says it all, else
 * blocks.
 */
function encodeContent(
  parts: readonly OutputPart[],
  before: unknown,
  kinds: "text" | "media",
): string | WireBlock[] {
  const only = parts[0];
  if (!Array.isArray(before)) {
    if (only === undefined) return "";
    if (parts.length === 1 && only.type === "text" && only.source === undefined) return only.text;
    if (kinds === "text" && parts.every((part) => nativeBlock(part, OPENAI_CHAT) === undefined)) {
      return outputAsText(parts);
    }
  }
  const blocks = parts.map((part) => encodeBlock(part, kinds));
  return blocks.length > 0 ? blocks : "";
}

function encodeBlock(part: OutputPart, kinds: "text" | "media"): WireBlock {
  const native = nativeBlock(part, OPENAI_CHAT);
  if (part.type === "text") {
    const text: ChatTextPart = { type: "text", text: part.text };
    return native === undefined ? text : withFields(native, { text: part.text });
  }
  if (native !== undefined && (part.type === "opaque" || isSameFile(part, decodeFile(native))))
    return native;
  if (part.type === "file" && kinds === "media") return encodeFile(part);
  return { type: "text", text: foreignText(part) };
}

function encodeFile(part: FilePart): ChatPart {
  const { mediaType, filename } = part;
  const data = fileData(part);
  const address = addressOf(part);
  if (mediaType.startsWith("image/") && address !== undefined) {
    return { type: "image_url", image_url: { url: address } };
  }
  if (data !== undefined && /^audio\/(?:wav|mp3|mpeg)$/.test(mediaType)) {
    const format = mediaType === "audio/wav" ? "wav" : "mp3";
    return { type: "input_audio", input_audio: { data, format } };
  }
  if (data !== undefined && mediaType === "application/pdf") {
    const file = { file_data: dataUrl({ mediaType, data }), filename: filename ?? "document.pdf" };
    return { type: "file", file };
  }
  return { type: "text", text: foreignText(part) };
}

/** One entry of `tool_calls`; the argument string of an untouched call is kept byte for byte. */
function encodeToolCall(part: ToolCallPart, ids: CallIds): ChatToolCall | ChatCustomToolCall {
  const native = nativeOf(part, OPENAI_CHAT) as ChatToolCall | ChatCustomToolCall | undefined;
  if (native === undefined || !("id" in native)) {
    const called = {
      name: safeName(part.toolName, MAX_TOOL_NAME),
      arguments: functionArguments(part.input),
    };
    return { id: ids.assign(part.toolCallId), type: "function", function: called };
  }
  ids.keep(part.toolCallId);
  const id = part.toolCallId;
  if (isWireObject(native) && "custom" in native && isWireObject(native.custom)) {
    const custom = withFields(native.custom, { input: argumentsText(part.input) });
    return withFields(native, { id, custom });
  }
  const called = (native as ChatToolCall).function;
  return withFields(native, { id, function: encodeFunction(part, called) });
}

function encodeFunction(part: ToolCallPart, native: ChatFunction): ChatFunction {
  return withFields(native, { arguments: functionArguments(part.input, native.arguments) });
}

/** A written input stays; else servers and their chat templates want an object in JSON. */
function functionArguments(input: unknown, before?: string): string {
  if (before !== undefined && freeTextIn(before) === input) return before;
  return typeof input === "string" ? freeTextArguments(input) : argumentsText(input, before);
}

import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ReasoningPart,
  ToolCallPart,
} from "../../core/message/index.ts";
import { parseDataUrl } from "../data-url.ts";
import { type Draft, fromNative, splitSummary } from "../native-message.ts";
import {
  describeValue,
  invalidWire,
  isWireBlock,
  isWireObject,
  parseInput,
  requiredString,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import { type ChatMessage, OPENAI_CHAT, REASONING_DETAILS, REASONING_FIELDS } from "./wire.ts";

/**
 * Decodes an array of chat messages. Results take their tool's name from the nearest preceding
 * call with their id (ids may repeat). Throws `ContextError` code `invalid-message`.
 */
export function decodeOpenAIChat(conversation: readonly ChatMessage[]): readonly Message[] {
  if (!Array.isArray(conversation)) {
    throw invalidWire({ dialect: OPENAI_CHAT }, `is ${describeValue(conversation)} and no array`);
  }
  const decode = createOpenAIChatDecoder();
  return conversation.flatMap((native: ChatMessage) => decode(native));
}

interface DecoderState {
  /** Names of the tools called so far, by call id. */
  readonly names: Map<string, string>;
  /** The id given to the last legacy function call. */
  lastFunctionId: string;
  index: number;
}

/** A decoder that takes chat messages one by one, each in constant time. */
export function createOpenAIChatDecoder(): (native: ChatMessage) => readonly Message[] {
  const state: DecoderState = { names: new Map(), lastFunctionId: "function_call", index: 0 };
  return (native) => {
    const drafts = decodeMessage(native, state);
    state.index += 1;
    return fromNative(OPENAI_CHAT, native, drafts);
  };
}

function decodeMessage(native: unknown, state: DecoderState): Draft[] {
  const place = { dialect: OPENAI_CHAT, index: state.index };
  if (!isWireObject(native)) throw invalidWire(place, `is ${describeValue(native)} and no object`);
  const role = requiredString(native, "role", place);
  switch (role) {
    case "system":
    case "developer":
      return splitSummary({ role: "system", parts: decodeContent(native["content"], place) });
    case "user":
      return splitSummary({ role: "user", parts: decodeContent(native["content"], place) });
    case "assistant":
      return [decodeAssistant(native, state, place)];
    case "tool":
      return [decodeResult(native, requiredString(native, "tool_call_id", place), state)];
    case "function":
      return [decodeResult(native, state.lastFunctionId, state)];
    default:
      throw invalidWire(place, `has the unknown role "${role}"`);
  }
}

function decodeAssistant(native: WireObject, state: DecoderState, place: WirePlace): Draft {
  const said = [
    ...decodeReasoning(native),
    ...decodeContent(native["content"], place),
    ...decodeFields(native),
  ];
  const calls = decodeCalls(native, state, place);
  // Beside something else an empty content is nothing; alone it is what the message says.
  const parts: Part[] = [...said, ...calls];
  const telling = parts.filter((part) => part.type !== "text" || part.text !== "" || part.source);
  return { role: "assistant", parts: telling.length > 0 ? telling : parts };
}

function decodeReasoning(native: WireObject): ReasoningPart[] {
  const field = REASONING_FIELDS.find((name) => isText(native[name]));
  const text = field === undefined ? detailsText(native[REASONING_DETAILS]) : native[field];
  if (typeof text !== "string") return [];
  return [{ type: "reasoning", text, source: { dialect: OPENAI_CHAT, value: native } }];
}

/** The readable part of OpenRouter's reasoning blocks; empty when all of it is encrypted. */
function detailsText(details: unknown): string | undefined {
  if (!Array.isArray(details) || details.length === 0) return undefined;
  return details
    .flatMap((block: unknown) =>
      isWireObject(block) ? [block["text"], block["summary"]].filter(isText) : [],
    )
    .join("\n");
}

/** Fields beside `content` that say something. */
function decodeFields(native: WireObject): Part[] {
  return (["refusal", "audio"] as const).flatMap((kind): Part[] => {
    const value = native[kind];
    if (value === undefined || value === null) return [];
    return [{ type: "opaque", kind, source: { dialect: OPENAI_CHAT, value: { [kind]: value } } }];
  });
}

function decodeCalls(native: WireObject, state: DecoderState, place: WirePlace): Part[] {
  const calls = native["tool_calls"] ?? [];
  if (!Array.isArray(calls)) {
    throw invalidWire(place, `needs an array in "tool_calls", not ${describeValue(calls)}`);
  }
  const parts = calls.map((call: unknown) => decodeToolCall(call, place));
  const legacy = native["function_call"];
  if (isWireObject(legacy)) {
    state.lastFunctionId = `function_call_${state.index}`;
    parts.push({
      type: "tool-call",
      toolCallId: state.lastFunctionId,
      toolName: requiredString(legacy, "name", place),
      input: parseInput(legacy["arguments"]),
      source: { dialect: OPENAI_CHAT, value: legacy },
    });
  }
  for (const part of parts) state.names.set(part.toolCallId, part.toolName);
  return parts;
}

function decodeResult(native: WireObject, toolCallId: string, state: DecoderState): Draft {
  const place = { dialect: OPENAI_CHAT, index: state.index };
  const named = native["name"];
  const toolName = state.names.get(toolCallId) ?? (isText(named) ? named : "unknown");
  const output = decodeContent(native["content"], place);
  const source = { dialect: OPENAI_CHAT, value: native };
  return { role: "tool", parts: [{ type: "tool-result", toolCallId, toolName, output, source }] };
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value !== "";
}

/** The content of a message: a string is one text part, an array one part for each block. */
function decodeContent(content: unknown, place: WirePlace): OutputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    throw invalidWire(
      place,
      `needs a string, null or an array in "content", not ${describeValue(content)}`,
    );
  }
  return content.map((block) => decodeBlock(block, place));
}

function decodeBlock(block: unknown, place: WirePlace): OutputPart {
  if (!isWireBlock(block)) throw invalidWire(place, "has a content part without a type");
  const source = { dialect: OPENAI_CHAT, value: block };
  if (block.type === "text") {
    return { type: "text", text: requiredString(block, "text", place), source };
  }
  const file = decodeFile(block);
  return file === undefined ? { type: "opaque", kind: block.type, source } : { ...file, source };
}

/** The file in a content part; undefined when there is none that a neutral part can hold. */
export function decodeFile(block: WireObject): FilePart | undefined {
  const value = block[block["type"] as string];
  if (!isWireObject(value)) return undefined;
  switch (block["type"]) {
    case "image_url":
      return typeof value["url"] === "string" ? imagePart(value["url"]) : undefined;
    case "input_audio":
      return typeof value["data"] === "string"
        ? { type: "file", mediaType: `audio/${String(value["format"])}`, data: value["data"] }
        : undefined;
    case "file":
      return filePart(value);
    default:
      return undefined;
  }
}

function imagePart(url: string): FilePart {
  const inline = parseDataUrl(url);
  return inline === undefined
    ? { type: "file", mediaType: "image/*", url }
    : { type: "file", ...inline };
}

function filePart(file: WireObject): FilePart | undefined {
  const inline =
    typeof file["file_data"] === "string" ? parseDataUrl(file["file_data"]) : undefined;
  if (inline === undefined) return undefined;
  const filename = file["filename"];
  return { type: "file", ...inline, ...(typeof filename === "string" && { filename }) };
}

/** One entry of `tool_calls`. */
function decodeToolCall(call: unknown, place: WirePlace): ToolCallPart {
  if (!isWireObject(call)) throw invalidWire(place, "has a tool call that is no object");
  const source = { dialect: OPENAI_CHAT, value: call };
  const toolCallId = requiredString(call, "id", place);
  const custom = call["custom"];
  if (isWireObject(custom)) {
    const toolName = requiredString(custom, "name", place);
    return { type: "tool-call", toolCallId, toolName, input: custom["input"], source };
  }
  const called = call["function"];
  if (!isWireObject(called)) throw invalidWire(place, `has a tool call without "function"`);
  const toolName = requiredString(called, "name", place);
  const input = parseInput(called["arguments"]);
  return { type: "tool-call", toolCallId, toolName, input, source };
}

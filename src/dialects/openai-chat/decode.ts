import type { Message, Part, ReasoningPart } from "../../core/message/index.ts";
import { type Draft, fromNative } from "../native-message.ts";
import { splitSummary } from "../summary-slice.ts";
import { parseInput } from "../tool-input.ts";
import {
  describeValue,
  invalidWire,
  isWireObject,
  requiredString,
  type WireObject,
  type WirePlace,
} from "../wire-value.ts";
import { decodeContent, decodeToolCall } from "./decode-part.ts";
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

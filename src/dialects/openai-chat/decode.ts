import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ReasoningPart,
  ToolCallPart,
} from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { createDecoder, decodeBlock, decodeContent } from "../decoding.ts";
import { imageOrAudio, parseDataUrl } from "../files.ts";
import { type Draft, splitSummary } from "../native-message.ts";
import {
  describeValue,
  freeTextIn,
  invalidWire,
  isText,
  isWireObject,
  requiredString,
  textIn,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import {
  type ChatMessage,
  OPENAI_CHAT,
  REASONING_DETAILS,
  REASONING_FIELDS,
  SAID_FIELDS,
} from "./wire.ts";

interface Calls {
  readonly names: Map<string, string>;
  lastFunctionId: string;
}

/** Results take their tool's name from the nearest preceding call with their id (ids may repeat). */
export function createOpenAIChatDecoder(): (native: ChatMessage) => readonly Message[] {
  const calls: Calls = { names: new Map(), lastFunctionId: "function_call" };
  return createDecoder(OPENAI_CHAT, (native, place) => decodeMessage(native, calls, place));
}

function decodeMessage(native: WireObject, calls: Calls, place: WirePlace): Draft[] {
  const role = requiredString(native, "role", place);
  switch (role) {
    case "system":
    case "developer":
      return splitSummary({ role: "system", parts: contentOf(native, place) });
    case "user":
      return splitSummary({ role, parts: contentOf(native, place) });
    case "assistant":
      return [decodeAssistant(native, calls, place)];
    case "tool":
      return [decodeResult(native, requiredString(native, "tool_call_id", place), calls, place)];
    case "function":
      return [decodeResult(native, calls.lastFunctionId, calls, place)];
    default:
      throw invalidWire(place, `has the unknown role "${role}"`);
  }
}

function decodeAssistant(native: WireObject, known: Calls, place: WirePlace): Draft {
  const said = [...decodeReasoning(native), ...contentOf(native, place), ...decodeFields(native)];
  const calls = decodeCalls(native, known, place);
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
  const texts = details.map(fieldsOf).flatMap(({ text, summary }) => [text, summary]);
  return texts.filter(isText).join("\n");
}

function decodeFields(native: WireObject): Part[] {
  return SAID_FIELDS.flatMap((kind): Part[] => {
    const value = native[kind];
    if (value == null) return [];
    return [{ type: "opaque", kind, source: { dialect: OPENAI_CHAT, value: { [kind]: value } } }];
  });
}

function decodeCalls(native: WireObject, known: Calls, place: WirePlace): Part[] {
  const calls = native["tool_calls"] ?? [];
  if (!Array.isArray(calls)) {
    throw invalidWire(place, `needs an array in "tool_calls", not ${describeValue(calls)}`);
  }
  const parts = calls.map((call: unknown) => decodeToolCall(call, place));
  const legacy = native["function_call"];
  if (isWireObject(legacy)) {
    known.lastFunctionId = `function_call_${place.index}`;
    parts.push({
      type: "tool-call",
      toolCallId: known.lastFunctionId,
      toolName: requiredString(legacy, "name", place),
      input: freeTextIn(legacy["arguments"]),
      source: { dialect: OPENAI_CHAT, value: legacy },
    });
  }
  for (const part of parts) known.names.set(part.toolCallId, part.toolName);
  return parts;
}

function decodeResult(
  native: WireObject,
  toolCallId: string,
  { names }: Calls,
  place: WirePlace,
): Draft {
  const { name } = native;
  const toolName = names.get(toolCallId) ?? (isText(name) ? name : "unknown");
  const output = contentOf(native, place);
  const source = { dialect: OPENAI_CHAT, value: native };
  return { role: "tool", parts: [{ type: "tool-result", toolCallId, toolName, output, source }] };
}

function contentOf({ content }: WireObject, place: WirePlace): OutputPart[] {
  return decodeContent(content ?? [], place, (block) =>
    decodeBlock(block, place, { file: decodeFile }),
  );
}

/** The file in a content part; undefined when there is none that a neutral part can hold. */
export function decodeFile(block: WireObject): FilePart | undefined {
  if (block["type"] !== "file") return imageOrAudio(block);
  const file = fieldsOf(block["file"]);
  const inline = parseDataUrl(textIn(file, "file_data") ?? "");
  return inline && { type: "file", ...inline, filename: textIn(file, "filename") };
}

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
  const input = freeTextIn(called["arguments"]);
  return { type: "tool-call", toolCallId, toolName, input, source };
}

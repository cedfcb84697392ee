import type { FilePart, OutputPart, ToolCallPart } from "../../core/message/index.ts";
import { parseDataUrl } from "../data-url.ts";
import { parseInput } from "../tool-input.ts";
import {
  describeValue,
  invalidWire,
  isWireBlock,
  isWireObject,
  requiredString,
  type WireObject,
  type WirePlace,
} from "../wire-value.ts";
import { OPENAI_CHAT } from "./wire.ts";

/** The content of a message: a string is one text part, an array one part for each block. */
export function decodeContent(content: unknown, place: WirePlace): OutputPart[] {
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
export function decodeToolCall(call: unknown, place: WirePlace): ToolCallPart {
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

import type {
  FilePart,
  OutputPart,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { type CallIds, safeName } from "../call-ids.ts";
import { foreignText } from "../foreign-text.ts";
import { nativeOf, withFields } from "../native-message.ts";
import { isWireBlock, isWireObject, parseInput, type WireBlock, type WireObject } from "../wire.ts";
import { decodeFile } from "./decode.ts";
import {
  ANTHROPIC,
  type AnthropicContentBlock,
  type AnthropicImageType,
  type AnthropicTextBlock,
  type AnthropicToolResultBlock,
  type AnthropicToolUseBlock,
} from "./wire.ts";

/** The API takes tool names up to this length; its ids have no published limit. */
const MAX_TOOL_NAME = 128;
const IMAGE_TYPES: ReadonlySet<string> = new Set([
  "image/jpeg",
  "image/png",
  "image/gif",
  "image/webp",
]);

/**
 * One part as blocks: the native block where nothing changed, a copy of it where something did, a
 * new one for a part from elsewhere. Empty text gives none, because the API refuses it; reasoning
 * from elsewhere and thinking that was edited give none, because their signature is not valid.
 */
export function encodePart(part: Part, ids: CallIds): WireBlock[] {
  const native = nativeOf(part, ANTHROPIC);
  const block = isWireBlock(native) ? native : undefined;
  switch (part.type) {
    case "tool-call":
      return [encodeCall(part, block, ids)];
    case "tool-result":
      return [encodeResult(part, block, ids)];
    case "reasoning": {
      const isBound = block?.type === "redacted_thinking" || block?.["thinking"] === part.text;
      return block !== undefined && isBound ? [block] : [];
    }
    default:
      return encodeOutputPart(part, block);
  }
}

function encodeOutputPart(
  part: OutputPart,
  block: (WireBlock & WireObject) | undefined,
): WireBlock[] {
  if (part.type === "text") {
    if (block?.["text"] === part.text) return [block];
    if (part.text.trim() === "") return [];
    const text: AnthropicTextBlock = { type: "text", text: part.text };
    // Citations point into the old text.
    return [
      block === undefined ? text : withFields(block, { text: part.text, citations: undefined }),
    ];
  }
  if (block !== undefined && (part.type === "opaque" || isSameFile(part, block))) return [block];
  return [part.type === "file" ? encodeFile(part) : textBlock(foreignText(part))];
}

function isSameFile(part: FilePart, block: WireObject): boolean {
  const before = decodeFile(block);
  return before !== undefined && before.data === part.data && before.url === part.url;
}

function encodeFile(part: FilePart): AnthropicContentBlock {
  const { mediaType, data, url } = part;
  if (data !== undefined && IMAGE_TYPES.has(mediaType)) {
    const media_type = mediaType as AnthropicImageType;
    return { type: "image", source: { type: "base64", media_type, data } };
  }
  const title = part.filename === undefined ? {} : { title: part.filename };
  if (data !== undefined && mediaType === "application/pdf") {
    return { type: "document", ...title, source: { type: "base64", media_type: mediaType, data } };
  }
  if (url !== undefined && url.startsWith("https://")) {
    if (mediaType.startsWith("image/")) return { type: "image", source: { type: "url", url } };
    if (mediaType === "application/pdf") {
      return { type: "document", ...title, source: { type: "url", url } };
    }
  }
  return textBlock(foreignText(part));
}

export function textBlock(text: string): AnthropicTextBlock {
  return { type: "text", text };
}

function encodeCall(
  part: ToolCallPart,
  block: (WireBlock & WireObject) | undefined,
  ids: CallIds,
): WireBlock {
  if (block !== undefined) {
    ids.keep(part.toolCallId);
    const input = block["input"] === part.input ? part.input : objectInput(part.input);
    return withFields(block, { id: part.toolCallId, input });
  }
  const call: AnthropicToolUseBlock = {
    type: "tool_use",
    id: ids.assign(part.toolCallId),
    name: safeName(part.toolName, MAX_TOOL_NAME),
    input: objectInput(part.input),
  };
  return call;
}

/** The API takes only an object as input: free text and other values go into one field. */
function objectInput(input: unknown): unknown {
  const parsed = parseInput(input);
  if (isWireObject(parsed)) return parsed;
  return input === undefined || input === "" ? {} : { input };
}

function encodeResult(
  part: ToolResultPart,
  block: (WireBlock & WireObject) | undefined,
  ids: CallIds,
): WireBlock {
  const id = ids.resolve(part.toolCallId);
  const content = encodeOutput(part.output, block?.["content"]);
  if (block !== undefined) return withFields(block, { tool_use_id: id, content });
  const result: AnthropicToolResultBlock = { type: "tool_result", tool_use_id: id };
  return {
    ...result,
    ...(content !== undefined && { content }),
    ...(part.isError && { is_error: true }),
  };
}

/** The content of a tool result: a string where it was one, or where one text says it all. */
function encodeOutput(output: readonly OutputPart[], before: unknown): unknown {
  if (output.length === 0) return Array.isArray(before) && before.length === 0 ? before : undefined;
  const only = output[0];
  if (!Array.isArray(before) && output.length === 1 && only?.type === "text") return only.text;
  const blocks = output.flatMap((part) => {
    const native = nativeOf(part, ANTHROPIC);
    return encodeOutputPart(part, isWireBlock(native) ? native : undefined);
  });
  return blocks.length > 0 ? blocks : undefined;
}

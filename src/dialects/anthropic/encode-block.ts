import { fileData } from "../../core/message/file-data.ts";
import type {
  FilePart,
  OutputPart,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { type CallIds, safeName } from "../call-ids.ts";
import { isSameFile } from "../files.ts";
import { foreignText } from "../foreign-text.ts";
import { nativeBlock, withFields } from "../native-message.ts";
import { type Block, isWireObject, parseInput, type WireBlock } from "../wire.ts";
import { decodeFile } from "./decode.ts";
import {
  ANTHROPIC,
  type AnthropicContentBlock,
  type AnthropicImageType,
  type AnthropicTextBlock,
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
  const block = nativeBlock(part, ANTHROPIC);
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

function encodeOutputPart(part: OutputPart, block: Block | undefined): WireBlock[] {
  if (part.type === "text") {
    if (block?.["text"] === part.text) return [block];
    if (part.text.trim() === "") return [];
    const text: AnthropicTextBlock = { type: "text", text: part.text };
    // Citations point into the old text.
    return [
      block === undefined ? text : withFields(block, { text: part.text, citations: undefined }),
    ];
  }
  if (block !== undefined && (part.type === "opaque" || isSameFile(part, decodeFile(block))))
    return [block];
  return [part.type === "file" ? encodeFile(part) : textBlock(foreignText(part))];
}

function encodeFile(part: FilePart): AnthropicContentBlock {
  const { mediaType, url } = part;
  const data = fileData(part);
  if (data !== undefined && IMAGE_TYPES.has(mediaType)) {
    const media_type = mediaType as AnthropicImageType;
    return { type: "image", source: { type: "base64", media_type, data } };
  }
  const { filename: title } = part;
  if (mediaType === "application/pdf" && data !== undefined) {
    return { type: "document", title, source: { type: "base64", media_type: mediaType, data } };
  }
  if (url?.startsWith("https://") === true) {
    const source = { type: "url" as const, url };
    if (mediaType.startsWith("image/")) return { type: "image", source };
    if (mediaType === "application/pdf") return { type: "document", title, source };
  }
  return textBlock(foreignText(part));
}

export function textBlock(text: string): AnthropicTextBlock {
  return { type: "text", text };
}

function encodeCall(part: ToolCallPart, block: Block | undefined, ids: CallIds): WireBlock {
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

function encodeResult(part: ToolResultPart, block: Block | undefined, ids: CallIds): WireBlock {
  const id = ids.resolve(part.toolCallId);
  const content = encodeOutput(part.output, block?.["content"]);
  if (block !== undefined) return withFields(block, { tool_use_id: id, content });
  return { type: "tool_result", tool_use_id: id, content, is_error: part.isError || undefined };
}

/** The content of a tool result: a string where it was one, or where one text says it all. */
function encodeOutput(output: readonly OutputPart[], before: unknown): unknown {
  if (output.length === 0) return Array.isArray(before) && before.length === 0 ? before : undefined;
  const only = output[0];
  if (!Array.isArray(before) && output.length === 1 && only?.type === "text") return only.text;
  const blocks = output.flatMap((part) => encodeOutputPart(part, nativeBlock(part, ANTHROPIC)));
  return blocks.length > 0 ? blocks : undefined;
}

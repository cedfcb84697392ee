import type { FilePart, OutputPart, Part, ReasoningPart } from "../../core/message/index.ts";
import { parseDataUrl } from "../data-url.ts";
import { parseInput } from "../tool-input.ts";
import {
  describeValue,
  invalidWire,
  isWireBlock,
  isWireObject,
  type WireBlock,
  type WireObject,
  type WirePlace,
} from "../wire-value.ts";
import { LANGCHAIN } from "./wire.ts";

type Block = WireBlock & WireObject;

/** Text blocks, with those that some integrations leave in streamed answers. */
export const TEXT_BLOCKS: ReadonlySet<string> = new Set(["text", "text_delta"]);
/** Calls as content blocks, and the field that holds the input. */
export const CALL_INPUTS: ReadonlyMap<string, string> = new Map([
  ["tool_use", "input"],
  ["tool_call", "args"],
]);
/** Pieces of a streamed call's input; `tool_calls` has it whole, and nobody sends the pieces. */
const DELTA_BLOCKS: ReadonlySet<string> = new Set(["input_json_delta", "tool_call_chunk"]);

/** The content of a message of the person, the system or a tool. */
export function decodeContent(content: unknown, place: WirePlace): OutputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return blocksOf(content, place).map(decodeContentBlock);
}

/**
 * The content of an answer. `inputs` are the inputs of its calls by id, parsed; a block may hold
 * but the text of one. An empty text beside calls says nothing.
 */
export function decodeAnswer(
  content: unknown,
  inputs: ReadonlyMap<string, unknown>,
  place: WirePlace,
): Part[] {
  if (content === "" || content === null || content === undefined) return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  return blocksOf(content, place)
    .filter((block) => !isWireBlock(block) || !DELTA_BLOCKS.has(block.type))
    .map((block) => decodeAnswerBlock(block, inputs));
}

function blocksOf(content: unknown, place: WirePlace): readonly (string | Block)[] {
  if (!Array.isArray(content)) {
    throw invalidWire(
      place,
      `needs a string or an array in "content", not ${describeValue(content)}`,
    );
  }
  for (const block of content as unknown[]) {
    if (typeof block !== "string" && !isWireBlock(block)) {
      throw invalidWire(place, "has a content block without a type");
    }
  }
  return content as (string | Block)[];
}

function decodeAnswerBlock(block: string | Block, inputs: ReadonlyMap<string, unknown>): Part {
  if (typeof block === "string") return decodeContentBlock(block);
  const field = CALL_INPUTS.get(block.type);
  const { id, name } = block;
  if (field !== undefined && typeof id === "string" && typeof name === "string") {
    const input = inputs.has(id) ? inputs.get(id) : parseInput(block[field]);
    const source = { dialect: LANGCHAIN, value: block };
    return { type: "tool-call", toolCallId: id, toolName: name, input, source };
  }
  return decodeReasoning(block) ?? decodeContentBlock(block);
}

/** Thinking as Anthropic, Bedrock and LangChain's own standard blocks have it. */
function decodeReasoning(block: Block): ReasoningPart | undefined {
  const source = { dialect: LANGCHAIN, value: block };
  const inner = isWireObject(block["reasoningText"]) ? block["reasoningText"] : block;
  const signature = textIn(inner, "signature");
  const sealed = signature === undefined ? {} : { signature };
  switch (block.type) {
    case "thinking":
      return { type: "reasoning", text: textIn(block, "thinking") ?? "", ...sealed, source };
    case "redacted_thinking":
      return { type: "reasoning", text: "", signature: String(block["data"]), source };
    case "reasoning":
      return { type: "reasoning", text: textIn(block, "reasoning") ?? "", ...sealed, source };
    case "reasoning_content":
      return { type: "reasoning", text: textIn(inner, "text") ?? "", ...sealed, source };
    default:
      return undefined;
  }
}

function decodeContentBlock(block: string | Block): OutputPart {
  if (typeof block === "string") {
    return { type: "text", text: block, source: { dialect: LANGCHAIN, value: block } };
  }
  const source = { dialect: LANGCHAIN, value: block };
  const text = TEXT_BLOCKS.has(block.type) ? textIn(block, "text") : undefined;
  if (text !== undefined) return { type: "text", text, source };
  const file = decodeFile(block);
  if (file !== undefined) return { ...file, source };
  const link = linkOf(block);
  return { type: "opaque", kind: block.type, ...(link !== undefined && { link }), source };
}

/** What joins the calls and the results of tools that the provider runs itself. */
function linkOf(block: Block): string | undefined {
  if (!/^server_tool|_tool_result$/.test(block.type)) return undefined;
  return textIn(block, "tool_use_id") ?? textIn(block, "toolCallId") ?? textIn(block, "id");
}

/** The file in a block; undefined when there is none that a neutral part can hold. */
export function decodeFile(block: WireObject): FilePart | undefined {
  const { type } = block;
  if (type === "image_url") return decodeImageUrl(block["image_url"]);
  if (type === "input_audio" && isWireObject(block["input_audio"])) {
    const { data, format } = block["input_audio"];
    if (typeof data !== "string") return undefined;
    return { type: "file", mediaType: `audio/${String(format)}`, data };
  }
  const usual = typeof type === "string" ? USUAL_TYPES[type] : undefined;
  if (usual === undefined) return undefined;
  // Anthropic's own blocks hold it in `source`, LangChain's in the block itself.
  const from = isWireObject(block["source"]) ? block["source"] : block;
  const named = textIn(from, "mimeType") ?? textIn(from, "mime_type") ?? textIn(from, "media_type");
  const mediaType = named?.includes("/") === true ? named : usual;
  const url = textIn(from, "url");
  if (url !== undefined) return imagePart(url, mediaType);
  const data = textIn(from, "data");
  return data === undefined ? undefined : { type: "file", mediaType, data };
}

const USUAL_TYPES: Readonly<Record<string, string>> = {
  image: "image/*",
  audio: "audio/*",
  video: "video/*",
  file: "application/pdf",
  document: "application/pdf",
};

function decodeImageUrl(image: unknown): FilePart | undefined {
  const url = isWireObject(image) ? image["url"] : image;
  return typeof url === "string" ? imagePart(url, "image/*") : undefined;
}

function imagePart(url: string, mediaType: string): FilePart {
  const inline = parseDataUrl(url);
  return inline === undefined ? { type: "file", mediaType, url } : { type: "file", ...inline };
}

function textIn(value: WireObject, field: string): string | undefined {
  const found = value[field];
  return typeof found === "string" ? found : undefined;
}

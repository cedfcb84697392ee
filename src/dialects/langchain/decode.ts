import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ReasoningPart,
  ToolCallPart,
} from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { createDecoder, fileOrOpaque } from "../decoding.ts";
import { fileAt, imageOrAudio } from "../files.ts";
import { readResultMarks } from "../marks.ts";
import { type Draft, splitSummary } from "../native-message.ts";
import {
  type Block,
  describeValue,
  invalidWire,
  isText,
  isWireBlock,
  isWireObject,
  parseInput,
  requiredString,
  textIn,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import { LANGCHAIN, type LangChainMessage, readMarks, typeOf } from "./wire.ts";

/**
 * A result takes its tool's name from itself, else from the nearest call with its id. A
 * `RemoveMessage` is refused: it is an order to the graph's state and no part of a conversation.
 */
export function createLangChainDecoder(): (native: LangChainMessage) => readonly Message[] {
  const names = new Map<string, string>();
  return createDecoder(LANGCHAIN, (native, place) => decodeMessage(native, names, place));
}

function decodeMessage(native: WireObject, names: Map<string, string>, place: WirePlace): Draft[] {
  const { type, name } = typeOf(native);
  const marks = { id: textIn(native, "id"), ...readMarks(native) };
  switch (type) {
    case "human":
    case "system": {
      const role = type === "human" ? "user" : "system";
      const draft: Draft = { role, parts: decodeContent(native["content"], place), ...marks };
      return marks.kind === undefined ? splitSummary(draft) : [draft];
    }
    case "ai": {
      const parts = decodeAi(native, place);
      for (const part of parts) {
        if (part.type === "tool-call") names.set(part.toolCallId, part.toolName);
      }
      return [{ role: "assistant", parts, ...marks }];
    }
    case "tool":
      return [{ role: "tool", parts: [decodeResult(native, names, place)], ...marks }];
    default:
      if (name === "remove") {
        throw invalidWire(place, "is a RemoveMessage, which must be applied first");
      }
      throw invalidWire(place, `has the unknown type "${name}"`);
  }
}

function decodeAi(native: WireObject, place: WirePlace): Part[] {
  const calls = callsOf(native, "tool_calls", place);
  const inputs = new Map(calls.map(({ id, args }) => [String(id), args]));
  const content = decodeAnswer(native["content"], inputs, place);
  const inContent = new Set(content.map((part) => part.type === "tool-call" && part.toolCallId));
  const listed = calls.map((call): ToolCallPart => decodeCall(call, place));
  const parts: Part[] = [
    ...decodeKwargs(native, content),
    ...content,
    ...listed.filter(({ toolCallId }) => !inContent.has(toolCallId)),
    // A call that the model wrote so badly that nobody runs it: there is no result to come.
    ...callsOf(native, "invalid_tool_calls", place).map((value): Part => {
      return { type: "opaque", kind: "invalid_tool_call", source: { dialect: LANGCHAIN, value } };
    }),
  ];
  return parts.length > 0 || native["content"] !== "" ? parts : [{ type: "text", text: "" }];
}

function callsOf(native: WireObject, field: string, place: WirePlace): WireObject[] {
  const calls = native[field] ?? [];
  if (Array.isArray(calls) && calls.every(isWireObject)) return calls;
  throw invalidWire(place, `needs an array of objects in "${field}"`);
}

function decodeCall(call: WireObject, place: WirePlace): ToolCallPart {
  const { id, name, args } = call;
  if (typeof id !== "string" || typeof name !== "string") {
    throw invalidWire(place, "has a tool call without an id or a name");
  }
  const source = { dialect: LANGCHAIN, value: call };
  return { type: "tool-call", toolCallId: id, toolName: name, input: args, source };
}

/** Thinking that stands beside the content: DeepSeek's and vLLM's text, OpenAI's reasoning item. */
function decodeKwargs(native: WireObject, content: readonly Part[]): ReasoningPart[] {
  const { additional_kwargs: kwargs } = native;
  if (!isWireObject(kwargs) || content.some(({ type }) => type === "reasoning")) return [];
  const source = { dialect: LANGCHAIN, value: kwargs };
  const { reasoning_content: text, reasoning: item } = kwargs;
  if (isText(text)) return [{ type: "reasoning", text, source }];
  if (!isWireObject(item)) return [];
  const summary: readonly unknown[] = Array.isArray(item["summary"]) ? item["summary"] : [];
  const said = summary.map((piece) => textIn(fieldsOf(piece), "text")).join("\n");
  return [{ type: "reasoning", text: said, signature: textIn(item, "encrypted_content"), source }];
}

/** `success` only says that the tool did not throw; what it ran may have failed all the same. */
function decodeResult(native: WireObject, names: Map<string, string>, place: WirePlace): Part {
  const { name, status } = native;
  const toolCallId = requiredString(native, "tool_call_id", place);
  return {
    type: "tool-result",
    toolCallId,
    toolName: isText(name) ? name : (names.get(toolCallId) ?? "unknown"),
    output: decodeContent(native["content"], place),
    isError: status === "error" ? true : undefined,
    ...readResultMarks(native["additional_kwargs"]),
    source: { dialect: LANGCHAIN, value: native },
  };
}

/** Text blocks, with those that some integrations leave in streamed answers. */
const TEXT_BLOCKS: ReadonlySet<string> = new Set(["text", "text_delta"]);
/** Calls as content blocks, and the field that holds the input. */
export const CALL_INPUTS: ReadonlyMap<string, string> = new Map([
  ["tool_use", "input"],
  ["tool_call", "args"],
]);
/** Pieces of a streamed call's input; `tool_calls` has it whole, and nobody sends the pieces. */
const DELTA_BLOCKS: ReadonlySet<string> = new Set(["input_json_delta", "tool_call_chunk"]);

function decodeContent(content: unknown, place: WirePlace): OutputPart[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return blocksOf(content, place).map(decodeContentBlock);
}

/**
 * The content of an answer. `inputs` are the inputs of its calls by id, parsed; a block may hold
 * but the text of one. An empty text beside calls says nothing.
 */
function decodeAnswer(
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
    const found = describeValue(content);
    throw invalidWire(place, `needs a string or an array in "content", not ${found}`);
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
  const field = REASONING_TEXTS[block.type];
  if (field !== undefined) {
    return { type: "reasoning", text: textIn(inner, field) ?? "", signature, source };
  }
  if (block.type !== "redacted_thinking") return undefined;
  return { type: "reasoning", text: "", signature: String(block["data"]), source };
}

/** Kinds of thinking, and the field that holds the words. */
const REASONING_TEXTS: Readonly<Record<string, string>> = {
  thinking: "thinking",
  reasoning: "reasoning",
  reasoning_content: "text",
};

function decodeContentBlock(block: string | Block): OutputPart {
  if (typeof block === "string") {
    return { type: "text", text: block, source: { dialect: LANGCHAIN, value: block } };
  }
  const text = TEXT_BLOCKS.has(block.type) ? textIn(block, "text") : undefined;
  if (text !== undefined) {
    return { type: "text", text, source: { dialect: LANGCHAIN, value: block } };
  }
  return fileOrOpaque(block, LANGCHAIN, { file: decodeFile, link: linkOf });
}

/** The link of the calls and the results of tools that the provider runs itself. */
function linkOf(block: Block): string | undefined {
  if (!/^server_tool|_tool_result$/.test(block.type)) return undefined;
  return textIn(block, "tool_use_id") ?? textIn(block, "toolCallId") ?? textIn(block, "id");
}

/** The file in a block; undefined when there is none that a neutral part can hold. */
export function decodeFile(block: WireObject): FilePart | undefined {
  const { type } = block;
  const usual = typeof type === "string" ? USUAL_TYPES[type] : undefined;
  if (usual === undefined) return imageOrAudio(block);
  // Anthropic's own blocks hold it in `source`, LangChain's in the block itself.
  const from = isWireObject(block["source"]) ? block["source"] : block;
  const named = textIn(from, "mimeType") ?? textIn(from, "mime_type") ?? textIn(from, "media_type");
  const mediaType = named?.includes("/") === true ? named : usual;
  const url = textIn(from, "url");
  if (url !== undefined) return fileAt(url, mediaType);
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

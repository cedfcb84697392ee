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
  type WireBlock,
  type WireObject,
  type WirePlace,
} from "../wire.ts";
import { readMessageMarks, readResultMarks, typeOf } from "./message-object.ts";
import { LANGCHAIN, type LangChainMessage } from "./wire.ts";

/**
 * Decodes LangChain messages. A result takes its tool's name from itself, else from the nearest call
 * with its id. Throws `ContextError` code `invalid-message`, also for a `RemoveMessage`: that is
 * an order to the graph's state and no part of a conversation.
 */
export function decodeLangChain(conversation: readonly LangChainMessage[]): readonly Message[] {
  if (!Array.isArray(conversation)) {
    throw invalidWire({ dialect: LANGCHAIN }, `is ${describeValue(conversation)} and no array`);
  }
  const decode = createLangChainDecoder();
  return conversation.flatMap((native: LangChainMessage) => decode(native));
}

/** A decoder that takes messages one by one, each in constant time. */
export function createLangChainDecoder(): (native: LangChainMessage) => readonly Message[] {
  const names = new Map<string, string>();
  let index = 0;
  return (native) => {
    const drafts = decodeMessage(native, names, { dialect: LANGCHAIN, index });
    index += 1;
    return fromNative(LANGCHAIN, native, drafts);
  };
}

function decodeMessage(native: unknown, names: Map<string, string>, place: WirePlace): Draft[] {
  if (!isWireObject(native)) throw invalidWire(place, `is ${describeValue(native)} and no object`);
  const { type, name } = typeOf(native);
  const id = typeof native["id"] === "string" ? { id: native["id"] } : {};
  const marks = { ...id, ...readMessageMarks(native) };
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
  const inputs = new Map(
    calls.flatMap(({ id, args }) => (typeof id === "string" ? [[id, args]] : [])),
  );
  const content = decodeAnswer(native["content"], inputs, place);
  const inContent = new Set(
    content.flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : [])),
  );
  const beside = calls.map((call): ToolCallPart => decodeCall(call, place));
  const parts: Part[] = [
    ...decodeKwargs(native, content),
    ...content,
    ...beside.filter(({ toolCallId }) => !inContent.has(toolCallId)),
    ...callsOf(native, "invalid_tool_calls", place).map(invalidCall),
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

/** A call that the model wrote so badly that nobody runs it: there is no result to come. */
function invalidCall(call: WireObject): Part {
  const source = { dialect: LANGCHAIN, value: call };
  return { type: "opaque", kind: "invalid_tool_call", source };
}

/** Thinking that stands beside the content: DeepSeek's and vLLM's text, OpenAI's reasoning item. */
function decodeKwargs(native: WireObject, content: readonly Part[]): ReasoningPart[] {
  const { additional_kwargs: kwargs } = native;
  if (!isWireObject(kwargs) || content.some(({ type }) => type === "reasoning")) return [];
  const source = { dialect: LANGCHAIN, value: kwargs };
  const { reasoning_content: text, reasoning: item } = kwargs;
  if (typeof text === "string" && text !== "") return [{ type: "reasoning", text, source }];
  if (!isWireObject(item)) return [];
  const summary = Array.isArray(item["summary"]) ? item["summary"].map(summaryText).join("\n") : "";
  const sealed = item["encrypted_content"];
  const signature = typeof sealed === "string" ? { signature: sealed } : {};
  return [{ type: "reasoning", text: summary, ...signature, source }];
}

function summaryText(piece: unknown): string {
  const text = isWireObject(piece) ? piece["text"] : undefined;
  return typeof text === "string" ? text : "";
}

/** `success` only says that the tool did not throw; what it ran may have failed all the same. */
function decodeResult(native: WireObject, names: Map<string, string>, place: WirePlace): Part {
  const { tool_call_id: toolCallId, name, status } = native;
  if (typeof toolCallId !== "string") {
    throw invalidWire(
      place,
      `needs a string in "tool_call_id" and has ${describeValue(toolCallId)}`,
    );
  }
  const named = typeof name === "string" && name !== "" ? name : undefined;
  return {
    type: "tool-result",
    toolCallId,
    toolName: named ?? names.get(toolCallId) ?? "unknown",
    output: decodeContent(native["content"], place),
    ...(status === "error" && { isError: true }),
    ...readResultMarks(native),
    source: { dialect: LANGCHAIN, value: native },
  };
}

type Block = WireBlock & WireObject;

/** Text blocks, with those that some integrations leave in streamed answers. */
const TEXT_BLOCKS: ReadonlySet<string> = new Set(["text", "text_delta"]);
/** Calls as content blocks, and the field that holds the input. */
export const CALL_INPUTS: ReadonlyMap<string, string> = new Map([
  ["tool_use", "input"],
  ["tool_call", "args"],
]);
/** Pieces of a streamed call's input; `tool_calls` has it whole, and nobody sends the pieces. */
const DELTA_BLOCKS: ReadonlySet<string> = new Set(["input_json_delta", "tool_call_chunk"]);

/** The content of a message of the person, the system or a tool. */
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

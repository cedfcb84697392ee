import type { Message, Part, ReasoningPart, ToolCallPart } from "../../core/message/index.ts";
import { type Draft, fromNative } from "../native-message.ts";
import { splitSummary } from "../summary-slice.ts";
import {
  describeValue,
  invalidWire,
  isWireObject,
  type WireObject,
  type WirePlace,
} from "../wire-value.ts";
import { decodeAnswer, decodeContent } from "./decode-block.ts";
import { readMessageMarks, readResultMarks } from "./marks.ts";
import { typeOf } from "./message-object.ts";
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

import type { Message, Part, ToolCallPart } from "../../core/message/index.ts";
import { outputAsText } from "../foreign-text.ts";
import { nativeOf, withFields } from "../native-message.ts";
import { isWireBlock, isWireObject, type WireObject } from "../wire-value.ts";
import { encodeBlock, encodeCall, encodeCallBlock, isSaid } from "./encode-block.ts";
import { madeFields, messageKwargs } from "./marks.ts";
import { type MakeMessage, withMessageFields } from "./message-object.ts";
import { LANGCHAIN, type LangChainMessage } from "./wire.ts";

type Native = LangChainMessage & WireObject;

/** An answer; empty when it says nothing any more. */
export function encodeAi(
  message: Message,
  native: Native | undefined,
  make: MakeMessage,
): LangChainMessage[] {
  const calls = message.parts.filter((part) => part.type === "tool-call");
  return native === undefined ? makeAi(message, calls, make) : editAi(message, calls, native);
}

/** Thinking from elsewhere stays out: every integration has another field for it. */
function makeAi(
  message: Message,
  calls: readonly ToolCallPart[],
  make: MakeMessage,
): LangChainMessage[] {
  const content = outputAsText(message.parts.filter(isSaid));
  if (content === "" && calls.length === 0) return [];
  const tool_calls = calls.map((part) => encodeCall(part, undefined));
  const called = tool_calls.length > 0 ? { tool_calls } : {};
  return [make("ai", { content, ...called, ...madeFields(message) })];
}

function editAi(
  message: Message,
  calls: readonly ToolCallPart[],
  native: Native,
): LangChainMessage[] {
  const content = encodeAnswer(message, native);
  const invalid = message.parts.filter(isInvalidCall).map((part) => nativeOf(part, LANGCHAIN));
  const isEmpty = content === "" || (Array.isArray(content) && content.length === 0);
  if (isEmpty && calls.length + invalid.length === 0) return [];
  return [
    withMessageFields(native, {
      content,
      tool_calls: encodeCalls(calls, native["tool_calls"]),
      ...("invalid_tool_calls" in native && {
        invalid_tool_calls: sameList(invalid, native["invalid_tool_calls"]),
      }),
      ...beside(message, native),
    }),
  ];
}

/** The content in the form that it had: a text, or blocks. */
function encodeAnswer(message: Message, native: Native): unknown {
  const before: readonly Part[] = message.source?.parts ?? [];
  const said = message.parts.filter((part) => isInContent(part, native));
  if (!Array.isArray(native.content)) {
    return outputAsText(said.filter(isSaid));
  }
  return said.map((part) => {
    const block = nativeOf(part, LANGCHAIN);
    if (before.includes(part)) return block;
    if (part.type === "tool-call" && isWireBlock(block)) return encodeCallBlock(part, block);
    return isSaid(part) ? encodeBlock(part, "other") : block;
  });
}

/** Calls, thinking and other parts may stand beside the content. */
function isInContent(part: Part, { content }: Native): boolean {
  if (isInvalidCall(part) || part.type === "tool-result") return false;
  const native = nativeOf(part, LANGCHAIN);
  if (isSaid(part)) return true;
  return Array.isArray(content) && content.includes(native);
}

function isInvalidCall(part: Part): boolean {
  return part.type === "opaque" && part.kind === "invalid_tool_call";
}

function encodeCalls(calls: readonly ToolCallPart[], before: unknown): readonly unknown[] {
  const entries = Array.isArray(before) ? before.filter(isWireObject) : [];
  const made = calls.flatMap((part) => {
    const entry = entries.find(({ id }) => id === part.toolCallId);
    // A call that stands in the content only is nothing that LangChain would run.
    const isOnlyBlock = entry === undefined && nativeOf(part, LANGCHAIN) !== undefined;
    return isOnlyBlock ? [] : [encodeCall(part, entry)];
  });
  return sameList(made, before);
}

function sameList(made: readonly unknown[], before: unknown): readonly unknown[] {
  const isSame =
    Array.isArray(before) &&
    before.length === made.length &&
    made.every((item, at) => item === before[at]);
  return isSame ? (before as unknown[]) : made;
}

/** Copies of calls as the provider wrote them; integrations prefer them to what was edited. */
const RAW_CALLS = ["tool_calls", "__openai_function_call_ids__"];
/** Thinking, and what may not be named without it. */
const THINKING = ["reasoning_content", "reasoning", "reasoning_details"];

/** The fields beside content and calls in which an integration says the same once more. */
function beside(message: Message, native: Native): WireObject {
  const isThinkingGone = !message.parts.some(({ type }) => type === "reasoning");
  const kwargs = objectOf(messageKwargs(message, native.additional_kwargs));
  const metadata = objectOf(native.response_metadata);
  const isOpenAiItem = "output" in metadata || "reasoning" in kwargs;
  const gone = isThinkingGone ? [...RAW_CALLS, ...THINKING] : RAW_CALLS;
  return {
    ...(native.additional_kwargs !== undefined && { additional_kwargs: without(kwargs, gone) }),
    ...("output" in metadata && { response_metadata: without(metadata, ["output"]) }),
    ...("tool_call_chunks" in native && { tool_call_chunks: [] }),
    // OpenAI refuses an item by its id where the reasoning before it is missing.
    ...(isOpenAiItem && isThinkingGone && { id: undefined }),
  };
}

function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : {};
}

function without(fields: WireObject, names: readonly string[]): WireObject {
  const gone = names.filter((name) => name in fields);
  return withFields(fields, Object.fromEntries(gone.map((name) => [name, undefined])));
}

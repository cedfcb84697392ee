import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ToolCallPart,
  ToolResultPart,
} from "../../core/message/index.ts";
import { toolCalls } from "../../core/message/structure.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { addressOf, isSameFile } from "../files.ts";
import { answerPending, foreignText, isLeading, outputAsText } from "../foreign-text.ts";
import { withResultMarks } from "../marks.ts";
import {
  groupByNative,
  isOutputPart,
  isSameList,
  type NativeGroup,
  nativeOf,
  withFields,
} from "../native-message.ts";
import { type Block, isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire.ts";
import { CALL_INPUTS, decodeFile } from "./decode.ts";
import {
  createMake,
  LANGCHAIN,
  type LangChainBlock,
  type LangChainMessage,
  type LangChainToolCall,
  type LangChainType,
  madeFields,
  type MakeMessage,
  messageKwargs,
  withMessageFields,
} from "./wire.ts";

/**
 * A message from elsewhere is made of the class that others of its type have, else as a plain
 * object; in the middle of the list not every model takes a system message, so there it becomes a
 * human one.
 */
export function encodeLangChain<Native extends LangChainMessage = LangChainMessage>(
  messages: readonly Message[],
): Native[] {
  const groups = groupByNative(answerPending(messages), LANGCHAIN);
  const make = createMake(groups.map(({ native }) => native ?? {}));
  const body = groups.findIndex(({ messages: [first] }) => !isLeading(first));
  const encoded = groups.flatMap((group, at) => encodeGroup(group, make, body < 0 || at < body));
  return encoded as Native[];
}

type Native = LangChainMessage & WireObject;

/** A message that says nothing any more is left out. */
function encodeGroup(
  group: NativeGroup,
  make: MakeMessage,
  isBeforeBody: boolean,
): LangChainMessage[] {
  const native = group.native as Native | undefined;
  if (native !== undefined && group.isWhole) return [native];
  const [message] = group.messages;
  if (message === undefined) return [];
  const parts = group.messages.flatMap((one) => one.parts);
  if (message.role === "tool") return encodeResults(parts, native, make);
  if (message.role === "assistant") {
    return native === undefined ? makeAi(message, make) : editAi(message, native);
  }
  const content = encodeContent(parts, native?.content);
  // A kind holds for the whole native message or for none of it.
  const marked = group.messages.length === 1 ? message : undefined;
  if (native !== undefined) {
    const { additional_kwargs: before } = native;
    const additional_kwargs = marked === undefined ? before : messageKwargs(marked, before);
    return [withMessageFields(native, { content, additional_kwargs })];
  }
  const isMoved = message.role === "system" && !isBeforeBody;
  const built: Message = isMoved ? { ...message, kind: message.kind ?? "injected" } : message;
  const type: LangChainType = built.role === "system" && !isMoved ? "system" : "human";
  return [make(type, { content, ...madeFields(built) })];
}

function encodeContent(parts: readonly Part[], before: unknown): unknown {
  const said = parts.filter(isOutputPart);
  const isText = said.every((part) => part.type === "text" && part.source === undefined);
  if (isText && said.length <= 1 && !Array.isArray(before)) return outputAsText(said);
  return said.map((part) => encodeBlock(part, "user"));
}

function encodeResults(
  parts: readonly Part[],
  native: Native | undefined,
  make: MakeMessage,
): LangChainMessage[] {
  return parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const before = nativeOf(part, LANGCHAIN);
    if (native !== undefined && before === native) return [encodeResult(part, native)];
    return [
      make("tool", {
        content: outputAsText(part.output),
        tool_call_id: part.toolCallId,
        name: part.toolName,
        status: part.isError === true ? "error" : undefined,
        additional_kwargs: withResultMarks(part, undefined),
      }),
    ];
  });
}

function encodeResult(part: ToolResultPart, native: Native): LangChainMessage {
  const { content, status } = native;
  const isError = part.isError === true;
  return withMessageFields(native, {
    content: outputContent(part.output, content),
    tool_call_id: part.toolCallId,
    additional_kwargs: withResultMarks(part, native.additional_kwargs),
    status: isError === (status === "error") ? status : isError ? "error" : "success",
  });
}

function outputContent(output: readonly OutputPart[], before: unknown): unknown {
  if (!Array.isArray(before)) return outputAsText(output);
  const blocks = output.map((part) => encodeBlock(part, "other"));
  return isSameList(blocks, before) ? before : blocks;
}

/** Thinking from elsewhere stays out: every integration has another field for it. */
function makeAi(message: Message, make: MakeMessage): LangChainMessage[] {
  const calls = toolCalls(message);
  const content = outputAsText(message.parts.filter(isOutputPart));
  if (content === "" && calls.length === 0) return [];
  const tool_calls = calls.map((part) => encodeCall(part, undefined));
  const called = tool_calls.length > 0 ? { tool_calls } : {};
  return [make("ai", { content, ...called, ...madeFields(message) })];
}

function editAi(message: Message, native: Native): LangChainMessage[] {
  const calls = toolCalls(message);
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
      ...repeatedFields(message, native),
    }),
  ];
}

/** The content in the form that it had: a text, or blocks. */
function encodeAnswer(message: Message, native: Native): unknown {
  const before: readonly Part[] = message.source?.parts ?? [];
  const said = message.parts.filter((part) => isInContent(part, native));
  if (!Array.isArray(native.content)) return outputAsText(said.filter(isOutputPart));
  return said.map((part) => {
    const block = nativeOf(part, LANGCHAIN);
    if (before.includes(part)) return block;
    if (part.type === "tool-call" && isWireBlock(block)) return encodeCallBlock(part, block);
    return isOutputPart(part) ? encodeBlock(part, "other") : block;
  });
}

/** Calls, thinking and other parts may stand beside the content. */
function isInContent(part: Part, { content }: Native): boolean {
  if (isInvalidCall(part) || part.type === "tool-result") return false;
  const native = nativeOf(part, LANGCHAIN);
  if (isOutputPart(part)) return true;
  return Array.isArray(content) && content.includes(native);
}

function isInvalidCall(part: Part): boolean {
  return part.type === "opaque" && part.kind === "invalid_tool_call";
}

function encodeCalls(calls: readonly ToolCallPart[], before: unknown): unknown {
  const entries = Array.isArray(before) ? before.filter(isWireObject) : [];
  const made = calls.flatMap((part) => {
    const entry = entries.find(({ id }) => id === part.toolCallId);
    // A call that stands in the content only is nothing that LangChain would run.
    const isOnlyBlock = entry === undefined && nativeOf(part, LANGCHAIN) !== undefined;
    return isOnlyBlock ? [] : [encodeCall(part, entry)];
  });
  return sameList(made, before);
}

function sameList(made: readonly unknown[], before: unknown): unknown {
  return isSameList(made, before) ? before : made;
}

/** Copies of calls as the provider wrote them; integrations prefer them to what was edited. */
const RAW_CALLS = ["tool_calls", "__openai_function_call_ids__"];
/** Thinking, and what may not be named without it. */
const THINKING = ["reasoning_content", "reasoning", "reasoning_details"];

/** The fields beside content and calls in which an integration says the same once more. */
function repeatedFields(message: Message, native: Native): WireObject {
  const isThinkingGone = !message.parts.some(({ type }) => type === "reasoning");
  const kwargs = fieldsOf(messageKwargs(message, native.additional_kwargs));
  const metadata = fieldsOf(native.response_metadata);
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

function without(fields: WireObject, names: readonly string[]): WireObject {
  const gone = names.filter((name) => name in fields);
  return withFields(fields, Object.fromEntries(gone.map((name) => [name, undefined])));
}

/** One part of a message's content: its native block where nothing changed, else a new one. */
function encodeBlock(part: OutputPart, role: "user" | "other"): unknown {
  const native = nativeOf(part, LANGCHAIN);
  switch (part.type) {
    case "text":
      if (!isWireBlock(native)) return native === part.text ? native : textBlock(part.text);
      return withFields(native, { text: part.text });
    case "file":
      if (isWireBlock(native) && isSameFile(part, decodeFile(native))) return native;
      return encodeFile(part, role);
    case "opaque":
      return native ?? textBlock(foreignText(part));
  }
}

function textBlock(text: string): LangChainBlock {
  return { type: "text", text };
}

/** Images of the person are the only files that every integration takes in the same form. */
function encodeFile(part: FilePart, role: "user" | "other"): LangChainBlock {
  const { mediaType, data } = part;
  const url = addressOf(part);
  const isImage =
    mediaType.startsWith("image/") && (data === undefined || !mediaType.endsWith("*"));
  if (role !== "user" || !isImage || url === undefined) return textBlock(foreignText(part));
  return { type: "image_url", image_url: { url } };
}

/** A call that stands in the content, with what it says now. */
function encodeCallBlock(part: ToolCallPart, block: Block): WireBlock {
  const field = CALL_INPUTS.get(block.type) ?? "input";
  return withFields(block, { id: part.toolCallId, name: part.toolName, [field]: argsOf(part) });
}

/** The entry of `tool_calls`; `before` is what it was. */
function encodeCall(part: ToolCallPart, before: WireObject | undefined): WireObject {
  const fields = { name: part.toolName, args: argsOf(part), id: part.toolCallId };
  if (before !== undefined) return withFields(before, fields);
  return { ...fields, type: "tool_call" } satisfies LangChainToolCall;
}

/** LangChain knows objects only; a text that was no valid JSON goes as one field. */
function argsOf({ input }: ToolCallPart): WireObject {
  if (isWireObject(input)) return input;
  return input === undefined || input === null ? {} : { input };
}

import type { FilePart, OutputPart, Part, ToolCallPart } from "../../core/message/index.ts";
import { dataUrl } from "../data-url.ts";
import { foreignText } from "../foreign-text.ts";
import { nativeOf, withFields } from "../native-message.ts";
import { isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire-value.ts";
import { CALL_INPUTS, decodeFile } from "./decode-block.ts";
import { LANGCHAIN, type LangChainBlock, type LangChainToolCall } from "./wire.ts";

/** One part of a message's content: its native block where nothing changed, else a new one. */
export function encodeBlock(part: OutputPart, role: "user" | "other"): unknown {
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

function isSameFile(part: FilePart, before: FilePart | undefined): boolean {
  return before?.data === part.data && before?.url === part.url;
}

/** Images of the person are the only files that every integration takes in the same form. */
function encodeFile(part: FilePart, role: "user" | "other"): LangChainBlock {
  const { mediaType, data, url: address } = part;
  const url = data === undefined ? address : dataUrl({ mediaType, data });
  const isImage =
    mediaType.startsWith("image/") && (data === undefined || !mediaType.endsWith("*"));
  if (role !== "user" || !isImage || url === undefined) return textBlock(foreignText(part));
  return { type: "image_url", image_url: { url } };
}

/** A call that stands in the content, with what it says now. */
export function encodeCallBlock(part: ToolCallPart, block: WireBlock & WireObject): WireBlock {
  const field = CALL_INPUTS.get(block.type) ?? "input";
  return withFields(block, { id: part.toolCallId, name: part.toolName, [field]: argsOf(part) });
}

/** The entry of `tool_calls`; `before` is what it was. */
export function encodeCall(part: ToolCallPart, before: WireObject | undefined): WireObject {
  const fields = { name: part.toolName, args: argsOf(part), id: part.toolCallId };
  if (before !== undefined) return withFields(before, fields);
  return { ...fields, type: "tool_call" } satisfies LangChainToolCall;
}

/** LangChain knows objects only; a text that was no valid JSON goes as one field. */
function argsOf({ input }: ToolCallPart): WireObject {
  if (isWireObject(input)) return input;
  return input === undefined || input === null ? {} : { input };
}

/** What a message says beside its calls and its thinking. */
export function isSaid(part: Part): part is OutputPart {
  return part.type === "text" || part.type === "file" || part.type === "opaque";
}

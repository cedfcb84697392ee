import type { FilePart, OutputPart, ToolCallPart } from "../../core/message/index.ts";
import { toJson } from "../../core/message/index.ts";
import type { CallIds } from "../call-ids.ts";
import { safeName } from "../call-ids.ts";
import { dataUrl } from "../data-url.ts";
import { foreignText, outputAsText } from "../foreign-text.ts";
import { nativeOf, withFields } from "../native-message.ts";
import { parseInput } from "../tool-input.ts";
import { isWireObject, type WireBlock, type WireObject } from "../wire-value.ts";
import { decodeFile } from "./decode-part.ts";
import {
  type ChatCustomToolCall,
  type ChatFunction,
  type ChatPart,
  type ChatTextPart,
  type ChatToolCall,
  OPENAI_CHAT,
} from "./wire.ts";

/** The API refuses longer ids and names. */
export const MAX_CALL_ID = 40;
const MAX_TOOL_NAME = 64;

/**
 * Parts as the content of a message: a string where the native content was one (or there is none)
 * and one text says it all, else blocks. `kinds` is what the role may hold beside text.
 */
export function encodeContent(
  parts: readonly OutputPart[],
  before: unknown,
  kinds: "text" | "media",
): string | WireBlock[] {
  const only = parts[0];
  if (!Array.isArray(before)) {
    if (only === undefined) return "";
    if (parts.length === 1 && only.type === "text" && only.source === undefined) return only.text;
    if (kinds === "text" && parts.every((part) => blockOf(part) === undefined)) {
      return outputAsText(parts);
    }
  }
  const blocks = parts.map((part) => encodeBlock(part, kinds));
  return blocks.length > 0 ? blocks : "";
}

function encodeBlock(part: OutputPart, kinds: "text" | "media"): WireBlock {
  const native = blockOf(part);
  if (part.type === "text") {
    const text: ChatTextPart = { type: "text", text: part.text };
    return native === undefined ? text : withFields(native, { text: part.text });
  }
  if (native !== undefined && (part.type === "opaque" || isSameFile(part, native))) return native;
  if (part.type === "file" && kinds === "media") return encodeFile(part);
  return { type: "text", text: foreignText(part) };
}

function blockOf(part: OutputPart): (WireBlock & WireObject) | undefined {
  const native = nativeOf(part, OPENAI_CHAT);
  return isWireObject(native) && "type" in native ? (native as WireBlock & WireObject) : undefined;
}

function isSameFile(part: FilePart, native: WireObject): boolean {
  const before = decodeFile(native);
  return before?.data === part.data && before?.url === part.url;
}

function encodeFile(part: FilePart): ChatPart {
  const { mediaType, data, url, filename } = part;
  const address = data === undefined ? url : dataUrl({ mediaType, data });
  if (mediaType.startsWith("image/") && address !== undefined) {
    return { type: "image_url", image_url: { url: address } };
  }
  if (data !== undefined && /^audio\/(?:wav|mp3|mpeg)$/.test(mediaType)) {
    const format = mediaType === "audio/wav" ? "wav" : "mp3";
    return { type: "input_audio", input_audio: { data, format } };
  }
  if (data !== undefined && mediaType === "application/pdf") {
    const file = { file_data: dataUrl({ mediaType, data }), filename: filename ?? "document.pdf" };
    return { type: "file", file };
  }
  return { type: "text", text: foreignText(part) };
}

/** One entry of `tool_calls`; the argument string of an untouched call is kept byte for byte. */
export function encodeToolCall(
  part: ToolCallPart,
  ids: CallIds,
): ChatToolCall | ChatCustomToolCall {
  const native = nativeOf(part, OPENAI_CHAT) as ChatToolCall | ChatCustomToolCall | undefined;
  if (native === undefined || !("id" in native)) {
    const called = {
      name: safeName(part.toolName, MAX_TOOL_NAME),
      arguments: argumentsText(part.input),
    };
    return { id: ids.assign(part.toolCallId), type: "function", function: called };
  }
  ids.keep(part.toolCallId);
  const id = part.toolCallId;
  if (isWireObject(native) && "custom" in native && isWireObject(native.custom)) {
    const custom = withFields(native.custom, { input: argumentsText(part.input) });
    return withFields(native, { id, custom });
  }
  const called = (native as ChatToolCall).function;
  return withFields(native, { id, function: encodeFunction(part, called) });
}

/** The function of a native call with this part's input. */
export function encodeFunction(part: ToolCallPart, native: ChatFunction): ChatFunction {
  const before = parseInput(native.arguments);
  const isSame = before === part.input || toJson(before) === toJson(part.input);
  return isSame ? native : withFields(native, { arguments: argumentsText(part.input) });
}

function argumentsText(input: unknown): string {
  return typeof input === "string" ? input : toJson(input ?? {});
}

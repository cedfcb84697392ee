import { fileData } from "../../core/message/file-data.ts";
import type {
  FilePart,
  Message,
  OutputPart,
  Part,
  ToolResultPart,
} from "../../core/message/index.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isSameFile } from "../files.ts";
import { foreignText, isLeading, outputAsText } from "../foreign-text.ts";
import { withMessageMarks, withResultMarks } from "../marks.ts";
import {
  groupByNative,
  isOutputPart,
  type NativeGroup,
  nativeBlock,
  nativeOf,
  withFields,
} from "../native-message.ts";
import { type Block, isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire.ts";
import { decodeFile, decodeOutput, decodeOutputFile, providerOption } from "./decode.ts";
import {
  AI_SDK,
  type AiSdkFilePart,
  type AiSdkMessage,
  type AiSdkOutput,
  type AiSdkOutputPart,
  type AiSdkTextPart,
} from "./wire.ts";

/**
 * The SDK has no system role in the middle of a list, so such a message from elsewhere becomes a
 * user message.
 */
export function encodeAiSdk<Native extends AiSdkMessage = AiSdkMessage>(
  messages: readonly Message[],
): Native[] {
  const groups = groupByNative(messages, AI_SDK);
  const body = groups.findIndex(({ messages: [first] }) => !isLeading(first));
  const encoded = groups.flatMap((group, at) => encodeGroup(group, body < 0 || at < body));
  return encoded as Native[];
}

/** A message that says nothing any more is left out. */
function encodeGroup(group: NativeGroup, isBeforeBody: boolean): AiSdkMessage[] {
  const native = group.native as (AiSdkMessage & WireObject) | undefined;
  if (native !== undefined && group.isWhole) return [native];
  const [message] = group.messages;
  if (message === undefined) return [];
  const content = encodeContent(group, native?.role ?? message.role);
  if (content.length === 0) return [];
  if (native !== undefined) {
    // A kind holds for the whole native message or for none of it.
    const marked = group.messages.length === 1 ? message : undefined;
    const providerOptions = withMessageMarks(marked ?? {}, native.providerOptions);
    return [withFields(native, { content, providerOptions })];
  }
  const isMoved = message.role === "system" && !isBeforeBody;
  const injected = { ...message, role: "user", kind: message.kind ?? "injected" } as const;
  // Nobody takes such a message for something the person typed.
  const built: Message = isMoved ? injected : message;
  const providerOptions = withMessageMarks(built, undefined);
  return [{ role: built.role, content, providerOptions } as AiSdkMessage];
}

function encodeContent(group: NativeGroup, role: string): string | readonly WireBlock[] {
  const native = group.native as AiSdkMessage | undefined;
  const parts = group.messages.flatMap((message) => message.parts);
  if (role === "system") return outputAsText(parts.filter(isOutputPart));
  const only = parts[0];
  const isPlain = parts.length === 1 && only?.type === "text" && only.source === undefined;
  if (isPlain && role !== "tool" && !Array.isArray(native?.content)) return only.text;
  const content = parts.filter((part) => fits(part, role)).flatMap(encodePart);
  return isReasoningDropped(parts, native) ? content.map(withoutItemId) : content;
}

/** A tool message holds results and approvals only. */
function fits(part: Part, role: string): boolean {
  return (
    (part.type === "tool-result") === (role === "tool") || nativeOf(part, AI_SDK) !== undefined
  );
}

function isReasoningDropped(parts: readonly Part[], native: AiSdkMessage | undefined): boolean {
  if (native === undefined || typeof native.content === "string") return false;
  const before = native.content.filter((part) => part.type === "reasoning").length;
  return parts.filter((part) => part.type === "reasoning").length < before;
}

/**
 * OpenAI refuses an item by its id when the reasoning before it is gone; without the id it is sent
 * in full.
 */
function withoutItemId(part: WireBlock): WireBlock {
  if (!isWireBlock(part) || part.type === "reasoning") return part;
  if (providerOption(part, "openai", "itemId") === undefined) return part;
  const options = part["providerOptions"] as WireObject;
  const openai = withFields(options["openai"] as WireObject, { itemId: undefined });
  const isEmpty = !isWireObject(openai) || Object.keys(openai).length === 0;
  const rest = withFields(options, { openai: isEmpty ? undefined : openai });
  const providerOptions = Object.keys(rest).length === 0 ? undefined : rest;
  return withFields(part, { providerOptions });
}

/**
 * The native part where nothing changed, a copy with what changed, or a new one; empty text gives
 * none.
 */
function encodePart(part: Part): WireBlock[] {
  const native = nativeBlock(part, AI_SDK);
  switch (part.type) {
    case "text": {
      if (native !== undefined) return [withFields(native, { text: part.text })];
      return part.text === "" ? [] : [textPart(part.text)];
    }
    case "reasoning": {
      if (native !== undefined) return [native];
      return part.text === "" ? [] : [{ type: "reasoning", text: part.text }];
    }
    case "file": {
      if (native !== undefined && isSameFile(part, decodeFile(native))) return [native];
      return [encodeFile(part)];
    }
    case "tool-call": {
      const { toolCallId, toolName, input } = part;
      const fields = { toolCallId, toolName, input };
      if (native !== undefined) return [withFields(native, fields)];
      return [{ type: "tool-call", ...fields }];
    }
    case "tool-result":
      return [encodeResult(part)];
    case "opaque":
      return [native ?? textPart(foreignText(part))];
  }
}

function textPart(text: string): AiSdkTextPart {
  return { type: "text", text };
}

function encodeFile(part: FilePart): AiSdkFilePart | AiSdkTextPart {
  const { mediaType, filename } = part;
  const data = fileData(part) ?? part.url;
  if (data === undefined) return textPart(foreignText(part));
  return { type: "file", mediaType, data, filename };
}

function encodeResult(part: ToolResultPart): WireBlock {
  const { toolCallId, toolName } = part;
  const native = nativeBlock(part, AI_SDK);
  const providerOptions = withResultMarks(part, native?.["providerOptions"]);
  if (native === undefined) {
    const output = encodeOutput(part);
    return { type: "tool-result", toolCallId, toolName, output, providerOptions };
  }
  const before = native["output"];
  const output =
    isWireBlock(before) && isSameOutput(part.output, before)
      ? before
      : encodeOutput(part, fieldsOf(before)["providerOptions"]);
  return withFields(native, { toolCallId, toolName, output, providerOptions });
}

function isSameOutput(output: readonly OutputPart[], native: Block): boolean {
  const before = decodeOutput(native, { dialect: AI_SDK });
  if (before.length !== output.length) return false;
  return before.every((part, at) => isSamePart(part, output[at]));
}

function isSamePart(before: OutputPart, after: OutputPart | undefined): boolean {
  if (after?.type === "text" && before.type === "text") return after.text === before.text;
  if (after?.type === "file" && before.type === "file") return isSameFile(after, before);
  return after?.type === before.type && after.source?.value === before.source?.value;
}

function encodeOutput(part: ToolResultPart, providerOptions?: unknown): AiSdkOutput {
  const options = { providerOptions };
  const isText = part.output.every((piece) => piece.type === "text");
  if (part.isError || isText) {
    const type = part.isError ? ("error-text" as const) : ("text" as const);
    return { type, value: outputAsText(part.output), ...options };
  }
  return { type: "content", value: part.output.map(encodeOutputPart), ...options };
}

function encodeOutputPart(part: OutputPart): AiSdkOutputPart {
  const native = nativeBlock(part, AI_SDK) as (WireObject & AiSdkOutputPart) | undefined;
  if (part.type === "text") {
    return native === undefined ? textPart(part.text) : withFields(native, { text: part.text });
  }
  const isSame = part.type === "opaque" || (native && isSameFile(part, decodeOutputFile(native)));
  if (native !== undefined && isSame) return native;
  return part.type === "file" ? encodeOutputFile(part) : textPart(foreignText(part));
}

function encodeOutputFile(part: FilePart): AiSdkOutputPart {
  const { mediaType, url, filename } = part;
  const data = fileData(part);
  const isImage = mediaType.startsWith("image/");
  if (data !== undefined && isImage) return { type: "image-data", data, mediaType };
  if (data !== undefined) {
    return { type: "file-data", data, mediaType, filename };
  }
  if (url !== undefined) return { type: isImage ? "image-url" : "file-url", url };
  return textPart(foreignText(part));
}

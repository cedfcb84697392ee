import type { FilePart, OutputPart, Part, ToolResultPart } from "../../core/message/index.ts";
import { foreignText, outputAsText } from "../foreign-text.ts";
import { nativeOf, withFields } from "../native-message.ts";
import { isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire-value.ts";
import { decodeFile, decodeOutput, decodeOutputFile } from "./decode-part.ts";
import { resultOptions } from "./own-options.ts";
import {
  AI_SDK,
  type AiSdkFilePart,
  type AiSdkOutput,
  type AiSdkOutputPart,
  type AiSdkTextPart,
} from "./wire.ts";

/** The native part that a part came from. */
function nativePart(part: Part): (WireBlock & WireObject) | undefined {
  const native = nativeOf(part, AI_SDK);
  return isWireBlock(native) ? native : undefined;
}

/**
 * One part of a user or assistant message: the native part where nothing changed, a copy of it
 * where something did, a new one for a part from elsewhere. Empty text gives none.
 */
export function encodePart(part: Part): WireBlock[] {
  const native = nativePart(part);
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

function isSameFile(part: FilePart, before: FilePart | undefined): boolean {
  return before?.data === part.data && before?.url === part.url;
}

function encodeFile(part: FilePart): AiSdkFilePart | AiSdkTextPart {
  const { mediaType, filename } = part;
  const data = part.data ?? part.url;
  if (data === undefined) return textPart(foreignText(part));
  return { type: "file", mediaType, data, ...(filename !== undefined && { filename }) };
}

/** A tool result; its output is the native one as long as it says the same. */
function encodeResult(part: ToolResultPart): WireBlock {
  const { toolCallId, toolName } = part;
  const native = nativePart(part);
  if (native === undefined) {
    const providerOptions = resultOptions(part, undefined);
    return {
      type: "tool-result",
      toolCallId,
      toolName,
      output: encodeOutput(part),
      ...(providerOptions !== undefined && { providerOptions }),
    };
  }
  const before = native["output"];
  const output =
    isWireBlock(before) && isSameOutput(part.output, before)
      ? before
      : encodeOutput(part, isWireObject(before) ? before["providerOptions"] : undefined);
  const providerOptions = resultOptions(part, native["providerOptions"]);
  return withFields(native, { toolCallId, toolName, output, providerOptions });
}

function isSameOutput(output: readonly OutputPart[], native: WireBlock & WireObject): boolean {
  const before = decodeOutput(native, { dialect: AI_SDK });
  return (
    before.length === output.length && before.every((part, at) => isSamePart(part, output[at]))
  );
}

function isSamePart(before: OutputPart, after: OutputPart | undefined): boolean {
  if (after?.type === "text" && before.type === "text") return after.text === before.text;
  if (after?.type === "file" && before.type === "file") return isSameFile(after, before);
  return after?.type === before.type && after.source?.value === before.source?.value;
}

function encodeOutput(part: ToolResultPart, providerOptions?: unknown): AiSdkOutput {
  const options = providerOptions === undefined ? {} : { providerOptions };
  const isText = part.output.every((piece) => piece.type === "text");
  if (part.isError || isText) {
    const type = part.isError ? ("error-text" as const) : ("text" as const);
    return { type, value: outputAsText(part.output), ...options };
  }
  return { type: "content", value: part.output.map(encodeOutputPart), ...options };
}

function encodeOutputPart(part: OutputPart): AiSdkOutputPart {
  const native = nativePart(part) as (WireObject & AiSdkOutputPart) | undefined;
  if (part.type === "text") {
    return native === undefined ? textPart(part.text) : withFields(native, { text: part.text });
  }
  if (native !== undefined) {
    const isSame = part.type === "opaque" || isSameFile(part, decodeOutputFile(native));
    if (isSame) return native;
  }
  return part.type === "file" ? encodeOutputFile(part) : textPart(foreignText(part));
}

function encodeOutputFile(part: FilePart): AiSdkOutputPart {
  const { mediaType, data, url, filename } = part;
  const isImage = mediaType.startsWith("image/");
  if (data !== undefined && isImage) return { type: "image-data", data, mediaType };
  if (data !== undefined) {
    return { type: "file-data", data, mediaType, ...(filename !== undefined && { filename }) };
  }
  if (url !== undefined) return { type: isImage ? "image-url" : "file-url", url };
  return textPart(foreignText(part));
}

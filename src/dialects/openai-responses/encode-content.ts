import type { FilePart, OutputPart } from "../../core/message/index.ts";
import { dataUrl } from "../data-url.ts";
import { foreignText, outputAsText } from "../foreign-text.ts";
import { nativeOf, withFields } from "../native-message.ts";
import { isWireBlock, isWireObject, type WireBlock, type WireObject } from "../wire-value.ts";
import { decodeFile } from "./decode-content.ts";
import { isItem } from "./item-kind.ts";
import { shellText } from "./shell-text.ts";
import { OPENAI_RESPONSES, type ResponsesInputPart } from "./wire.ts";

/** Who speaks: what the model said is output, everything else input. */
export type Side = "input" | "output";

/**
 * Parts as the content of a message or an output: a string where it was one (or there was none)
 * and one text says it all, else blocks.
 */
export function encodeContent(
  parts: readonly OutputPart[],
  before: unknown,
  side: Side,
): string | WireBlock[] {
  const only = parts[0];
  if (only === undefined) return Array.isArray(before) && before.length === 0 ? before : "";
  if (!Array.isArray(before)) {
    const isText = parts.length === 1 && only.type === "text" && blockOf(only) === undefined;
    if (isText) return only.text;
    // What the model said has no short form with blocks.
    if (side === "output") return outputAsText(parts);
  }
  return parts.map((part) => encodeBlock(part, side));
}

function encodeBlock(part: OutputPart, side: Side): WireBlock {
  const native = blockOf(part);
  if (part.type === "text") {
    if (native?.["text"] === part.text) return native;
    if (native === undefined) return textBlock(part.text, side);
    // Annotations and probabilities are of the old text.
    const annotations = "annotations" in native ? [] : undefined;
    return withFields(native, { text: part.text, annotations, logprobs: undefined });
  }
  if (native !== undefined && (part.type === "opaque" || isSameFile(part, native))) return native;
  if (part.type === "file" && side === "input") return encodeFile(part);
  return textBlock(foreignText(part), side);
}

/** The native block of a part; undefined where the part is an item, or what its string said. */
function blockOf(part: OutputPart): (WireBlock & WireObject) | undefined {
  const native = nativeOf(part, OPENAI_RESPONSES);
  return isWireBlock(native) && !isItem(native) ? native : undefined;
}

function textBlock(text: string, side: Side): WireBlock {
  return side === "input"
    ? { type: "input_text", text }
    : { type: "output_text", text, annotations: [] };
}

function isSameFile(part: FilePart, native: WireObject): boolean {
  const before = decodeFile(native);
  return before?.data === part.data && before?.url === part.url;
}

function encodeFile(part: FilePart): ResponsesInputPart {
  const { mediaType, data, url, filename } = part;
  const address = data === undefined ? url : dataUrl({ mediaType, data });
  if (mediaType.startsWith("image/") && address !== undefined) {
    return { type: "input_image", detail: "auto", image_url: address };
  }
  if (mediaType === "application/pdf" && address !== undefined) {
    return data === undefined
      ? { type: "input_file", file_url: address }
      : { type: "input_file", filename: filename ?? "document.pdf", file_data: address };
  }
  return { type: "input_text", text: foreignText(part) };
}

/** The pieces of a shell's output; each keeps the outcome of its command. */
export function encodeShell(
  parts: readonly OutputPart[],
  before: unknown,
  exitCode: number | undefined,
): readonly unknown[] {
  const native = Array.isArray(before) ? (before as unknown[]) : [];
  const last = native.at(-1);
  const usual = { type: "exit", exit_code: exitCode ?? 0 };
  const outcome = isWireObject(last) && isWireObject(last["outcome"]) ? last["outcome"] : usual;
  return parts.map((part) => {
    const text = part.type === "text" ? part.text : foreignText(part);
    const piece = nativeOf(part, OPENAI_RESPONSES);
    if (!isWireObject(piece)) return { stdout: text, stderr: "", outcome };
    return shellText(piece) === text ? piece : withFields(piece, { stdout: text, stderr: "" });
  });
}

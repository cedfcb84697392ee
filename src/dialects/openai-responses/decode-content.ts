import type { FilePart, OutputPart } from "../../core/message/index.ts";
import { parseDataUrl } from "../data-url.ts";
import {
  describeValue,
  invalidWire,
  isWireBlock,
  requiredString,
  type WireObject,
  type WirePlace,
} from "../wire-value.ts";
import { OPENAI_RESPONSES } from "./wire.ts";

const TEXTS: ReadonlySet<string> = new Set(["input_text", "output_text", "text"]);

/**
 * The content of a message or an output: a string is one text part, an array one part for each
 * block. `owner` is the message that the string is the whole content of.
 */
export function decodeContent(content: unknown, place: WirePlace, owner?: object): OutputPart[] {
  if (typeof content === "string") {
    const source = owner && { source: { dialect: OPENAI_RESPONSES, value: owner } };
    return [{ type: "text", text: content, ...source }];
  }
  if (content === undefined || content === null) return [];
  if (!Array.isArray(content)) {
    throw invalidWire(
      place,
      `needs a string or an array as content, not ${describeValue(content)}`,
    );
  }
  return content.map((block) => decodeBlock(block, place));
}

function decodeBlock(block: unknown, place: WirePlace): OutputPart {
  if (!isWireBlock(block)) throw invalidWire(place, "has a content part without a type");
  const source = { dialect: OPENAI_RESPONSES, value: block };
  if (TEXTS.has(block.type)) {
    return { type: "text", text: requiredString(block, "text", place), source };
  }
  const file = decodeFile(block);
  return file === undefined ? { type: "opaque", kind: block.type, source } : { ...file, source };
}

/**
 * The image or file in a block; undefined when it is none. Of an uploaded file only its kind is
 * known.
 */
export function decodeFile(block: WireObject): FilePart | undefined {
  const { type, image_url: image, file_data: data, file_url: url, filename } = block;
  if (type === "input_image") {
    if (typeof image !== "string") return { type: "file", mediaType: "image/*" };
    const inline = parseDataUrl(image);
    return { type: "file", ...(inline ?? { mediaType: "image/*", url: image }) };
  }
  if (type !== "input_file") return undefined;
  const name = typeof filename === "string" ? { filename } : {};
  const inline = typeof data === "string" ? parseDataUrl(data) : undefined;
  if (inline !== undefined) return { type: "file", ...inline, ...name };
  const mediaType = "application/octet-stream";
  if (typeof data === "string") return { type: "file", mediaType, data, ...name };
  return { type: "file", mediaType, ...(typeof url === "string" && { url }), ...name };
}

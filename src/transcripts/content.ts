import { isRecord } from "../core/text/json.ts";
import type { FilePart, TextPart } from "../core/message/index.ts";
import { parseDataUrl } from "../dialects/files.ts";

/**
 * Content as OpenAI-like agents store it (a string, null, or a list of `text` and `image_url`
 * parts) as neutral parts. Empty texts and pieces of other kinds give nothing.
 */
export function contentParts(content: unknown): (TextPart | FilePart)[] {
  if (typeof content === "string") return textParts(content);
  if (!Array.isArray(content)) return [];
  return content.flatMap((piece: unknown): (TextPart | FilePart)[] => {
    if (typeof piece === "string") return textParts(piece);
    if (!isRecord(piece)) return [];
    if (typeof piece["text"] === "string") return textParts(piece["text"]);
    const image = piece["image_url"];
    const url = isRecord(image) ? image["url"] : image;
    return typeof url === "string" ? [imagePart(url)] : [];
  });
}

/** The exit code that the first group of a pattern finds; the pattern holds on to one fixed place. */
export function exitCodeIn(text: string, pattern: RegExp): number | undefined {
  const code = pattern.exec(text)?.[1];
  return code === undefined ? undefined : Number(code);
}

/** A text as no part when it is empty, else as one. */
export function textParts(text: string): TextPart[] {
  return text === "" ? [] : [{ type: "text", text }];
}

/** An image by its address; a `data:` URL becomes inline data. */
export function imagePart(url: string): FilePart {
  const inline = parseDataUrl(url);
  return inline === undefined
    ? { type: "file", mediaType: "image/*", url }
    : { type: "file", ...inline };
}

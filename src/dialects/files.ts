import { fileData } from "../core/message/file-data.ts";
import type { FilePart } from "../core/message/index.ts";
import { fieldsOf } from "../core/text/json.ts";
import { isWireObject, type WireObject } from "./wire.ts";

/** Media type and base64 content of a `data:` URL. */
interface DataUrl {
  readonly mediaType: string;
  readonly data: string;
}

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/i;

/** Reads a base64 `data:` URL; undefined for any other text. */
export function parseDataUrl(url: string): DataUrl | undefined {
  const match = DATA_URL.exec(url.slice(0, 256));
  if (match === null) return undefined;
  return { mediaType: match[1] || "text/plain", data: url.slice(match[0].length) };
}

export function dataUrl({ mediaType, data }: DataUrl): string {
  return `data:${mediaType};base64,${data}`;
}

/** The file at an address, inline if it is a `data:` URL; else `mediaType` is what it is taken for. */
export function fileAt(url: string, mediaType = "image/*"): FilePart {
  return { type: "file", ...(parseDataUrl(url) ?? { mediaType, url }) };
}

/** The file in a block of OpenAI's chat format for images and sounds; `undefined` for any other. */
export function imageOrAudio(block: WireObject): FilePart | undefined {
  const { type, image_url: image, input_audio: audio } = block;
  if (type === "image_url") {
    const url = isWireObject(image) ? image["url"] : image;
    return typeof url === "string" ? fileAt(url) : undefined;
  }
  const { data, format } = fieldsOf(type === "input_audio" ? audio : undefined);
  if (typeof data !== "string") return undefined;
  return { type: "file", mediaType: `audio/${String(format)}`, data };
}

/** The address of a file: a `data:` URL of its content, else its own. */
export function addressOf(file: FilePart): string | undefined {
  const data = fileData(file);
  return data === undefined ? file.url : dataUrl({ mediaType: file.mediaType, data });
}

export function isSameFile(file: FilePart, before: FilePart | undefined): boolean {
  return before !== undefined && before.data === file.data && before.url === file.url;
}

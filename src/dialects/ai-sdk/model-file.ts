import { parseDataUrl } from "../data-url.ts";
import { isWireObject } from "../wire-value.ts";
import type { ModelVersion } from "./model.ts";

/** The content of a file, or where it is. */
type FileData =
  | { readonly data: string | Uint8Array; readonly mediaType?: string }
  | { readonly url: URL };

/** What a file part of a message holds; `undefined` for what only its provider can look up. */
export function fileData(value: unknown): FileData | undefined {
  if (isWireObject(value) && value["type"] === "data") return fileData(value["data"]);
  if (isWireObject(value) && value["type"] === "url") return fileData(value["url"]);
  if (value instanceof Uint8Array) return { data: value };
  if (value instanceof ArrayBuffer) return { data: new Uint8Array(value) };
  const text = value instanceof URL ? value.href : value;
  if (typeof text !== "string") return undefined;
  if (text.startsWith("data:")) return parseDataUrl(text);
  return URL.canParse(text) ? { url: new URL(text) } : { data: text };
}

/** The same as the model's interface takes it. */
export function modelFileData(content: FileData, version: ModelVersion): unknown {
  if (version !== "v4") return "url" in content ? content.url : content.data;
  return "url" in content
    ? { type: "url", url: content.url }
    : { type: "data", data: content.data };
}

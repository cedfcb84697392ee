import type { FilePart } from "../../core/message/index.ts";
import { parseDataUrl } from "../data-url.ts";
import { isWireObject } from "../wire-value.ts";

type FileContent = Pick<FilePart, "data" | "url"> & { readonly mediaType?: string };

const WEB_URL = /^https?:\/\//i;

/**
 * The content of a file in any form that the SDK takes: base64, a URL (as text or object), bytes,
 * or version 7's tagged `{ type, data | url | text }`. Undefined for a provider's own reference.
 */
export function fileContent(value: unknown): FileContent | undefined {
  if (typeof value === "string") return textContent(value);
  if (value instanceof URL) return textContent(value.href);
  if (value instanceof Uint8Array) return { data: base64(value) };
  if (value instanceof ArrayBuffer) return { data: base64(new Uint8Array(value)) };
  if (!isWireObject(value)) return undefined;
  switch (value["type"]) {
    case "data":
      return fileContent(value["data"]);
    case "url":
      return fileContent(value["url"]);
    case "text":
      return { data: base64(new TextEncoder().encode(String(value["text"]))) };
    default:
      return undefined;
  }
}

function textContent(value: string): FileContent {
  if (WEB_URL.test(value)) return { url: value };
  return parseDataUrl(value) ?? { data: value };
}

/** As many as every engine takes in one call. */
const MAX_ARGUMENTS = 8_192;

function base64(bytes: Uint8Array): string {
  let binary = "";
  for (let from = 0; from < bytes.length; from += MAX_ARGUMENTS) {
    binary += String.fromCharCode(...bytes.subarray(from, from + MAX_ARGUMENTS));
  }
  return btoa(binary);
}

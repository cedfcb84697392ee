import { isWireObject, type WireObject } from "../wire-value.ts";
import { fileData, modelFileData } from "./model-file.ts";
import type { ModelVersion } from "./model.ts";

/** The output of a tool result as the model's interface takes it. */
export function modelOutput(output: unknown, version: ModelVersion): unknown {
  if (!isWireObject(output)) return output;
  if (output["type"] === "execution-denied" && version === "v2") {
    const { reason } = output;
    return { type: "text", value: typeof reason === "string" ? reason : "Tool execution denied." };
  }
  if (output["type"] !== "content" || !Array.isArray(output["value"])) return output;
  const value = output["value"].map((item: unknown) =>
    isWireObject(item) ? outputItem(item, version) : item,
  );
  return { ...output, value };
}

function outputItem(item: WireObject, version: ModelVersion): WireObject {
  const { type, providerOptions } = item;
  if (type === "text" || type === "custom") return item;
  const content = fileData(item["data"] ?? item["url"]);
  if (content === undefined) return { type: "text", text: `[${String(type)}, not shown here]` };
  const isImage = String(type).startsWith("image") || isImageType(item["mediaType"]);
  const mediaType =
    item["mediaType"] ?? (isImage ? imageType(version) : "application/octet-stream");
  const options = providerOptions === undefined ? {} : { providerOptions };
  if (version === "v4") {
    return { type: "file", data: modelFileData(content, version), mediaType, ...options };
  }
  if ("url" in content) {
    const url = content.url.href;
    if (version === "v2") return { type: "text", text: `[file: ${url}]` };
    return { type: isImage ? "image-url" : "file-url", url, ...options };
  }
  const { data } = content;
  if (version === "v2") return { type: "media", data, mediaType };
  return { type: isImage ? "image-data" : "file-data", data, mediaType, ...options };
}

function isImageType(mediaType: unknown): boolean {
  return typeof mediaType === "string" && mediaType.startsWith("image");
}

/** How an image of unknown format is named. */
export function imageType(version: ModelVersion): string {
  return version === "v4" ? "image" : "image/*";
}

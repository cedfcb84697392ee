import { errorLayers, layersText, statusOf } from "./error-layers.ts";

/** The words of each server for a link of the request that it could not load. */
const UNREACHABLE: readonly (readonly [server: string, RegExp])[] = [
  ["OpenAI, codes", /invalid_image_url|failed_to_download_image|image_file_not_found/i],
  ["OpenAI, DashScope", /(?:error|timeout|timed out) while downloading/i],
  ["Google", /cannot fetch content from the provided url|fileuri is not accessible/i],
  ["Azure, fal", /provided (?:image|file|media) url is not accessible/i],
  ["Anthropic robots", /disallowed by (?:the website's )?robots\.txt/i],
  ["DashScope", /download (?:multimodal|the media) \w+ (?:timed out|failed)/i],
  ["AI SDK", /failed to download (?:https?|gs|s3):/i],
  [
    "Anthropic, DashScope, gateways",
    /(?:unable|failed|could not|cannot|can't) (?:to )?(?:download|fetch|load|access|retrieve)\b[^.\n]{0,40}\b(?:image|file|media|document|multimodal|url)\b/i,
  ],
];

/** Statuses of errors that no other request mends, or that the same one may not have the next time. */
const OTHER = new Set([401, 402, 407, 408, 429]);

/**
 * The words of a provider about a link in a request that it could not load, an image's most often: a
 * signed address that has expired. It may name the address. `undefined` for any other error.
 */
export function unreachableMedia(error: unknown): string | undefined {
  const layers = errorLayers(error);
  const statuses = layers.flatMap((layer) => statusOf(layer) ?? []);
  // The status of a download, which the AI SDK does itself, is that of another server.
  const isDownload = layers.some(({ name }) => name === "AI_DownloadError");
  if (!isDownload && statuses.some((status) => status >= 500 || OTHER.has(status)))
    return undefined;
  const text = layersText(layers);
  return UNREACHABLE.some(([, pattern]) => pattern.test(text)) ? text : undefined;
}

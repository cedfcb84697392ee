/** Media type and base64 content of a `data:` URL. */
export interface DataUrl {
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

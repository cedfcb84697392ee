import type { IncomingMessage } from "node:http";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";

/** The body as text, decompressed; `undefined` if it has more than `maxBytes` bytes. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of decoded(request)) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBytes) chunks.push(chunk as Buffer);
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}

function decoded(request: IncomingMessage): NodeJS.ReadableStream {
  switch (request.headers["content-encoding"]) {
    case "gzip":
      return request.pipe(createGunzip());
    case "deflate":
      return request.pipe(createInflate());
    case "br":
      return request.pipe(createBrotliDecompress());
    default:
      return request;
  }
}

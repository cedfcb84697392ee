import type { IncomingMessage } from "node:http";

/** The body as text; `undefined` if it has more than `maxBytes` bytes. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length;
    if (bytes <= maxBytes) chunks.push(chunk as Buffer);
  }
  return bytes > maxBytes ? undefined : Buffer.concat(chunks).toString("utf8");
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { pipeline } from "node:stream/promises";
import { endToEnd } from "./headers.ts";
import type { Route } from "./routes.ts";

/**
 * Begins an answer with the provider's status and headers, but for those in `left`; the first bytes
 * send them.
 */
export function beginLike(
  answer: IncomingMessage,
  response: ServerResponse,
  left: readonly string[] = [],
): void {
  response.sendDate = false;
  const { statusCode = 502, statusMessage = "", rawHeaders } = answer;
  response.writeHead(statusCode, statusMessage, endToEnd(rawHeaders, left));
}

/** Passes an answer on as it comes, no faster than the client reads; a cut one is cut there, too. */
export async function relay(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  beginLike(answer, response);
  response.flushHeaders();
  await pipeline(answer, response);
}

/** An error of this program itself, in the form of the API that was called. */
export interface OwnError {
  readonly status: number;
  readonly message: string;
  readonly retryAfter?: number;
}

export function answerError(
  response: ServerResponse,
  { status, message, retryAfter }: OwnError,
  provider: Route["provider"] | undefined,
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const text = `longhaul gateway: ${message}`;
  const type = status === 401 || status === 403 ? "authentication_error" : "api_error";
  const error =
    provider === "openai"
      ? { error: { message: text, type, param: null, code: null } }
      : { type: "error", error: { type, message: text } };
  answerText(response, status, JSON.stringify(error), {
    "content-type": "application/json",
    ...(retryAfter !== undefined && { "retry-after": String(retryAfter) }),
  });
}

export function answerText(
  response: ServerResponse,
  status: number,
  text: string,
  headers: Readonly<Record<string, string>>,
): void {
  const length = String(Buffer.byteLength(text));
  response.writeHead(status, { ...headers, "content-length": length });
  response.end(text);
}

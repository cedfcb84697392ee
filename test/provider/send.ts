import type { IncomingMessage, ServerResponse } from "node:http";
import type { Log } from "./log.ts";
import type { Exchange, Protocol, SseEvent, World } from "./protocol.ts";
import type { Refusal } from "./refusal.ts";
import type { LoggedRequest, Outcome } from "./types.ts";

/** One request and where its answer and its record go. */
export interface Incoming {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly log: Log;
  readonly requestId: string;
}

/** A request whose body was read. */
export interface Answerable extends Incoming {
  readonly protocol: Protocol;
  readonly body: unknown;
}

/** A legal request. */
export interface Answering extends Answerable {
  readonly exchange: Exchange;
  readonly world: World;
  /** Counts the requests that reach the script. */
  readonly nextTurn: () => number;
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  const json = JSON.stringify(body);
  response.writeHead(status, {
    "content-type": "application/json",
    "content-length": Buffer.byteLength(json),
  });
  response.end(json);
}

/** Refuses a request in the words of its protocol, and says so in the log. */
export function sendRefusal(
  to: Answerable,
  refusal: Refusal,
  more: Partial<LoggedRequest> = {},
): void {
  const { response, protocol, requestId } = to;
  response.setHeader(protocol.idHeader, requestId);
  if (refusal.retryAfter !== undefined) response.setHeader("retry-after", refusal.retryAfter);
  record(to, {
    outcome: outcomeOf(refusal),
    status: refusal.status,
    error: refusal.message,
    ...more,
  });
  sendJson(response, refusal.status, protocol.errorBody(refusal, requestId));
}

function outcomeOf({ overflow, unsupported }: Refusal): Outcome {
  if (overflow === true) return "overflow";
  return unsupported === true ? "unsupported" : "refused";
}

/** Writes a request into the log; before its last byte is sent, so that the client finds it there. */
export function record(
  { request, log, body }: Answerable,
  rest: Pick<LoggedRequest, "outcome" | "status"> & Partial<LoggedRequest>,
): void {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  log.add({
    method: request.method ?? "",
    path: pathname,
    headers: request.headers,
    body,
    ...rest,
  });
}

export function startStream(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "text/event-stream", "cache-control": "no-cache" });
}

export function frame({ event, data }: SseEvent): string {
  const name = event === undefined ? "" : `event: ${event}\n`;
  return `${name}data: ${typeof data === "string" ? data : JSON.stringify(data)}\n\n`;
}

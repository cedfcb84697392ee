import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { once } from "node:events";
import type { Usage } from "../core/message/index.ts";
import { watchedAnswer, type WireApi } from "../hooks/wire-answer.ts";
import { beginLike } from "./answer.ts";

export interface WatchedExchange {
  readonly api: WireApi;
  /** The answer to another request in place of what was refused, once. */
  readonly again: (refused: unknown) => Promise<IncomingMessage | undefined>;
  readonly learn: (usage: Usage) => void;
}

/**
 * The answer of a model, byte for byte, or another one in place of a refusal; `undefined` where it
 * cannot be read.
 */
export async function watched(
  first: IncomingMessage,
  { api, again, learn }: WatchedExchange,
): Promise<Response | undefined> {
  const opened = webResponse(first);
  if (opened === undefined) return undefined;
  return watchedAnswer(opened, {
    api,
    learn,
    async again(refused) {
      const other = await again(refused);
      return other && webResponse(other);
    },
  });
}

/** An answer as the platform has it; `undefined` for one that it has no form for, or cannot read. */
function webResponse(message: IncomingMessage): Response | undefined {
  const { statusCode: status = 0, headers } = message;
  const packing = headers["content-encoding"] ?? "identity";
  if (status < 200 || status > 599 || packing !== "identity") return undefined;
  const own = new Headers();
  for (const name of ["content-type", "content-length"] as const) {
    const value = headers[name];
    if (value !== undefined) own.set(name, value);
  }
  const isEmpty = status === 204 || status === 205 || status === 304;
  const body = isEmpty
    ? null
    : (Readable.toWeb(message) as ReadableStream<Uint8Array<ArrayBuffer>>);
  return new Response(body, { status, headers: own });
}

interface Pouring {
  /** The answer that begins, whose status and headers it gets. */
  readonly headOf: () => IncomingMessage;
  /** The longest silence for a client of a stream, in ms. */
  readonly keepAliveMs: number;
  /** The body is made here, event by event, so that its length is another. */
  readonly isMade: boolean;
}

/** Pours a body into a response. Until an answer begins, nothing goes out but a sign of life. */
export async function pour(
  body: ReadableStream<Uint8Array> | null,
  { headOf, keepAliveMs, isMade }: Pouring,
  response: ServerResponse,
): Promise<void> {
  const begin = (): void => {
    if (!response.headersSent) beginLike(headOf(), response, isMade ? ["content-length"] : []);
  };
  const waiting = setInterval(() => {
    const { headers } = headOf();
    if (headers["content-type"]?.includes("text/event-stream") !== true) return;
    begin();
    response.write(": waiting for the model\n\n");
  }, keepAliveMs);
  try {
    for await (const piece of body ?? []) {
      // Between two events of the provider's own there is no place for one of ours.
      if (isMade) waiting.refresh();
      else clearInterval(waiting);
      begin();
      if (!response.write(piece)) await drained(response);
    }
    begin();
  } finally {
    clearInterval(waiting);
  }
  response.end();
}

async function drained(response: ServerResponse): Promise<void> {
  const stop = new AbortController();
  const { signal } = stop;
  const closed = once(response, "close", { signal });
  const room = once(response, "drain", { signal });
  try {
    await Promise.race([closed, room]);
  } finally {
    closed.catch(() => undefined);
    room.catch(() => undefined);
    stop.abort();
  }
  if (response.destroyed) throw new Error("the client has gone");
}

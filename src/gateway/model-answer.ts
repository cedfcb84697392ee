import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { once } from "node:events";
import type { Usage } from "../core/message/index.ts";
import { watchedAnswer, type WireApi } from "../hooks/wire-answer.ts";
import { beginLike, relay } from "./answer.ts";

export interface WatchedExchange {
  readonly api: WireApi;
  /** Sends the request, or another in its place. */
  readonly first: IncomingMessage;
  /** The answer to another request in place of what was refused, once. */
  readonly again: (refused: unknown) => Promise<IncomingMessage | undefined>;
  readonly learn: (usage: Usage) => void;
  /** How long a client of a stream may hear nothing, in ms. */
  readonly keepAliveMs: number;
}

/**
 * Passes the answer of a model on, byte for byte, while what it reports is read. A refusal that a
 * shorter request does not have never gets to the client: until an answer begins, nothing goes out.
 */
export async function relayWatched(
  { api, first, again, learn, keepAliveMs }: WatchedExchange,
  response: ServerResponse,
): Promise<IncomingMessage> {
  let latest = first;
  const opened = webResponse(first);
  if (opened === undefined) {
    await relay(first, response);
    return first;
  }
  const answer = await watchedAnswer(opened, {
    api,
    learn,
    async again(refused) {
      const other = await again(refused);
      const made = other && webResponse(other);
      if (other === undefined || made === undefined) return undefined;
      latest = other;
      return made;
    },
  });
  await pour(answer.body, { headOf: () => latest, keepAliveMs }, response);
  return latest;
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

/** Pours a body into a response, whose head is that of the answer which begins. */
async function pour(
  body: ReadableStream<Uint8Array> | null,
  { headOf, keepAliveMs }: Pouring,
  response: ServerResponse,
): Promise<void> {
  const reader = body?.getReader();
  const begin = (): void => {
    if (!response.headersSent) beginLike(headOf(), response);
  };
  const waiting = keepAlive(keepAliveMs, () => {
    if (!isEventStream(headOf())) return;
    begin();
    response.write(": waiting for the model\n\n");
  });
  try {
    for (;;) {
      const read = await reader?.read();
      waiting.stop();
      begin();
      if (read === undefined || read.done) break;
      if (!response.write(read.value)) await drained(response);
    }
  } catch (error) {
    await reader?.cancel().catch(() => undefined);
    throw error;
  } finally {
    waiting.stop();
  }
  response.end();
}

interface Pouring {
  readonly headOf: () => IncomingMessage;
  readonly keepAliveMs: number;
}

function keepAlive(everyMs: number, tell: () => void): { readonly stop: () => void } {
  const timer = setInterval(tell, everyMs);
  return { stop: () => clearInterval(timer) };
}

function isEventStream({ headers }: IncomingMessage): boolean {
  return headers["content-type"]?.includes("text/event-stream") === true;
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

import type { IncomingMessage, ServerResponse } from "node:http";
import { answerError, relay } from "./answer.ts";
import { takeBody, type TakenBody, unpacked } from "./body.ts";
import {
  answerReady,
  converse,
  type ExchangeParts,
  type OpenedBody,
  type Underway,
} from "./converse.ts";
import { createEditing } from "./editing.ts";
import { endToEnd } from "./headers.ts";
import { routeOf } from "./routes.ts";

/** Answers requests with what a provider says. */
export interface Exchange {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
}

export function createExchange(parts: ExchangeParts): Exchange {
  const { settings, metrics } = parts;
  const editing = createEditing(parts);
  const unread = (): undefined => {
    metrics.count("failed_open");
    settings.log({ level: "warn", event: "failed", code: "unreadable-body" });
  };
  const openRequest = async (underway: Underway): Promise<OpenedBody | undefined> => {
    const bytes = await bytesOf(underway, settings.limits.maxBodyBytes).catch(unread);
    const { route, request, signal } = underway;
    const { protocol } = route;
    if (bytes === undefined || protocol === undefined) return undefined;
    const { rawHeaders: headers } = request;
    const edited = await editing.open({ route: { ...route, protocol }, headers, bytes, signal });
    return edited && { edited, bytes };
  };
  return {
    async answer(request, response) {
      const { method = "GET", url: target = "/", rawHeaders } = request;
      const route = routeOf({ method, target, headers: rawHeaders }, settings);
      if (route === undefined) {
        const message = "it sends requests to its providers only; give a path such as /v1/messages";
        return answerError(response, { status: 400, message }, undefined);
      }
      const gone = new AbortController();
      const { signal } = gone;
      // The client may hang up at any time; nobody needs the answer then.
      response.on("close", () => response.writableFinished || gone.abort());
      try {
        const { maxBodyBytes } = settings.limits;
        const most = route.protocol === undefined ? Math.min(HELD, maxBodyBytes) : maxBodyBytes;
        const body = await bodyOf(request, most);
        const underway = { request, response, route, body, signal };
        const opened = await openRequest(underway);
        if (opened !== undefined && answerReady(opened.edited, { settings, response })) return;
        await (opened === undefined ? pass(underway, parts) : converse(underway, opened, parts));
      } catch (error) {
        if (signal.aborted) return;
        metrics.count("unreachable");
        const { code = "unknown" } = error as NodeJS.ErrnoException;
        settings.log({ level: "warn", event: "failed", host: route.url.host, code });
        answerError(response, unreachable(route.url.host, code), route.provider);
      }
    },
  };
}

/** So much of a body that nobody looks into is held, so that it can be sent again; in bytes. */
const HELD = 1_000_000;

/** A request without a body has none to be framed. */
async function bodyOf(request: IncomingMessage, most: number): Promise<TakenBody | undefined> {
  const { headers } = request;
  const isEmpty =
    headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
  return isEmpty ? undefined : takeBody(request, most);
}

/** The body of a conversation, unpacked; `undefined` for what is none. Rejects for what cannot be unpacked, or is too large. */
async function bytesOf(
  { route, body, request }: Underway,
  most: number,
): Promise<Buffer | undefined> {
  if (route.protocol === undefined || body === undefined) return undefined;
  if ("stream" in body) throw new Error(`bodies above ${most} bytes are not read here`);
  return unpacked(body.bytes, request.headers["content-encoding"], most);
}

/** Byte for byte. */
async function pass(
  { request, response, route, body, signal }: Underway,
  { settings, upstreams, metrics }: ExchangeParts,
): Promise<void> {
  metrics.count("passed");
  const isWhole = body !== undefined && "bytes" in body;
  const answer = await upstreams.send({
    url: route.url,
    method: request.method ?? "GET",
    // What was read as a whole gets its length anew.
    headers: endToEnd(request.rawHeaders, isWhole ? ["content-length"] : []),
    body: body && ("bytes" in body ? body.bytes : body.stream),
    signal,
  });
  const { statusCode: status = 0 } = answer;
  const { pathname: path } = route.url;
  settings.log({ level: "info", event: "request", method: request.method, path, status });
  await relay(answer, response);
}

function unreachable(
  host: string,
  code: string,
): { readonly status: number; readonly message: string } {
  return code === "ETIMEDOUT"
    ? { status: 504, message: `${host} did not answer in time` }
    : { status: 502, message: `${host} could not be reached (${code})` };
}

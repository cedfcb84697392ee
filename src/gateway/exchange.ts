import type { IncomingMessage, ServerResponse } from "node:http";
import type { Usage } from "../core/message/index.ts";
import { recogniseOverflow } from "../core/overflow/provider-error.ts";
import { answerError, relay } from "./answer.ts";
import { takeBody, type TakenBody, unpacked } from "./body.ts";
import { createEditing, type EditedRequest, type SentBody } from "./editing.ts";
import { endToEnd, headerOf, type RawHeaders, withHeader } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import { relayWatched } from "./model-answer.ts";
import type { GatewaySettings } from "./options.ts";
import { type Route, routeOf } from "./routes.ts";
import type { Upstreams } from "./upstream.ts";

/** Answers requests with what a provider says. */
export interface Exchange {
  answer(request: IncomingMessage, response: ServerResponse): Promise<void>;
  close(): Promise<void>;
}

export interface ExchangeParts {
  readonly settings: GatewaySettings;
  readonly upstreams: Upstreams;
  readonly metrics: Metrics;
}

/** A request under way. */
interface Underway {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly body: TakenBody | undefined;
  readonly signal: AbortSignal;
}

export function createExchange(parts: ExchangeParts): Exchange {
  const { settings, metrics } = parts;
  const editing = createEditing(settings, metrics);
  const openRequest = async (underway: Underway): Promise<EditedText | undefined> => {
    const text = await textOf(underway, settings.limits.maxBodyBytes);
    const { route, request, signal } = underway;
    const { protocol } = route;
    if (text === undefined || protocol === undefined) return undefined;
    const { rawHeaders: headers } = request;
    const edited = await editing.open({ route: { ...route, protocol }, headers, text, signal });
    return edited && { edited, text };
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
        await (opened === undefined ? pass(underway, parts) : converse(underway, opened, parts));
      } catch (error) {
        if (signal.aborted) return;
        metrics.count("unreachable");
        const { code = "unknown" } = error as NodeJS.ErrnoException;
        settings.log({ level: "warn", event: "failed", host: route.url.host, code });
        answerError(response, unreachable(route.url.host, code), route.provider);
      }
    },
    close: () => editing.close(),
  };
}

/** So much of a body that nobody looks into is held, so that it can be sent again; in bytes. */
const HELD = 1_000_000;

interface EditedText {
  readonly edited: EditedRequest;
  /** The body as the client wrote it. */
  readonly text: string;
}

/** A request without a body has none to be framed. */
async function bodyOf(request: IncomingMessage, most: number): Promise<TakenBody | undefined> {
  const { headers } = request;
  const isEmpty =
    headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
  return isEmpty ? undefined : takeBody(request, most);
}

/** The text of a body that is a conversation's; `undefined` for what passes unread. */
async function textOf(
  { route, body, request }: Underway,
  most: number,
): Promise<string | undefined> {
  if (route.protocol === undefined || body === undefined || "stream" in body) return undefined;
  try {
    const bytes = await unpacked(body.bytes, request.headers["content-encoding"], most);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
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

/** A request of a conversation, as it was made to fit. */
async function converse(
  { request, response, route, body, signal }: Underway,
  { edited, text }: EditedText,
  { settings, upstreams, metrics }: ExchangeParts,
): Promise<void> {
  const { conversation, model, api, sent } = edited;
  const own = body !== undefined && "bytes" in body ? body.bytes : Buffer.from(text);
  const send = (what: SentBody): Promise<IncomingMessage> => {
    const isOwn = what.text === text || settings.audit;
    metrics.count(isOwn ? "passed" : "edited");
    const headers = conversationHeaders(request.rawHeaders, isOwn ? undefined : what);
    const made = isOwn ? own : Buffer.from(what.text);
    return upstreams.send({ url: route.url, method: "POST", headers, body: made, signal });
  };
  let usage: Usage | undefined;
  let last = sent;
  const answer = await relayWatched(
    {
      api,
      keepAliveMs: settings.limits.keepAliveMs,
      first: await send(sent),
      learn(reported) {
        usage = reported;
        edited.learn(reported);
      },
      async again(refused) {
        const other = await edited.recover(refused);
        if (other === undefined) {
          if (recogniseOverflow(refused) !== undefined) metrics.count("overflows_passed");
          return undefined;
        }
        metrics.count("recovered");
        last = other;
        return send(other);
      },
    },
    response,
  );
  if (route.isCount === true) return;
  const receipt = receiptOf(usage, { given: text.length, sent: last.text.length });
  const { statusCode: status = 0 } = answer;
  metrics.take({ conversation, model, status, ...receipt });
  settings.log({ level: "info", event: "request", conversation, model, status, ...receipt });
}

/** The headers of a request; the answer must come unpacked, because it is read. */
function conversationHeaders(raw: RawHeaders, edited: SentBody | undefined): RawHeaders {
  const left = ["content-length", ...(edited === undefined ? [] : ["content-encoding"])];
  const headers = withHeader(endToEnd(raw, left), "Accept-Encoding", "identity");
  const { beta } = edited ?? {};
  const betas = headerOf(headers, "anthropic-beta");
  if (beta === undefined || betas?.includes(beta) === true) return headers;
  return withHeader(headers, "anthropic-beta", betas === undefined ? beta : `${betas},${beta}`);
}

function receiptOf(
  usage: Usage | undefined,
  size: { readonly given: number; readonly sent: number },
): { usage?: Usage; givenBytes: number; sentBytes: number; savedTokens: number } {
  const { input = 0, cacheRead = 0, cacheWrite = 0 } = usage ?? {};
  const perByte = (input + cacheRead + cacheWrite) / Math.max(1, size.sent);
  const savedTokens = Math.max(0, Math.round((size.given - size.sent) * perByte));
  return {
    ...(usage !== undefined && { usage }),
    givenBytes: size.given,
    sentBytes: size.sent,
    savedTokens,
  };
}

function unreachable(
  host: string,
  code: string,
): { readonly status: number; readonly message: string } {
  return code === "ETIMEDOUT"
    ? { status: 504, message: `${host} did not answer in time` }
    : { status: 502, message: `${host} could not be reached (${code})` };
}

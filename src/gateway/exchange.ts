import type { IncomingMessage, ServerResponse } from "node:http";
import type { Usage } from "../core/message/index.ts";
import { recogniseOverflow } from "../core/overflow/provider-error.ts";
import { answerError, answerText, relay } from "./answer.ts";
import { takeBody, type TakenBody, unpacked } from "./body.ts";
import { createEditing, type EditedRequest, type EditingParts, type SentBody } from "./editing.ts";
import { endToEnd, headerOf, type RawHeaders, withHeader } from "./headers.ts";
import { pour, watched } from "./model-answer.ts";
import { answeredThrough } from "./recall/turn.ts";
import { type Route, routeOf } from "./routes.ts";
import type { Upstreams } from "./upstream.ts";

interface ExchangeParts extends EditingParts {
  readonly upstreams: Upstreams;
}

interface Underway {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly body: TakenBody | undefined;
  readonly signal: AbortSignal;
}

interface OpenedBody {
  readonly edited: EditedRequest;
  /** The body as the client wrote it, unpacked. */
  readonly bytes: Buffer;
}

/** Answers requests with what a provider says. */
export function createExchange(parts: ExchangeParts) {
  const { settings, metrics } = parts;
  const edit = createEditing(parts);
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
    const edited = await edit({ route: { ...route, protocol }, headers, bytes, signal });
    return edited && { edited, bytes };
  };
  return async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
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
      if (opened === undefined) return await pass(underway, parts);
      const { ready, conversation } = opened.edited;
      if (ready === undefined) return await converse(underway, opened, parts);
      settings.log({ level: "info", event: "request", conversation, status: 200 });
      answerText(response, 200, ready.body, { "content-type": ready.type });
    } catch (error) {
      if (signal.aborted) return;
      metrics.count("unreachable");
      const { code = "unknown" } = error as NodeJS.ErrnoException;
      const { host } = route.url;
      settings.log({ level: "warn", event: "failed", host, code });
      const said =
        code === "ETIMEDOUT"
          ? { status: 504, message: `${host} did not answer in time` }
          : { status: 502, message: `${host} could not be reached (${code})` };
      answerError(response, said, route.provider);
    }
  };
}

/** A body that nobody looks into is held up to this size, so that it can be sent again; in bytes. */
const HELD = 1_000_000;

/** A request without a body has none to be framed. */
async function bodyOf(request: IncomingMessage, most: number): Promise<TakenBody | undefined> {
  const { headers } = request;
  const isEmpty =
    headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
  return isEmpty ? undefined : takeBody(request, most);
}

/** The body of a conversation, unpacked; `undefined` for another. Rejects where it cannot be, or is too large. */
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
    // A body that was read as a whole gets its length anew.
    headers: endToEnd(request.rawHeaders, isWhole ? ["content-length"] : []),
    body: body && ("bytes" in body ? body.bytes : body.stream),
    signal,
  });
  const { statusCode: status = 0 } = answer;
  const { pathname: path } = route.url;
  settings.log({ level: "info", event: "request", method: request.method, path, status });
  await relay(answer, response);
}

/** One request of a conversation to its provider, and what it took. */
interface Bill {
  readonly given: number;
  sent: number;
  isEdit: boolean;
  usage?: Usage;
}

/** A request of a conversation, made to fit; several where a model looks something up. */
async function converse(
  underway: Underway,
  { edited, bytes }: OpenedBody,
  parts: ExchangeParts,
): Promise<void> {
  const { response, route } = underway;
  const { settings, metrics } = parts;
  const bills: Bill[] = [];
  const send = sender(underway, bytes, parts);
  let head = await send(edited.sent);
  const ask = async (one: EditedRequest, first: IncomingMessage): Promise<Response | undefined> => {
    // Nobody would have asked without us what is asked on the way to an answer.
    const given = bills.length === 0 ? bytes.length : 0;
    const bill: Bill = { given, sent: one.sent.bytes.length, isEdit: one.isEdit };
    bills.push(bill);
    head = first;
    return watched(first, {
      api: one.api,
      learn(reported) {
        bill.usage = reported;
        one.learn(reported);
      },
      async again(refused) {
        const other = await one.recover(refused);
        if (other === undefined) {
          if (recogniseOverflow(refused) !== undefined) metrics.count("overflows_passed");
          return undefined;
        }
        metrics.count("recovered");
        bill.sent = other.bytes.length;
        bill.isEdit = true;
        head = await send(other);
        return head;
      },
    });
  };
  const first = await ask(edited, head);
  if (first === undefined) await relay(head, response);
  else {
    const { recall } = edited;
    const goOn = async (next: EditedRequest): Promise<Response> =>
      (await ask(next, await send(next.sent))) ?? unreadable();
    const answer = recall === undefined ? first : await answeredThrough(first, recall(goOn));
    const { keepAliveMs } = settings.limits;
    const isMade = answer !== first;
    await pour(answer.body, { headOf: () => head, keepAliveMs, isMade }, response);
  }
  if (route.isCount === true) return;
  for (const bill of bills) settle(edited, bill, { ...parts, status: head.statusCode ?? 0 });
}

function settle(
  { conversation, model }: EditedRequest,
  { usage, given: givenBytes, sent: sentBytes, isEdit }: Bill,
  { settings, metrics, status }: ExchangeParts & { readonly status: number },
): void {
  const size = { usage, givenBytes, sentBytes };
  const own = { conversation, model, ...size, isEdit, isAudit: settings.audit, time: Date.now() };
  const { savedTokens, savedDollars } = metrics.take(own);
  const saved = { savedTokens, ...(savedDollars !== undefined && { savedDollars }) };
  settings.log({ level: "info", event: "request", conversation, model, status, ...size, ...saved });
}

/** An answer that came packed although that was not asked for. */
function unreadable(): Response {
  const error = { message: "longhaul gateway: the provider's answer could not be read" };
  return new Response(JSON.stringify({ error }), { status: 502 });
}

function sender(
  { request, route, body, signal }: Underway,
  bytes: Buffer,
  { settings, upstreams, metrics }: ExchangeParts,
): (what: SentBody) => Promise<IncomingMessage> {
  const own = body !== undefined && "bytes" in body ? body.bytes : bytes;
  return (what) => {
    const isOwn = what.bytes === bytes || settings.audit;
    metrics.count(isOwn ? "passed" : "edited");
    const headers = conversationHeaders(request.rawHeaders, isOwn ? undefined : what);
    const sending = isOwn ? own : what.bytes;
    return upstreams.send({ url: route.url, method: "POST", headers, body: sending, signal });
  };
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

import type { IncomingMessage, ServerResponse } from "node:http";
import type { Usage } from "../core/message/index.ts";
import { recogniseOverflow } from "../core/overflow/provider-error.ts";
import { answerText, relay } from "./answer.ts";
import type { TakenBody } from "./body.ts";
import type { EditedRequest, SentBody } from "./editing.ts";
import type { Groups } from "./groups.ts";
import { endToEnd, headerOf, type RawHeaders, withHeader } from "./headers.ts";
import { pour, watched } from "./model-answer.ts";
import type { Metrics } from "./metrics.ts";
import type { GatewaySettings } from "./options.ts";
import type { Route } from "./routes.ts";
import type { Upstreams } from "./upstream.ts";
import { answeredThrough } from "./recall/turn.ts";

export interface ExchangeParts {
  readonly settings: GatewaySettings;
  readonly upstreams: Upstreams;
  readonly metrics: Metrics;
  readonly groups: Groups;
}

/** A request under way. */
export interface Underway {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly route: Route;
  readonly body: TakenBody | undefined;
  readonly signal: AbortSignal;
}

/** A request that was looked into. */
export interface OpenedBody {
  readonly edited: EditedRequest;
  /** The body as the client wrote it, unpacked. */
  readonly bytes: Buffer;
}

/** One request of a conversation to its provider, and what it took. */
interface Bill {
  readonly given: number;
  sent: number;
  isEdit: boolean;
  usage?: Usage;
}

/** What needs no provider. */
export function answerReady({ ready, conversation }: EditedRequest, to: Answering): boolean {
  if (ready === undefined) return false;
  const { type, body } = ready;
  to.settings.log({ level: "info", event: "request", conversation, status: 200 });
  answerText(to.response, 200, body, { "content-type": type });
  return true;
}

interface Answering {
  readonly settings: GatewaySettings;
  readonly response: ServerResponse;
}

/** A request of a conversation, as it was made to fit; more than one where a model looks something up. */
export async function converse(
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
    const { length: sent } = one.sent.bytes;
    const bill: Bill = {
      // What is asked on the way to an answer nobody would have asked without us.
      given: bills.length === 0 ? bytes.length : 0,
      sent,
      isEdit: one.isEdit,
    };
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

/** The receipt of one request. */
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

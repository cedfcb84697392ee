import type { IncomingMessage, ServerResponse } from "node:http";
import { timingSafeEqual } from "node:crypto";
import type { Archive } from "../archive/archive.ts";
import { sha256Hex } from "../archive/digest.ts";
import { answerError, answerText } from "./answer.ts";
import { takeBody } from "./body.ts";
import type { Groups } from "./groups.ts";
import { headerOf, type RawHeaders } from "./headers.ts";
import { isAnonymous, visibleTo } from "./identity.ts";
import type { Metrics } from "./metrics.ts";
import type { GatewaySettings } from "./options.ts";

export interface OwnParts {
  readonly settings: GatewaySettings;
  readonly metrics: Metrics;
  readonly groups: Groups;
  /** The archive of all conversations whose names begin so. */
  readonly everyOf: (prefix: string) => Archive;
}

export interface OwnRequest {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly url: URL;
}

type Answer = (asked: OwnRequest, parts: OwnParts) => Promise<void> | void;

/** Its addresses by method, and how their path begins. */
const ROUTES: readonly (readonly [method: RegExp, path: RegExp, answer: Answer])[] = [
  [/^GET$/, /^\/metrics$/, answerMetrics],
  [/^GET$/, /^\/receipts$/, answerReceipts],
  [/./, /^\/mcp$/, answerMcp],
  [/^POST$/, /^\/v1\/compress$/, answerCompress],
  [/^GET$/, /^\/v1\/retrieve\/[^/]+$/, answerRetrieve],
];

/** The answer to a request of the gateway's own; `undefined` for one that goes to a provider. */
export function ownAnswer(request: IncomingMessage) {
  const { method = "GET", url: target = "/" } = request;
  const url = URL.canParse(target, HERE) ? new URL(target, HERE) : undefined;
  if (url === undefined || !target.startsWith("/")) return undefined;
  const found = ROUTES.find(([methods, path]) => methods.test(method) && path.test(url.pathname));
  if (found === undefined) return undefined;
  const [, , answer] = found;
  return {
    /** A view tells about requests, and is not counted as one. */
    isView: answer === answerMetrics || answer === answerReceipts,
    answer: async (response: ServerResponse, parts: OwnParts): Promise<void> =>
      answer({ request, response, url }, parts),
  };
}

const HERE = "http://gateway";

/** Clients of the gateway's own tools can send the token as a bearer only. */
export function isAllowed(
  headers: RawHeaders,
  token: string | undefined,
  { isOwn }: { readonly isOwn: boolean },
): boolean {
  if (token === undefined || isSame(headerOf(headers, "x-longhaul-token"), token)) return true;
  return isOwn && isSame(headerOf(headers, "authorization"), `Bearer ${token}`);
}

/** Compared in the same time wherever they differ. */
function isSame(given: string | undefined, wanted: string): boolean {
  const [one, other] = [given ?? "", wanted].map((text) => Buffer.from(sha256Hex(text)));
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

function answerMetrics({ response }: OwnRequest, { metrics }: OwnParts): void {
  answerText(response, 200, metrics.text(), { "content-type": "text/plain; version=0.0.4" });
}

function answerReceipts({ response }: OwnRequest, { metrics }: OwnParts): void {
  answerJson(response, metrics.receipts());
}

export function answerJson(response: ServerResponse, value: object): void {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  answerText(response, 200, text, { "content-type": "application/json" });
}

/** Tools over MCP, for the conversations of who asks. */
async function answerMcp({ request, response, url }: OwnRequest, parts: OwnParts): Promise<void> {
  const { rawHeaders: headers } = request;
  const { settings, metrics, everyOf } = parts;
  const prefix = visibleTo(headers, url);
  const isNamed = prefix.split("-").length > 3;
  if (isAnonymous(headers, url) && !isNamed) {
    const message =
      "it shows conversations to who has them: send the credential that they are held with, or the header x-longhaul-conversation";
    return answerError(response, { status: 401, message }, "openai");
  }
  const body = await bodyText(request, settings.limits.maxBodyBytes);
  const { serveMcp } = await import("./mcp.ts");
  const answer = await serveMcp(
    { method: request.method ?? "POST", url, headers, body },
    {
      archive: everyOf(prefix),
      prefix,
      version: settings.version,
      receipts: () => metrics.receipts().conversations,
    },
  );
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  for await (const piece of answer.body ?? []) response.write(piece);
  response.end();
}

/** All of a body that is read here; larger ones are refused. */
async function bodyText(request: IncomingMessage, most: number): Promise<string> {
  const taken = await takeBody(request, most);
  if ("stream" in taken) throw new RangeError(`the body is larger than ${most} bytes`);
  return taken.bytes.toString();
}

async function answerCompress(
  { request, response, url }: OwnRequest,
  { settings, groups }: OwnParts,
): Promise<void> {
  const { compressed } = await import("./sidecar.ts");
  const text = await bodyText(request, settings.limits.maxBodyBytes);
  const asked = { headers: request.rawHeaders, url, text };
  const answer = await compressed(asked, groups);
  if (answer !== undefined) return answerJson(response, answer);
  const message = "give { messages: […], model } with messages of Chat Completions or Anthropic";
  answerError(response, { status: 400, message }, "openai");
}

async function answerRetrieve(
  { request, response, url }: OwnRequest,
  { everyOf }: OwnParts,
): Promise<void> {
  const { retrieved } = await import("./sidecar.ts");
  const { rawHeaders: headers } = request;
  const hash = url.pathname.slice(url.pathname.lastIndexOf("/") + 1);
  const query = url.searchParams.get("query") ?? undefined;
  const asked = { hash, query, prefix: visibleTo(headers, new URL(url.pathname, HERE)) };
  const answer = await retrieved(asked, everyOf);
  if (answer !== undefined) return answerJson(response, answer);
  const message = "nothing is kept under this hash; do not ask for it again";
  answerError(response, { status: 404, message }, "openai");
}

import { anthropic } from "./anthropic/protocol.ts";
import { answerExchange } from "./answer.ts";
import { readBody } from "./body.ts";
import { chat } from "./chat/protocol.ts";
import { parsed } from "./json.ts";
import { isRefusal, type Protocol, type World } from "./protocol.ts";
import type { Refusal } from "./refusal.ts";
import { responses } from "./responses/protocol.ts";
import { type Incoming, sendJson, sendRefusal } from "./send.ts";

const DEFAULT_MAX_BYTES = 32 * 1_024 * 1_024;

const ROUTES: Readonly<Record<string, Protocol>> = {
  "/v1/messages": anthropic,
  "/v1/chat/completions": chat,
  "/v1/responses": responses,
};

/** Reads a request, checks it in the order of the real servers, and answers it. */
export async function handleRequest(
  incoming: Incoming,
  world: World,
  nextTurn: () => number,
): Promise<void> {
  const { request } = incoming;
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const protocol = ROUTES[path];
  if (request.method !== "POST" || protocol === undefined) return answerOther(incoming, path);
  const raw = await readBody(request, world.options.maxBytes ?? DEFAULT_MAX_BYTES);
  const body = parsed(raw ?? "");
  const to = { ...incoming, protocol, body };
  const refusal = raw === undefined ? protocol.tooLarge() : refuseUnread(to, world);
  if (refusal !== undefined) return sendRefusal(to, refusal);
  const exchange = protocol.receive({ body, headers: request.headers }, world);
  if (isRefusal(exchange)) return sendRefusal(to, exchange);
  const gone = world.options.goneLinks?.find((link) => raw?.includes(link));
  if (gone !== undefined) return sendRefusal(to, protocol.goneLink(gone));
  await answerExchange({ ...to, exchange, world, nextTurn });
}

/** Wrong whatever is asked for: the key, or JSON that is none. */
function refuseUnread(
  { request, protocol, body }: Incoming & { readonly protocol: Protocol; readonly body: unknown },
  { options }: World,
): Refusal | undefined {
  const refusal = protocol.authenticate(request.headers, options.apiKey);
  return refusal ?? (typeof body === "string" ? protocol.badJson() : undefined);
}

/** Clients try a WebSocket here first, and go on with HTTP after this status. */
const UPGRADE_REQUIRED = 426;

/** Probes of clients, and everything that is not there. */
function answerOther({ request, response, log }: Incoming, path: string): void {
  const { method = "" } = request;
  const isProbe = method === "HEAD" || (method === "GET" && path === "/v1/responses");
  const error = `Unknown request URL: ${method} ${path}`;
  const status = method === "HEAD" ? 200 : isProbe ? UPGRADE_REQUIRED : 404;
  const { headers } = request;
  const entry = { method, path, headers, body: undefined, status };
  log.add(isProbe ? { ...entry, outcome: "answered" } : { ...entry, outcome: "refused", error });
  sendJson(response, status, { type: "error", error: { type: "not_found_error", message: error } });
}

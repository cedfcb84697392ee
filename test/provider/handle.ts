import { anthropic } from "./anthropic/protocol.ts";
import { answerExchange } from "./answer.ts";
import { readBody } from "./body.ts";
import { chat } from "./chat/protocol.ts";
import { parsed } from "./json.ts";
import { isRefusal, type Protocol, type World } from "./protocol.ts";
import type { Refusal } from "./refusal.ts";
import { responses } from "./responses/protocol.ts";
import { type Incoming, record, sendJson, sendRefusal } from "./send.ts";

const DEFAULT_MAX_BYTES = 32 * 1_024 * 1_024;

interface Route {
  readonly protocol: Protocol;
  /** Only the tokens are asked for. */
  readonly counts?: true;
}

const ROUTES: Readonly<Record<string, Route>> = {
  "/v1/messages": { protocol: anthropic },
  "/v1/messages/count_tokens": { protocol: anthropic, counts: true },
  "/v1/chat/completions": { protocol: chat },
  "/v1/responses": { protocol: responses },
  "/v1/responses/input_tokens": { protocol: responses, counts: true },
};

/** Reads a request, checks it in the order of the real servers, and answers it. */
export async function handleRequest(
  incoming: Incoming,
  world: World,
  nextTurn: () => number,
): Promise<void> {
  const { request } = incoming;
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const route = ROUTES[path];
  if (request.method !== "POST" || route === undefined) return answerOther(incoming, path, world);
  const { protocol } = route;
  const raw = await readBody(request, world.options.maxBytes ?? DEFAULT_MAX_BYTES);
  const body = parsed(raw ?? "");
  const to = { ...incoming, protocol, body };
  const refusal = raw === undefined ? protocol.tooLarge() : refuseUnread(to, world);
  if (refusal !== undefined) return sendRefusal(to, refusal);
  const received = { body, headers: request.headers };
  if (route.counts === true) {
    const count = protocol.count?.(received, world) ?? {};
    if (isRefusal(count)) return sendRefusal(to, count);
    record(to, { outcome: "answered", status: 200 });
    return sendJson(incoming.response, 200, count);
  }
  const exchange = protocol.receive(received, world);
  if (isRefusal(exchange)) return sendRefusal(to, exchange);
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

const MODEL_PATH = /^\/v1\/models\/(.+)$/;
/** Clients try a WebSocket here first, and go on with HTTP after this status. */
const UPGRADE_REQUIRED = 426;

/** Probes of clients, and everything that is not there. */
function answerOther({ request, response, log }: Incoming, path: string, world: World): void {
  const { method = "" } = request;
  const [status, body] = otherAnswer(method, path, world);
  log.add({
    method,
    path,
    headers: request.headers,
    body: undefined,
    outcome: status === 404 ? "refused" : "answered",
    status,
    ...(status === 404 && { error: `Unknown request URL: ${method} ${path}` }),
  });
  sendJson(response, status, body);
}

function otherAnswer(method: string, path: string, world: World): [status: number, body: object] {
  const model = MODEL_PATH.exec(path)?.[1];
  if (method === "HEAD") return [200, {}];
  if (method === "GET" && path === "/v1/responses") {
    return [
      UPGRADE_REQUIRED,
      { error: { message: "Upgrade Required", type: "invalid_request_error" } },
    ];
  }
  if (method === "GET" && path === "/v1/models")
    return [200, { object: "list", data: [], has_more: false }];
  if (method === "GET" && model !== undefined) {
    const limit = world.window(model);
    return [
      200,
      { id: model, type: "model", object: "model", display_name: model, max_input_tokens: limit },
    ];
  }
  const message = `Unknown request URL: ${method} ${path}`;
  return [404, { type: "error", error: { type: "not_found_error", message } }];
}

import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { anthropic, countTokens } from "./anthropic/protocol.ts";
import { answerExchange } from "./answer.ts";
import { readBody } from "./body.ts";
import { createPromptCache } from "./cache.ts";
import { chat } from "./chat/protocol.ts";
import { parsed } from "./json.ts";
import { createLog } from "./log.ts";
import { isRefusal, type Protocol, type World } from "./protocol.ts";
import { responses } from "./responses/protocol.ts";
import { createResponseStore } from "./responses/store.ts";
import { type Incoming, record, sendJson, sendRefusal } from "./send.ts";
import { createCounter } from "./tokens.ts";
import type { Upstream, UpstreamOptions } from "./types.ts";

const DEFAULT_WINDOW = 200_000;
const DEFAULT_MAX_BYTES = 32 * 1_024 * 1_024;
/** What follows the prefix of an id, as a number with leading zeros. */
const ID_DIGITS = 24;

/**
 * Starts a server on a free port of the loopback interface that answers as `script` says and
 * refuses what the real servers refuse. `close` ends open connections.
 */
export async function startUpstream(options: UpstreamOptions): Promise<Upstream> {
  const world = createWorld(options);
  const log = createLog();
  let turn = 0;
  const server = createServer((request, response) => {
    const exchange = { request, response, log, requestId: world.newId("req_") };
    handle(exchange, world, () => turn++).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: log.requests,
    get totals() {
      return log.totals();
    },
    get rejected() {
      return log.refusals().length;
    },
    get refusals() {
      return log.refusals();
    },
    forgetCache: () => world.cache.forget(),
    close: () => closeServer(server),
  };
}

function createWorld(options: UpstreamOptions): World {
  const ids = new Map<string, number>();
  const { window = DEFAULT_WINDOW } = options;
  return {
    options,
    counter: createCounter(),
    cache: createPromptCache(),
    responses: createResponseStore(),
    secret: "a secret of this server",
    newId(prefix) {
      const count = (ids.get(prefix) ?? 0) + 1;
      ids.set(prefix, count);
      return prefix + String(count).padStart(ID_DIGITS, "0");
    },
    window: (model) => (typeof window === "number" ? window : window(model)),
  };
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve, reject) => {
    server.close((error) => (error === undefined ? resolve() : reject(error)));
    server.closeAllConnections();
  });
}

async function handle(incoming: Incoming, world: World, nextTurn: () => number): Promise<void> {
  const { request, response } = incoming;
  const path = new URL(request.url ?? "/", "http://localhost").pathname;
  const protocol = protocolOf(path);
  if (request.method !== "POST" || protocol === undefined) return answerOther(incoming, path);
  const maxBytes = world.options.maxBytes ?? DEFAULT_MAX_BYTES;
  const raw = await readBody(request, maxBytes);
  const refuse = (refusal: Parameters<typeof sendRefusal>[1], body: unknown): void =>
    sendRefusal({ ...incoming, protocol, body }, refusal);
  if (raw === undefined) return refuse(protocol.tooLarge(), "");
  const unknown = protocol.authenticate(request.headers, world.options.apiKey);
  const body = parsed(raw);
  if (unknown !== undefined) return refuse(unknown, body);
  if (typeof body === "string") return refuse(protocol.badJson(), body);
  const received = { body, headers: request.headers };
  if (path === COUNT_PATH) {
    const count = countTokens(received, world);
    if (isRefusal(count)) return refuse(count, body);
    record({ ...incoming, protocol, body }, { outcome: "answered", status: 200 });
    return sendJson(response, 200, count);
  }
  const exchange = protocol.receive(received, world);
  if (isRefusal(exchange)) return refuse(exchange, body);
  await answerExchange({ ...incoming, protocol, body, exchange, world, nextTurn });
}

const COUNT_PATH = "/v1/messages/count_tokens";

function protocolOf(path: string): Protocol | undefined {
  const protocols: Readonly<Record<string, Protocol>> = {
    "/v1/messages": anthropic,
    [COUNT_PATH]: anthropic,
    "/v1/chat/completions": chat,
    "/v1/responses": responses,
  };
  return protocols[path];
}

/** Probes of clients, and everything that is not there. */
function answerOther({ request, response, log }: Incoming, path: string): void {
  const known = request.method === "HEAD" || path === "/v1/models";
  const status = known ? 200 : 404;
  const message = `Unknown request URL: ${request.method} ${path}`;
  const body = known
    ? { object: "list", data: [], has_more: false, first_id: null, last_id: null }
    : { type: "error", error: { type: "not_found_error", message } };
  log.add({
    method: request.method ?? "",
    path,
    headers: request.headers,
    body: undefined,
    outcome: known ? "answered" : "refused",
    status,
    ...(!known && { error: message }),
  });
  sendJson(response, status, body);
}

import * as http from "node:http";
import type { AddressInfo } from "node:net";
import type { Archive } from "../archive/archive.ts";
import { everyConversation, everyIn } from "../archive/every-conversation.ts";
import { memoryArchive } from "../archive/memory.ts";
import { isFolder, openArchive } from "../archive/open.ts";
import type { OnLease } from "../archive/lease.ts";
import { ContextError } from "../core/error.ts";
import { answerError } from "./answer.ts";
import { createExchange } from "./exchange.ts";
import { createGroups } from "./groups.ts";
import { countLease, createMetrics, type Metrics } from "./metrics.ts";
import {
  type GatewayOptions,
  type GatewaySettings,
  gatewaySettings,
  isLoopback,
} from "./options.ts";
import { answerJson, isAllowed, ownAnswer, type OwnParts } from "./own.ts";
import { createUpstreams } from "./upstream.ts";

export interface Gateway {
  /** Its address for Anthropic clients; OpenAI clients take it with `/v1` behind it. */
  readonly url: string;
  readonly metrics: Metrics;
  /** Takes no more requests, and waits until those under way are answered, at most `graceMs`. */
  close(): Promise<void>;
  /** Ends what is still under way. */
  abort(): void;
}

/** Rejects with `invalid-options` for settings that make no sense, and where it cannot listen. */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const settings = gatewaySettings(options);
  const { host, port, limits, log } = settings;
  const upstreams = createUpstreams(limits.idleMs);
  const metrics = createMetrics(settings.priceOf);
  const store = await openStore(settings, (event) => countLease(metrics, event));
  const groups = createGroups(settings, metrics, store.archive);
  const exchange = createExchange({ settings, upstreams, metrics, groups });
  const parts = { settings, metrics, groups, exchange, everyOf: store.everyOf };
  const server = http.createServer(
    { maxHeaderSize: limits.maxHeaderBytes, requestTimeout: limits.idleMs },
    (request, response) => {
      serve(request, response, parts).catch(() => response.destroy());
    },
  );
  server.on("upgrade", (_, socket) => refuseSocket(socket, "426 Upgrade Required"));
  server.on("connect", (_, socket) => refuseSocket(socket, "405 Method Not Allowed"));
  server.on("clientError", (error: NodeJS.ErrnoException, socket) => {
    refuseSocket(socket, error.code === "HPE_HEADER_OVERFLOW" ? TOO_MUCH : "400 Bad Request");
  });
  await listen(server, host, port);
  const { port: own } = server.address() as AddressInfo;
  const abort = (): void => {
    server.closeAllConnections();
    upstreams.close();
  };
  return {
    url: `http://${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${own}`,
    metrics,
    abort,
    async close() {
      log({ level: "info", event: "stopping", streams: metrics.active() });
      const ended = new Promise((resolve) => server.close(resolve));
      server.closeIdleConnections();
      const timer = setTimeout(abort, limits.graceMs);
      await ended;
      clearTimeout(timer);
      groups.close();
      await store.close();
      upstreams.close();
    },
  };
}

interface Store extends Pick<OwnParts, "everyOf"> {
  readonly archive: Archive;
  readonly close: () => Promise<void>;
}

async function openStore(
  { archive: address, retention, audit }: GatewaySettings,
  onLease: OnLease,
): Promise<Store> {
  const everyOf = (prefix: string): Archive => everyConversation(address, prefix);
  if (audit) return { archive: memoryArchive(), everyOf, close: async () => undefined };
  const archive = await openArchive(address, ".", { retention, onLease });
  const shared = (prefix: string): Archive => everyIn(archive, prefix);
  const close = (): Promise<void> => archive.close();
  return { archive, everyOf: isFolder(address) ? everyOf : shared, close };
}

const TOO_MUCH = "431 Request Header Fields Too Large";

function refuseSocket(socket: NodeJS.WritableStream, status: string): void {
  const text = `longhaul gateway: ${status}`;
  const head = `HTTP/1.1 ${status}\r\nconnection: close\r\ncontent-type: text/plain\r\ncontent-length: ${text.length}\r\n\r\n`;
  socket.on("error", () => undefined);
  socket.end(head + text);
}

function listen(server: http.Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const isTaken = error.code === "EADDRINUSE";
      const why = isTaken ? "something listens there already" : error.message;
      const message = `The gateway cannot listen on ${host}:${port}: ${why}. Give another --port, or 0 for any.`;
      const details = { host, port };
      reject(new ContextError("invalid-options", message, { details, cause: error }));
    });
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => resolve());
  });
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  parts: OwnParts & { readonly exchange: ReturnType<typeof createExchange> },
): Promise<void> {
  const { settings, metrics, exchange } = parts;
  const { url: target = "/", method, rawHeaders } = request;
  response.on("error", () => undefined);
  if (!isOwnHost(request, settings)) {
    const message = "this address is not its own";
    return answerError(response, { status: 403, message }, undefined);
  }
  if (settings.watch?.answer(request, response) === true) return;
  if (target === "/healthz" && method === "GET") {
    return answerJson(response, { status: "ok", name: "longhaul", active: metrics.active() });
  }
  const own = ownAnswer(request);
  if (!isAllowed(rawHeaders, settings.token, { isOwn: own !== undefined })) {
    const message = "the header x-longhaul-token is missing, or is not the token of this gateway";
    return answerError(response, { status: 401, message }, undefined);
  }
  if (own?.isView === true) return own.answer(response, parts);
  if (metrics.active() >= settings.limits.maxStreams) {
    const message = `${settings.limits.maxStreams} requests are being answered already`;
    return answerError(response, { status: 503, message, retryAfter: 5 }, undefined);
  }
  const end = metrics.begin();
  try {
    if (own === undefined) await exchange(request, response);
    else await own.answer(response, parts);
  } catch (error) {
    if (own === undefined) throw error;
    const { message } = error as Error;
    answerError(response, { status: error instanceof RangeError ? 413 : 500, message }, "openai");
  } finally {
    end();
  }
}

/** A page in a browser may call this address by a name of its own; its host then says so. */
function isOwnHost({ headers }: http.IncomingMessage, { host }: GatewaySettings): boolean {
  if (!isLoopback(host) || headers.host === undefined) return true;
  const name = headers.host.replace(/:\d+$/, "");
  return isLoopback(name);
}

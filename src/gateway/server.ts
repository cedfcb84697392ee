import * as http from "node:http";
import type { AddressInfo } from "node:net";
import { timingSafeEqual } from "node:crypto";
import { sha256Hex } from "../archive/digest.ts";
import { ContextError } from "../core/error.ts";
import { answerError, answerText } from "./answer.ts";
import { createExchange, type Exchange } from "./exchange.ts";
import { headerOf } from "./headers.ts";
import { createMetrics, type Metrics } from "./metrics.ts";
import {
  type GatewayOptions,
  type GatewaySettings,
  gatewaySettings,
  isLoopback,
} from "./options.ts";
import { createUpstreams } from "./upstream.ts";

/** A gateway that listens. */
export interface Gateway {
  /** Its address for Anthropic clients; OpenAI clients take it with `/v1` behind it. */
  readonly url: string;
  readonly metrics: Metrics;
  /** Takes no more requests, and waits until those under way are answered, at most `graceMs`. */
  close(): Promise<void>;
  /** Ends what is still under way. */
  abort(): void;
}

/**
 * Starts a gateway. Rejects with `invalid-options` for settings that make no sense, and where it
 * cannot listen.
 */
export async function startGateway(options: GatewayOptions = {}): Promise<Gateway> {
  const settings = gatewaySettings(options);
  const { host, port, limits, log } = settings;
  const upstreams = createUpstreams(limits.idleMs);
  const metrics = createMetrics();
  const exchange = createExchange({ settings, upstreams, metrics });
  const server = http.createServer(
    { maxHeaderSize: limits.maxHeaderBytes, requestTimeout: limits.idleMs },
    (request, response) => {
      const served = serve(request, response, { settings, metrics, exchange });
      served.catch(() => response.destroy());
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
      await exchange.close();
      upstreams.close();
    },
  };
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
      reject(
        new ContextError("invalid-options", message, { details: { host, port }, cause: error }),
      );
    });
    server.listen(port, host.replace(/^\[|\]$/g, ""), () => resolve());
  });
}

interface Serving {
  readonly settings: GatewaySettings;
  readonly metrics: Metrics;
  readonly exchange: Exchange;
}

async function serve(
  request: http.IncomingMessage,
  response: http.ServerResponse,
  { settings, metrics, exchange }: Serving,
): Promise<void> {
  const { url: target = "/", method, rawHeaders } = request;
  response.on("error", () => undefined);
  if (!isOwnHost(request, settings)) {
    return answerError(
      response,
      { status: 403, message: "this address is not its own" },
      undefined,
    );
  }
  if (target === "/healthz" && method === "GET") return answerJson(response, health(metrics));
  if (!isAllowed(headerOf(rawHeaders, "x-longhaul-token"), settings.token)) {
    const message = "the header x-longhaul-token is missing, or is not the token of this gateway";
    return answerError(response, { status: 401, message }, undefined);
  }
  if (target === "/metrics" && method === "GET") {
    return answerText(response, 200, metrics.text(), {
      "content-type": "text/plain; version=0.0.4",
    });
  }
  if (target === "/receipts" && method === "GET") return answerJson(response, metrics.receipts());
  if (metrics.active() >= settings.limits.maxStreams) {
    const message = `${settings.limits.maxStreams} requests are being answered already`;
    return answerError(response, { status: 503, message, retryAfter: 5 }, undefined);
  }
  const end = metrics.begin();
  try {
    await exchange.answer(request, response);
  } finally {
    end();
  }
}

function health(metrics: Metrics): object {
  return { status: "ok", name: "longhaul", active: metrics.active() };
}

function answerJson(response: http.ServerResponse, value: object): void {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  answerText(response, 200, text, { "content-type": "application/json" });
}

/** A page in a browser may call this address by a name of its own; its host then says so. */
function isOwnHost({ headers }: http.IncomingMessage, { host }: GatewaySettings): boolean {
  if (!isLoopback(host) || headers.host === undefined) return true;
  const name = headers.host.replace(/:\d+$/, "");
  return isLoopback(name);
}

/** Compared in the same time wherever they differ. */
function isAllowed(given: string | undefined, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [one, other] = [given ?? "", token].map((text) => Buffer.from(sha256Hex(text)));
  return one !== undefined && other !== undefined && timingSafeEqual(one, other);
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { answerError, relay } from "./answer.ts";
import { takeBody, type TakenBody } from "./body.ts";
import { endToEnd } from "./headers.ts";
import type { Metrics } from "./metrics.ts";
import type { GatewaySettings } from "./options.ts";
import { type Route, routeOf } from "./routes.ts";
import type { Outgoing, Upstreams } from "./upstream.ts";

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

export function createExchange({ settings, upstreams, metrics }: ExchangeParts): Exchange {
  const { limits, log } = settings;
  return {
    async answer(request, response) {
      const { method = "GET", url: target = "/", rawHeaders } = request;
      const route = routeOf({ method, target, headers: rawHeaders }, settings);
      if (route === undefined) {
        const message = "it sends requests to its providers only; give a path such as /v1/messages";
        return answerError(response, { status: 400, message }, undefined);
      }
      const gone = new AbortController();
      // The client may hang up at any time; nobody needs the answer then.
      response.on("close", () => response.writableFinished || gone.abort());
      try {
        const body = await bodyOf(request, limits.maxBodyBytes);
        const outgoing = outgoingOf(request, route, { body, signal: gone.signal });
        metrics.count("passed");
        await relay(await upstreams.send(outgoing), response);
      } catch (error) {
        if (gone.signal.aborted) return;
        metrics.count("unreachable");
        const { code = "unknown" } = error as NodeJS.ErrnoException;
        log({ level: "warn", event: "failed", host: route.url.host, code });
        answerError(response, unreachable(route.url.host, code), route.provider);
      }
    },
    close: () => Promise.resolve(),
  };
}

/** A request without a body has none to be framed. */
async function bodyOf(request: IncomingMessage, most: number): Promise<TakenBody | undefined> {
  const { headers } = request;
  const isEmpty =
    headers["content-length"] === undefined && headers["transfer-encoding"] === undefined;
  return isEmpty ? undefined : takeBody(request, most);
}

function outgoingOf(
  { method = "GET", rawHeaders }: IncomingMessage,
  { url }: Route,
  { body, signal }: { readonly body: TakenBody | undefined; readonly signal: AbortSignal },
): Outgoing {
  const isWhole = body !== undefined && "bytes" in body;
  return {
    url,
    method,
    // What was read as a whole gets its length anew.
    headers: endToEnd(rawHeaders, isWhole ? ["content-length"] : []),
    body: body && ("bytes" in body ? body.bytes : body.stream),
    signal,
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

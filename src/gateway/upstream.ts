import * as http from "node:http";
import * as https from "node:https";
import type { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { RawHeaders } from "./headers.ts";

export interface Outgoing {
  readonly url: URL;
  readonly method: string;
  /** Those that go on, without `host` and what frames the body. */
  readonly headers: RawHeaders;
  /** All of it, or as it comes; absent for a request without one. */
  readonly body: Uint8Array | Readable | undefined;
  readonly signal: AbortSignal;
}

export type Upstreams = ReturnType<typeof createUpstreams>;

/** Connections to providers, kept open between requests. */
export function createUpstreams(idleMs: number) {
  const plain = new http.Agent({ keepAlive: true });
  const secure = new https.Agent({ keepAlive: true });
  const send = (request: Outgoing, isAgain = false): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const { url, method, headers, body, signal } = request;
      const isSecure = url.protocol === "https:";
      const made = (isSecure ? https : http).request(url, {
        agent: isSecure ? secure : plain,
        method,
        headers: ["Host", url.host, ...headers, ...framing(body, headers)],
        signal,
      });
      made.setTimeout(idleMs, () => made.destroy(timedOut(idleMs)));
      made.once("response", resolve);
      // An error may come behind the first, and then nobody else would hear it.
      made.on("error", () => undefined);
      made.once("error", (error: NodeJS.ErrnoException) => {
        // A kept connection that the provider closed in the same moment; nothing was answered.
        const isStale = made.reusedSocket && /^(?:ECONNRESET|EPIPE)$/.test(error.code ?? "");
        if (isStale && !isAgain && !isStream(body)) resolve(send(request, true));
        else reject(error);
      });
      if (isStream(body)) pipeline(body, made).catch(() => undefined);
      else made.end(body);
    });
  return {
    /** Sends a request; resolves with the head of the answer, whose body is still to be read. */
    send: (request: Outgoing) => send(request),
    close(): void {
      plain.destroy();
      secure.destroy();
    },
  };
}

function isStream(body: Outgoing["body"]): body is Readable {
  return body !== undefined && !(body instanceof Uint8Array);
}

/** A body ends by its length, where that is known and not said yet. */
function framing(body: Outgoing["body"], headers: RawHeaders): string[] {
  if (body === undefined) return [];
  if (!isStream(body)) return ["Content-Length", String(body.byteLength)];
  const isSaid = headers.some((name, at) => at % 2 === 0 && /^content-length$/i.test(name));
  return isSaid ? [] : ["Transfer-Encoding", "chunked"];
}

function timedOut(idleMs: number): Error {
  return Object.assign(new Error(`it said nothing for ${Math.round(idleMs / 1_000)} s`), {
    code: "ETIMEDOUT",
  });
}

/** One request that a {@link scriptedFetch} got. */
export interface SentRequest {
  readonly url: string;
  readonly init: RequestInit;
  readonly headers: Headers;
  readonly body: Record<string, unknown>;
}

export interface ScriptedFetch {
  readonly fetch: typeof globalThis.fetch;
  readonly sent: SentRequest[];
}

/** A fetch that answers the same each time, for what a strict server never says. */
export function scriptedFetch(answer: () => Response | Promise<Response>): ScriptedFetch {
  const sent: SentRequest[] = [];
  return {
    sent,
    fetch: async (url, init = {}) => {
      const body = JSON.parse(init.body as string) as Record<string, unknown>;
      sent.push({ url: url as string, init, headers: new Headers(init.headers), body });
      return answer();
    },
  };
}

export function json(body: unknown, init: ResponseInit = {}): Response {
  return new Response(JSON.stringify(body), {
    ...init,
    headers: { "content-type": "application/json", ...init.headers },
  });
}

/** Events as a stream, in pieces that split lines, fields and code points. */
export function eventStream(events: readonly unknown[], size = 7, newline = "\n"): Response {
  const text = events.map((event) => {
    const data = typeof event === "string" ? event : JSON.stringify(event);
    return `: a comment${newline}data: ${data}${newline}${newline}`;
  });
  const bytes = new TextEncoder().encode(text.join(""));
  const stream = new ReadableStream<Uint8Array>({
    start(controller) {
      for (let at = 0; at < bytes.length; at += size) {
        controller.enqueue(bytes.slice(at, at + size));
      }
      controller.close();
    },
  });
  return new Response(stream, { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}

import { isWireObject, parseInput } from "../../dialects/wire.ts";
import { watchedAnswer } from "../wire-answer.ts";
import type { PreparedEndpoint } from "./endpoint.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * The key under which a client hands over the very parameters of a request, so that unchanged
 * messages are seen to be the same objects.
 */
export const PARAMS = Symbol("longhaul.params");

/**
 * A `fetch` that prepares the requests of these APIs, learns from what the answers report, and tries
 * a request once more that was refused as too long. Everything else passes.
 */
export function createPreparingFetch(
  endpoints: readonly PreparedEndpoint<object>[],
  fetch: Fetch,
): Fetch {
  return async (input, init = {}) => {
    const endpoint = endpoints.find(({ path }) => pathOf(input).endsWith(path));
    const params = endpoint && (await paramsOf(input, init));
    if (endpoint === undefined || params === undefined) return fetch(input, init);
    const signal = init.signal ?? (isRequest(input) ? input.signal : undefined);
    const request = await endpoint.prepare(params, signal ? { signal } : {});
    const send = (body: object): Promise<Response> =>
      fetch(input, body === params ? init : withBody(input, init, body));
    const first = await send(request.params);
    return watchedAnswer(first, {
      api: endpoint.api,
      learn: (usage) => request.learn(usage),
      async again(refused) {
        const recovered = await request.recover(refused);
        return recovered && send(recovered);
      },
    });
  };
}

type Input = Parameters<Fetch>[0];

function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}

function pathOf(input: Input): string {
  return new URL(isRequest(input) ? input.url : String(input), "http://localhost").pathname;
}

/** The parameters of a request: the client's own, or what its body says. */
async function paramsOf(input: Input, init: RequestInit): Promise<object | undefined> {
  const asked = isRequest(input) ? input : undefined;
  if ((init.method ?? asked?.method)?.toUpperCase() !== "POST") return undefined;
  // A body can be read once, and the request has to be sent.
  const body = init.body ?? (await asked?.clone().text());
  if (typeof body !== "string") return undefined;
  const given = (init as { readonly [PARAMS]?: object })[PARAMS];
  const params = given ?? parseInput(body);
  return isWireObject(params) ? params : undefined;
}

function withBody(input: Input, init: RequestInit, body: object): RequestInit {
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined));
  headers.delete("content-length");
  return { ...init, headers, body: JSON.stringify(body) };
}

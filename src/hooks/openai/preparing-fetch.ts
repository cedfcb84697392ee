import type { PreparedEndpoint } from "./endpoint.ts";
import { watchAnswer } from "./watch-answer.ts";

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/**
 * Where a client puts the very parameters of a request beside their JSON, so that unchanged
 * messages are seen to be the same objects.
 */
export const PARAMS = Symbol("longhaul.params");

/** Larger answers are no errors that name a limit. */
const MAX_ERROR = 64 * 1024;

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
    const again = async (error: unknown): Promise<Response | undefined> => {
      const recovered = await request.recover(error);
      return recovered && send(recovered);
    };
    const learn = (reported: unknown): void => request.learn(reported);
    const first = await send(request.params);
    if (first.ok) return watchAnswer(first, { learn, again });
    const { answer, error } = await refusalOf(first);
    const second = error === undefined ? undefined : await again(error);
    if (second === undefined) return answer;
    return second.ok ? watchAnswer(second, { learn }) : second;
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
  const params = given ?? jsonOf(body);
  return typeof params === "object" && params !== null ? params : undefined;
}

function withBody(input: Input, init: RequestInit, body: object): RequestInit {
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined));
  headers.delete("content-length");
  return { ...init, headers, body: JSON.stringify(body) };
}

/** What was refused and why. The body is read, so the answer is a copy. */
async function refusalOf(
  response: Response,
): Promise<{ readonly answer: Response; readonly error?: unknown }> {
  const length = Number(response.headers.get("content-length") ?? 0);
  if (length > MAX_ERROR) return { answer: response };
  const text = await response.text();
  const { status, statusText, headers } = response;
  const answer = new Response(text === "" ? null : text, { status, statusText, headers });
  return { answer, error: { status, body: jsonOf(text) ?? text } };
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

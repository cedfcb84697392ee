import type { PreparedEndpoint } from "./prepared-endpoint.ts";
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
    const endpoint = endpoints.find((one) => isFor(one, input, init));
    const params = endpoint && paramsOf(init);
    if (endpoint === undefined || params === undefined) return fetch(input, init);
    const { signal } = init;
    const request = await endpoint.prepare(params, signal ? { signal } : {});
    const send = (body: object): Promise<Response> =>
      fetch(input, body === params ? init : withBody(init, body));
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

function isFor(
  { path }: PreparedEndpoint<object>,
  input: string | URL | Request,
  init: RequestInit,
): boolean {
  if (typeof init.body !== "string" || init.method?.toUpperCase() !== "POST") return false;
  if (typeof input !== "string" && !(input instanceof URL)) return false;
  return new URL(String(input), "http://localhost").pathname.endsWith(path);
}

/** The parameters of a request: the client's own, or what its body says. */
function paramsOf(init: RequestInit): object | undefined {
  const given = (init as { readonly [PARAMS]?: object })[PARAMS];
  const params = given ?? jsonOf(init.body as string);
  return typeof params === "object" && params !== null ? params : undefined;
}

function withBody(init: RequestInit, body: object): RequestInit {
  const headers = new Headers(init.headers);
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

import type { PreparedEndpoint } from "./prepared-endpoint.ts";
import { keepObjects } from "./keep-objects.ts";
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
  const parse = createParser();
  return async (input, init = {}) => {
    const endpoint = endpoints.find((one) => isFor(one, input, init));
    const params = endpoint && parse(init);
    if (endpoint === undefined || params === undefined) return fetch(input, init);
    const send = (body: object): Promise<Response> =>
      fetch(input, body === params ? init : withBody(init, body));
    const again = async (error: unknown): Promise<Response | undefined> => {
      const recovered = await endpoint.recover(params, error);
      return recovered && send(recovered);
    };
    const learn = endpoint.listener(params);
    const { signal } = init;
    const first = await send(await endpoint.prepare(params, signal ? { signal } : {}));
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
function createParser(): (init: RequestInit) => object | undefined {
  const known = new Map<string, readonly unknown[]>();
  return (init) => {
    const given = (init as { readonly [PARAMS]?: object })[PARAMS];
    if (given !== undefined) return given;
    const params = jsonOf(init.body as string);
    if (typeof params !== "object" || params === null) return undefined;
    const entries = Object.entries(params).map(([field, value]: [string, unknown]) => {
      if (!Array.isArray(value)) return [field, value] as const;
      const kept = keepObjects(value, known.get(field) ?? []);
      known.set(field, kept);
      return [field, kept] as const;
    });
    return Object.fromEntries(entries);
  };
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

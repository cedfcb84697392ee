import { type ContextError, isContextError } from "../../core/error.ts";
import { bodyText, startOfBody } from "./body.ts";
import { errorWords, providerError } from "./error-body.ts";
import { quoted, summarizerFailed } from "./failure.ts";
import type { Redact } from "./redact.ts";
import { retryAfterMs } from "./retry-after.ts";
import { sseData } from "./sse.ts";

/** One request to a model. */
export interface ModelRequest {
  /** Name of the summarizer. */
  readonly summarizer: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly redact: Redact;
  /** What to check when the key is refused. */
  readonly keyHint: string;
}

/** A summary has some 50 KB; this is room for a model that does not stop, and no more. */
const MAX_BODY_BYTES = 8_000_000;
const MAX_ERROR_BYTES = 64_000;
/** The last event of OpenAI's streams; it is no JSON. */
export const DONE = "[DONE]";

/**
 * Sends a request and yields what comes back as parsed JSON: one value, or one for each event of a
 * stream (and {@link DONE}). Throws `ContextError` code `summarizer-failed`, and the signal's reason
 * once it is aborted. Nothing is tried twice.
 */
export async function* post(request: ModelRequest): AsyncGenerator {
  request.signal.throwIfAborted();
  try {
    const response = await send(request);
    if (!response.ok) throw await refused(request, response);
    yield* values(request, response);
  } catch (error) {
    request.signal.throwIfAborted();
    if (isContextError(error)) throw error;
    const words = error instanceof Error ? reasonOf(error) : String(error);
    throw failed(request, `could not be reached, or broke off: ${quoted(request.redact(words))}.`);
  }
}

function send(request: ModelRequest): Promise<Response> {
  const { url, headers, body, signal } = request;
  // As a method of another object it would be refused in browsers and Workers.
  const fetch = request.fetch ?? globalThis.fetch;
  return fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
    signal,
    // Another host would be sent the key.
    redirect: "manual",
  });
}

async function* values(request: ModelRequest, response: Response): AsyncGenerator {
  const tooLarge = (): Error => failed(request, "answered with more than 8 MB; it was cut off.");
  const pieces = bodyText(response, MAX_BODY_BYTES, tooLarge);
  const isStream = /text\/event-stream/i.test(response.headers.get("content-type") ?? "");
  if (isStream) {
    for await (const data of sseData(pieces)) yield data === DONE ? DONE : parsed(request, data);
    return;
  }
  let text = "";
  for await (const piece of pieces) text += piece;
  yield parsed(request, text);
}

/** Errors may come with status 200: in the middle of a stream, and from some gateways. */
function parsed(request: ModelRequest, text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw failed(
      request,
      "answered with something that is no JSON, or broke off; check the base URL.",
    );
  }
  const error = providerError(value);
  if (error === undefined) return value;
  const { type, message } = error;
  const words = type === undefined ? message : `${type}: ${message}`;
  throw failed(request, `broke off with an error: ${quoted(request.redact(words))}.`);
}

async function refused(request: ModelRequest, response: Response): Promise<ContextError> {
  const { status, headers } = response;
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const words = quoted(request.redact(errorWords(await startOfBody(response, MAX_ERROR_BYTES))));
  const wait = retryAfterMs(headers, Date.now());
  const said = words === "" || isRedirect ? "" : `: ${words}`;
  return summarizerFailed(`answered ${status}${said}; ${adviceFor(status, request.keyHint)}.`, {
    summarizer: request.summarizer,
    status,
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function adviceFor(status: number, keyHint: string): string {
  if (status < 400) return "it wants to redirect; give the address it redirects to as base URL";
  if (status === 401 || status === 403) return keyHint;
  if (status === 404) return "check the name of the model and the base URL";
  if (status === 429) return "it is asked too often, or the credit is used up";
  if (status >= 500) return "the provider has a problem";
  return "the request is not what it takes";
}

/** Node's fetch says what happened in the cause. */
function reasonOf({ message, cause }: Error): string {
  const reason = cause instanceof Error ? cause.message : "";
  const code = (cause as { code?: unknown } | undefined)?.code;
  const detail = reason !== "" ? reason : typeof code === "string" ? code : "";
  return detail === "" ? message : `${message} (${detail})`;
}

function failed({ summarizer }: ModelRequest, problem: string): ContextError {
  return summarizerFailed(problem, { summarizer });
}

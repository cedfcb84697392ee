import { createParser } from "eventsource-parser";
import { type ContextError, isContextError } from "../core/error.ts";
import { errorLayers } from "../core/overflow/error-layers.ts";
import { isText, isWireObject, parseInput } from "../dialects/wire.ts";
import { fieldsOf } from "../core/text/json.ts";
import { quoted, retryAfterMs, summarizerFailed } from "./failure.ts";
import type { Redact } from "./secrets.ts";

export interface ModelRequest {
  /** Name of the summarizer. */
  readonly summarizer: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readonly<Record<string, unknown>>;
  readonly signal: AbortSignal;
  readonly fetch?: typeof globalThis.fetch;
  readonly redact: Redact;
  /** Advice for a key that is refused. */
  readonly keyHint: string;
}

/** A summary has some 50 KB; this is room for a model that does not stop, and no more. */
const MOST_BODY = 8_000_000;
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
  const pieces = bodyText(response, MOST_BODY, tooLarge);
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
  const value = parseInput(text);
  if (typeof value === "string") {
    throw failed(
      request,
      "answered with something that is no JSON, or broke off; check the base URL.",
    );
  }
  const { error } = fieldsOf(Array.isArray(value) ? value[0] : value);
  if (!isWireObject(error) && !isText(error)) return value;
  const words = errorWords(error) ?? "no message";
  throw failed(request, `broke off with an error: ${quoted(request.redact(words))}.`);
}

async function refused(request: ModelRequest, response: Response): Promise<ContextError> {
  const { status, headers } = response;
  const isRedirect = status === 0 || (status >= 300 && status < 400);
  const words = quoted(request.redact(bodyWords(await startOfBody(response))));
  const said = words === "" || isRedirect ? "" : `: ${words}`;
  return summarizerFailed(`answered ${status}${said}; ${adviceFor(status, request.keyHint)}.`, {
    summarizer: request.summarizer,
    status,
    retryAfterMs: retryAfterMs(headers, Date.now()),
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

/** The body of an answer as text in pieces; throws the error of `tooLarge` beyond a size. */
async function* bodyText(
  { body }: Response,
  maxBytes: number,
  tooLarge: () => Error,
): AsyncGenerator<string> {
  if (body === null) return;
  const reader = body.getReader() as ReadableStreamDefaultReader<Uint8Array>;
  const decoder = new TextDecoder();
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge();
      yield decoder.decode(value, { stream: true });
    }
    yield decoder.decode();
  } finally {
    // Also when the reader of the pieces has enough: the connection must not stay open.
    await reader.cancel().catch(() => undefined);
  }
}

async function startOfBody(response: Response): Promise<string> {
  let text = "";
  try {
    for await (const piece of bodyText(response, MAX_ERROR_BYTES, () => new Error("enough"))) {
      text += piece;
    }
  } catch {
    // The part that came is enough to say what went wrong.
  }
  return text;
}

/** The data of server-sent events; it says what kind of event it is, so names and ids are left out. */
export async function* sseData(pieces: AsyncIterable<string>): AsyncGenerator<string> {
  const found: string[] = [];
  const parser = createParser({ onEvent: ({ data }) => void found.push(data) });
  for await (const piece of pieces) {
    parser.feed(piece);
    yield* found.splice(0);
  }
  // Some servers leave out the blank line after the last event.
  parser.feed("\n\n");
  yield* found.splice(0);
}

/** The words of an error answer, whatever it holds. */
function bodyWords(text: string): string {
  // A page for people says nothing in its first lines.
  return /^\s*</.test(text) ? "" : (errorWords(parseInput(text)) ?? text);
}

/** An error in words, as Anthropic, OpenAI, Google, Ollama, FastAPI and most gateways send it. */
function errorWords(body: unknown): string | undefined {
  const value: unknown = Array.isArray(body) ? body[0] : body;
  // The fields under `error` say more than those around it.
  const layers = [...errorLayers(fieldsOf(value)["error"]), ...errorLayers(value)];
  for (const { message, detail, title, type, code, status } of layers) {
    const words = [message, detail, title].find(isText);
    const kind = [type, code, status].find(isText);
    if (words !== undefined) return kind === undefined ? words : `${kind}: ${words}`;
  }
  return undefined;
}

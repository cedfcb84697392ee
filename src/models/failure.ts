import { ContextError, errorMessage, isContextError } from "../core/error.ts";
import { errorLayers, statusOf, type ErrorLayer } from "../core/overflow/error-layers.ts";
import { recogniseOverflow } from "../core/overflow/provider-error.ts";
import { clip, clipLine } from "../core/text/clip.ts";
import { isText } from "../dialects/wire.ts";
import { processEnvironment, redactor, secretsOf, withoutSecrets } from "./secrets.ts";
import { checkedUsage, type SummaryAnswer, type SummaryUsage } from "./summarizer.ts";

/** `details` of a {@link ContextError} with the code `summarizer-failed`. */
export interface SummarizerFailure {
  /** Name of the summarizer. */
  readonly summarizer: string;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** The wait that the provider asks for, in ms. */
  readonly retryAfterMs?: number;
  /** The provider's count of an answer that broke off. */
  readonly usage?: SummaryUsage;
}

/** `problem` goes on after the summarizer's name, e.g. "did not answer: …". */
export function summarizerFailed(problem: string, details: SummarizerFailure): ContextError {
  // A foreign error is no `cause`: it may hold the request with its key.
  return new ContextError("summarizer-failed", `${details.summarizer} ${problem}`, {
    details: Object.fromEntries(Object.entries(details).filter(([, value]) => value !== undefined)),
  });
}

/** The most characters of a provider's own words in a message. */
const MAX_WORDS = 400;

/** Foreign words as part of a sentence. */
export function quoted(words: string): string {
  return clipLine(words.trim().replace(/[.\s]+$/, ""), MAX_WORDS);
}

/**
 * The answer of a call that an SDK makes. Throws the signal's reason once it is aborted, and
 * `summarizer-failed` for whatever else the SDK throws: that may hold the whole request, so only what
 * it says is passed on, without the keys of the environment.
 */
export async function askSdk(
  summarizer: string,
  signal: AbortSignal,
  call: () => Promise<SummaryAnswer>,
): Promise<SummaryAnswer> {
  signal.throwIfAborted();
  try {
    return await call();
  } catch (error) {
    signal.throwIfAborted();
    const { status, retryAfterMs } = callFailure(error, Date.now());
    const words = quoted(redactor(secretsOf(processEnvironment()))(errorMessage(error)));
    const said = status === undefined ? "failed" : `answered ${status}`;
    throw summarizerFailed(`${said}: ${words}.`, { summarizer, status, retryAfterMs });
  }
}

export interface CallFailure {
  /**
   * - `transient`: the same request may succeed: too many requests, an overloaded server, the network.
   * - `overflow`: the prompt was too large for the model.
   * - `refused`: this request will never be taken.
   * - `hopeless`: no request will, e.g. because the key is wrong.
   */
  readonly kind: "transient" | "overflow" | "refused" | "hopeless";
  /** One sentence without keys and bodies, at most 200 characters. */
  readonly message: string;
  readonly status?: number;
  /** The wait that the server asks for. */
  readonly retryAfterMs?: number;
  /** The model's limit in tokens, where an overflow names it. */
  readonly limit?: number;
  /** Counted by the provider until then. */
  readonly usage?: SummaryUsage;
}

const HOPELESS = new Set([401, 402, 403, 404]);
const TRANSIENT = new Set([408, 409, 425, 429]);

/** The meaning of a summarizer's error, whichever SDK it comes from. `now` is in ms. */
export function callFailure(error: unknown, now: number): CallFailure {
  const layers = errorLayers(error);
  const status = first(layers, statusOf);
  const overflow = recogniseOverflow(error);
  return {
    kind: overflow === undefined ? kindOf(layers, status) : "overflow",
    message: safeMessage(
      status,
      first(layers, ({ message }) => (isText(message) ? message : undefined)) ?? "",
    ),
    status,
    retryAfterMs: first(layers, (layer) => waitIn(layer, now)),
    limit: overflow?.limit,
    usage: first(layers, ({ usage }) => checkedUsage(usage)),
  };
}

function kindOf(layers: readonly ErrorLayer[], status: number | undefined): CallFailure["kind"] {
  if (status !== undefined) {
    if (HOPELESS.has(status)) return "hopeless";
    return TRANSIENT.has(status) || status >= 500 ? "transient" : "refused";
  }
  if (layers.some((layer) => isContextError(layer) && layer.code === "invalid-options")) {
    return "hopeless";
  }
  const isRetryable = first(layers, ({ isRetryable: flag }) =>
    typeof flag === "boolean" ? flag : undefined,
  );
  return isRetryable === false ? "refused" : "transient";
}

function first<T>(
  layers: readonly ErrorLayer[],
  find: (layer: ErrorLayer) => T | undefined,
): T | undefined {
  for (const layer of layers) {
    const found = find(layer);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The wait, in ms: a field that a driver set, or what the headers say. */
function waitIn(layer: ErrorLayer, now: number): number | undefined {
  const { retryAfterMs: own, headers, responseHeaders } = layer;
  if (typeof own === "number") return Math.max(0, own);
  return retryAfterMs(headers, now) ?? retryAfterMs(responseHeaders, now);
}

/** The wait that headers ask for, in ms; `undefined` when they say nothing. */
export function retryAfterMs(headers: unknown, now: number): number | undefined {
  const exact = headerOf(headers, "retry-after-ms");
  if (isNumber(exact)) return Number(exact);
  const value = headerOf(headers, "retry-after");
  if (isNumber(value)) return Math.round(Number(value) * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function headerOf(headers: unknown, name: string): string {
  if (typeof headers !== "object" || headers === null) return "";
  if (headers instanceof Headers) return headers.get(name) ?? "";
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return entry === undefined ? "" : String(entry[1]);
}

function isNumber(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text);
}

/** The most characters of an error that a report shows. */
const LONGEST = 200;
/** Words of an error stand in the first part of a body … */
const LONGEST_BODY = 20_000;
/** … and what is searched for keys is more than what is shown, so that none is cut in two. */
const LOOK_UNITS = 2_000;

/** The status and the start of the message on one line, without keys and bodies. */
function safeMessage(status: number | undefined, message: string): string {
  const words = withoutBody(message.slice(0, LONGEST_BODY)).slice(0, LOOK_UNITS);
  const said = withoutSecrets(words)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  const code = status === undefined || said.includes(String(status)) ? "" : `HTTP ${status}`;
  const whole = [code, said].filter((piece) => piece !== "").join(": ") || "The call failed.";
  return clip(whole, { length: LONGEST });
}

/** A message that quotes a body (JSON or a page) keeps only what the body says in words. */
function withoutBody(message: string): string {
  const body = message.search(/[{<]/);
  if (body < 0) return message;
  const said = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(message.slice(body))?.[1] ?? "";
  return `${message.slice(0, body)} ${said.replaceAll(/\\(["\\/])/g, (_, mark: string) => mark)}`;
}

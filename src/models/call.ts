import { clip } from "../core/text/index.ts";
import { isContextError } from "../core/error.ts";
import { recogniseOverflow } from "../core/overflow/index.ts";
import { retryAfterMs } from "./failure.ts";
import { type Deadline, untilAborted } from "./deadline.ts";
import type {
  Summarizer,
  SummaryAnswer,
  SummaryFinish,
  SummaryRequest,
  SummaryUsage,
} from "./summarizer.ts";

/** How a call ended. */
export type CallEnd =
  | { readonly type: "answer"; readonly answer: SummaryAnswer }
  | { readonly type: "failure"; readonly failure: CallFailure }
  /** The time was over, or the caller gave up. */
  | { readonly type: "ended"; readonly reason: string };

/**
 * Calls a summarizer once. Never throws, and returns when the deadline's signal aborts even if the
 * summarizer does not care.
 */
export async function callSummarizer(
  summarizer: Summarizer,
  request: Omit<SummaryRequest, "signal">,
  { deadline, now }: { readonly deadline: Deadline; readonly now: () => number },
): Promise<CallEnd> {
  const { signal } = deadline;
  const ended = (): CallEnd => ({ type: "ended", reason: deadline.reason() ?? "It was aborted." });
  if (signal.aborted) return ended();
  const call = async (): Promise<unknown> => summarizer.summarize({ ...request, signal });
  try {
    const answer = await untilAborted(call(), signal);
    return answer ? { type: "answer", answer: checkedAnswer(answer.value) } : ended();
  } catch (error) {
    return signal.aborted ? ended() : { type: "failure", failure: callFailure(error, now()) };
  }
}

const FINISHES: readonly SummaryFinish[] = [
  "stop",
  "length",
  "tool-calls",
  "content-filter",
  "error",
  "other",
];

/** Whatever a summarizer gave as an answer; what is no text is an empty one. */
function checkedAnswer(value: unknown): SummaryAnswer {
  if (typeof value === "string") return { text: value };
  if (typeof value !== "object" || value === null) return { text: "" };
  const { text, usage, finish, toolCalls } = value as Readonly<Record<string, unknown>>;
  const known = FINISHES.find((one) => one === finish);
  const tokens = checkedUsage(usage);
  return {
    text: typeof text === "string" ? text : "",
    ...(tokens !== undefined && { usage: tokens }),
    ...(finish !== undefined && { finish: known ?? "other" }),
    ...(typeof toolCalls === "number" && { toolCalls }),
  };
}

/** What somebody says a call cost; `undefined` for anything but whole figures. */
function checkedUsage(usage: unknown): SummaryUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input, cached, output } = usage as Readonly<Record<string, unknown>>;
  if (!isTokens(input) || !isTokens(output)) return undefined;
  return { input, output, ...(isTokens(cached) && { cached }) };
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

/** Why a call gave no answer. */
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
  /** How long the server asks to wait. */
  readonly retryAfterMs?: number;
  /** The model's limit in tokens, where an overflow names it. */
  readonly limit?: number;
  /** What the provider had counted until then. */
  readonly usage?: SummaryUsage;
}

const HOPELESS = new Set([401, 402, 403, 404]);
const TRANSIENT = new Set([408, 409, 425, 429]);

/** What an error of a summarizer means, whichever SDK it comes from. */
export function callFailure(error: unknown, now: number): CallFailure {
  const layers = errorLayers(error);
  const status = first(layers, (layer) => numberIn(layer, ["status", "statusCode"]));
  const message = safeMessage(status, first(layers, (layer) => textIn(layer, "message")) ?? error);
  const overflow = recogniseOverflow(error) ?? (status === 413 ? {} : undefined);
  if (overflow !== undefined) {
    return { kind: "overflow", message, ...(overflow.limit && { limit: overflow.limit }) };
  }
  const retryAfterMs = first(layers, (layer) => retryAfter(layer, now));
  const usage = first(layers, (layer) => checkedUsage(layer["usage"]));
  return {
    kind: kindOf(layers, status),
    message,
    ...(retryAfterMs !== undefined && { retryAfterMs }),
    ...(usage !== undefined && { usage }),
  };
}

function kindOf(layers: readonly Layer[], status: number | undefined): CallFailure["kind"] {
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

type Layer = Readonly<Record<string, unknown>>;

/** The fields in which SDKs keep the error that they wrap. */
const NESTED = ["cause", "lastError", "error", "response", "details"] as const;
const MAX_LAYERS = 16;

/** An error and what it wraps, from the outside in; a circle ends. */
function errorLayers(error: unknown): readonly Layer[] {
  const found: Layer[] = [];
  const open: unknown[] = [error];
  while (open.length > 0 && found.length < MAX_LAYERS) {
    const value = open.shift();
    if (typeof value !== "object" || value === null || found.includes(value as Layer)) continue;
    const layer = value as Layer;
    found.push(layer);
    open.push(...NESTED.map((key) => layer[key]));
  }
  return found;
}

function first<T>(layers: readonly Layer[], find: (layer: Layer) => T | undefined): T | undefined {
  for (const layer of layers) {
    const found = find(layer);
    if (found !== undefined) return found;
  }
  return undefined;
}

function numberIn(layer: Layer, keys: readonly string[]): number | undefined {
  return keys.map((key) => layer[key]).find((value) => typeof value === "number");
}

function textIn(layer: Layer, key: string): string | undefined {
  const value = layer[key];
  return typeof value === "string" && value !== "" ? value : undefined;
}

/** How long to wait, in ms: a field that a driver set, or what the headers say. */
function retryAfter(layer: Layer, now: number): number | undefined {
  const own = numberIn(layer, ["retryAfterMs"]);
  if (own !== undefined) return Math.max(0, own);
  for (const headers of [layer["headers"], layer["responseHeaders"]]) {
    const wait = retryAfterMs({ get: (name) => headerOf(headers, name) ?? null }, now);
    if (wait !== undefined) return wait;
  }
  return undefined;
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return entry === undefined ? undefined : String(entry[1]);
}

/** The most characters of an error that a report shows. */
const LONGEST = 200;
/** Words of an error stand in the first part of a body … */
const LONGEST_BODY = 20_000;
/** … and what is searched for keys is more than what is shown, so that none is cut in two. */
const LOOK_UNITS = 2_000;
const REMOVED = "[removed]";

/** What keys look like, and where they stand. */
const SECRETS: readonly RegExp[] = [
  /\b(?:bearer|basic)\s+[^\s"',;]+/gi,
  /\b(?:sk|pk|rk|xai|gsk|ghp|gho|glpat|hf|r8|pplx|nvapi|key|sess|org|proj)[-_][\w.*-]{4,}/gi,
  /\b(?:AIza|AKIA|ya29\.)[\w.-]{8,}/g,
  /\b(?:x-)?(?:api[-_ ]?key|authorization|access[-_ ]?token|token|secret|password)\b["']?\s*[:=]\s*["']?[^\s"',;]+/gi,
  /\b(?:api[-_ ]?key|token|secret|password)\s+(?=[\w-]*\d)(?=\d*[a-z])[\w-]{8,}/gi,
  /\beyJ[\w-]+(?:\.[\w-]+)+/g,
  /[?&][\w-]*(?:key|token|secret|sig)[\w-]*=[^&\s"']+/gi,
  /\/\/[^\s/@]+@/g,
  /\b(?=[\w+=-]*[a-z])(?=[\w+=-]*[A-Z])(?=[\w+=-]*\d)[\w+=-]{24,}/g,
  /\b(?:[0-9a-f]{32,}|[a-z0-9]{40,})\b/gi,
];

/**
 * What may be told of an error: its status and the start of its message on one line, without what
 * looks like a key and without the body of a response.
 */
function safeMessage(status: number | undefined, error: unknown): string {
  const words = withoutBody(messageOf(error).slice(0, LONGEST_BODY)).slice(0, LOOK_UNITS);
  const said = withoutSecrets(words)
    .replace(/[\s\p{C}]+/gu, " ")
    .trim();
  const code = status === undefined || said.includes(String(status)) ? "" : `HTTP ${status}`;
  const whole = [code, said].filter((piece) => piece !== "").join(": ") || "The call failed.";
  return clip(whole, { length: LONGEST });
}

function messageOf(error: unknown): string {
  if (typeof error === "string") return error;
  return error instanceof Error ? error.message : "";
}

/** A message that quotes a body (JSON or a page) keeps only what the body says in words. */
function withoutBody(message: string): string {
  const body = message.search(/[{<]/);
  if (body < 0) return message;
  const said = /"message"\s*:\s*"((?:[^"\\]|\\.)*)"/.exec(message.slice(body))?.[1] ?? "";
  return `${message.slice(0, body)} ${said.replaceAll(/\\(["\\/])/g, (_, mark: string) => mark)}`;
}

/** A text without what looks like a key, or stands where keys do. */
export function withoutSecrets(message: string): string {
  return SECRETS.reduce((text, secret) => text.replace(secret, () => REMOVED), message);
}

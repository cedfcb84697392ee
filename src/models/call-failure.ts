import { isContextError } from "../core/error.ts";
import { recogniseOverflow } from "../core/overflow/index.ts";
import { safeMessage } from "./call-safe-message.ts";
import { checkedUsage } from "./call-usage.ts";
import type { SummaryUsage } from "./summarizer.ts";

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

/** How long to wait, in ms: the header in its three forms, or a field that a driver set. */
function retryAfter(layer: Layer, now: number): number | undefined {
  const own = numberIn(layer, ["retryAfterMs"]);
  if (own !== undefined) return Math.max(0, own);
  for (const headers of [layer["headers"], layer["responseHeaders"]]) {
    const ms = Number(headerOf(headers, "retry-after-ms") ?? Number.NaN);
    if (ms >= 0) return ms;
    const value = headerOf(headers, "retry-after");
    if (value === undefined) continue;
    const seconds = Number(value);
    const wait = Number.isFinite(seconds) ? seconds * 1_000 : Date.parse(value) - now;
    if (Number.isFinite(wait)) return Math.max(0, wait);
  }
  return undefined;
}

function headerOf(headers: unknown, name: string): string | undefined {
  if (typeof headers !== "object" || headers === null) return undefined;
  if (headers instanceof Headers) return headers.get(name) ?? undefined;
  const entry = Object.entries(headers).find(([key]) => key.toLowerCase() === name);
  return entry === undefined ? undefined : String(entry[1]);
}

/** Causes and bodies are followed so deep, and so many of them are read. */
const MAX_DEPTH = 6;
const MAX_LAYERS = 32;
const MAX_TEXT = 20_000;

/** All that a provider's error says, wherever an SDK keeps it: its messages, codes, bodies, causes. */
export function errorText(error: unknown): string {
  return layersText(errorLayers(error));
}

/** An error, or something that it wraps: a cause, a body, a response. */
export type ErrorLayer = Readonly<Record<string, unknown>>;

/** The fields in which SDKs and bodies keep nested errors. */
const NESTED = [
  "error",
  "cause",
  "body",
  "data",
  "response",
  "lastError",
  "responseBody",
  "details",
] as const;

/** An error and what it wraps, from the outside in; a text is the message of a layer of its own. */
export function errorLayers(error: unknown): readonly ErrorLayer[] {
  const found: ErrorLayer[] = [];
  const seen = new Set<unknown>();
  const visit = (value: unknown, depth: number): void => {
    if (typeof value === "string") found.push({ message: value });
    if (typeof value !== "object" || value === null || depth === 0) return;
    if (seen.has(value) || seen.size === MAX_LAYERS) return;
    seen.add(value);
    const layer = value as ErrorLayer;
    found.push(layer);
    for (const key of NESTED) visit(layer[key], depth - 1);
  };
  visit(error, MAX_DEPTH);
  return found;
}

export function statusOf({ status, statusCode }: ErrorLayer): number | undefined {
  return [status, statusCode].find((value) => typeof value === "number");
}

const TEXTS = ["message", "code", "type", "detail", "reason"] as const;

/** All that the layers of an error say, a line each. */
export function layersText(layers: readonly ErrorLayer[]): string {
  const texts = layers.flatMap((layer) => {
    const said = TEXTS.map((key) => layer[key]).filter((text) => typeof text === "string");
    const { n_prompt_tokens, n_ctx } = layer;
    // llama.cpp names the sizes beside its message.
    return typeof n_ctx === "number" ? [...said, JSON.stringify({ n_prompt_tokens, n_ctx })] : said;
  });
  return texts.join("\n").slice(0, MAX_TEXT);
}

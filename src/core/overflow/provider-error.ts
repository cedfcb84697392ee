/** What a provider's error says about the size of the request. */
export interface ProviderOverflow {
  /** The model's limit in tokens, if the error names it. */
  readonly limit?: number;
  /** How many tokens the request had, if the error names it. */
  readonly tokens?: number;
}

/** How each server words an overflow; the named groups are numbers of tokens. */
const OVERFLOWS: readonly (readonly [server: string, RegExp])[] = [
  ["Anthropic", /prompt is too long(?:: (?<tokens>\d+) tokens > (?<limit>\d+))?/i],
  [
    "Anthropic",
    /input length and `?max_tokens`? exceed context limit: (?<tokens>\d+)[^>]*> (?<limit>\d+)/i,
  ],
  [
    "Anthropic, 413",
    /request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
  ],
  ["Anthropic and z.ai, stop reason", /model_context_window_exceeded/i],
  [
    "Together",
    /input \((?<tokens>\d+) tokens\) is longer than the model's context length \((?<limit>\d+)/i,
  ],
  [
    "Mistral",
    /prompt contains (?<tokens>\d+) tokens[^]{0,80}?(?<limit>\d+) maximum context length/i,
  ],
  [
    "OpenRouter, Poolside",
    /input length (?<tokens>[\d,]+) exceeds the maximum allowed input length of (?<limit>[\d,]+)/i,
  ],
  [
    "OpenAI-compatible",
    /input length \(?(?<tokens>\d+)\)? exceeds (?:the )?model's maximum context length \(?(?<limit>\d+)/i,
  ],
  [
    "OpenAI, vLLM, DeepSeek, OpenRouter, LiteLLM",
    /maximum context length (?:is|of) (?<limit>[\d,]+)(?: tokens)?(?:[^]{0,120}?\b(?<tokens>\d{3,}) tokens)?/i,
  ],
  ["vLLM", /(?:maximum model length (?:is|of)|context length is only) (?<limit>\d+)/i],
  [
    "OpenAI Responses, LangChain, gateways",
    /(?:input|request|prompt|size) exceed(?:s|ed) (?:the )?(?:model's |model )?context (?:window|limit)/i,
  ],
  [
    "Google",
    /input token count[^\d]*(?<tokens>\d+)? ?\)? ?exceeds the maximum number of (?:input )?tokens allowed[^\d]*(?<limit>\d+)?/i,
  ],
  ["Bedrock", /input is too long for (?:the )?requested model/i],
  [
    "llama.cpp, in its own fields",
    /"n_prompt_tokens":\s*(?<tokens>\d+),\s*"n_ctx":\s*(?<limit>\d+)/,
  ],
  [
    "llama.cpp",
    /exceed_context_size_error|exceeds the available context size|context size has been exceeded/i,
  ],
  ["LM Studio", /greater than the context length/i],
  ["Ollama", /prompt too long; exceeded (?:max )?context length/i],
  ["Groq", /please reduce the length of the messages/i],
  ["xAI", /maximum prompt length is (?<limit>\d+)(?:[^]{0,80}?contains (?<tokens>\d+) tokens)?/i],
  ["GitHub Copilot", /prompt token count of (?<tokens>\d+) exceeds the limit of (?<limit>\d+)/i],
  [
    "Cohere",
    /total number of tokens in the prompt cannot exceed (?<limit>\d+)(?:[^]{0,80}?received (?<tokens>\d+))?/i,
  ],
  [
    "Hugging Face TGI",
    /`?inputs`? tokens \+ `?max_new_tokens`? must be <= (?<limit>\d+)(?:[^]{0,80}?given: (?<tokens>\d+))?/i,
  ],
  ["Alibaba", /range of input length should be \[1, (?<limit>\d+)\]/i],
  ["MiniMax", /context window exceeds limit/i],
  ["Kimi", /exceeded model token limit(?:: (?<limit>\d+)(?: \(requested: (?<tokens>\d+)\))?)?/i],
  ["Zhipu", /"code":\s*"1261"|prompt exceeds max length|prompt ?超长|超过模型最大上下文长度/i],
  [
    "DS4",
    /prompt has (?<tokens>[\d,]+) tokens, but the configured context size is (?<limit>[\d,]+)/i,
  ],
  ["Cerebras", /^\s*4(?:00|13)\s*(?:status code)?\s*\(no body\)/im],
  [
    "OpenAI and gateways, code",
    /context[_ ]length[_ ]exceeded|capability_rejected: prompt_too_long/i,
  ],
  ["proxies", /request entity too large/i],
  [
    "gateways",
    /context (?:length|window)[^.\n]{0,40}exceeded|token limit exceeded|too many tokens/i,
  ],
];

/** Limits on requests per time speak of tokens too; they are no overflow. */
const RATE_LIMIT =
  /rate.?limit|too many requests|tokens? per (?:minute|min|day)|\bTPM\b|quota|throttl|please wait|service unavailable|queued/i;

/** How deep causes and bodies are followed, and how many of them are read. */
const MAX_DEPTH = 6;
const MAX_LAYERS = 32;
const MAX_TEXT = 20_000;

/**
 * Recognises a provider's overflow error (T7) by its text, code and status: an `Error` of any SDK,
 * a parsed error body, a response text. Returns `undefined` when it is something else.
 */
export function recogniseOverflow(error: unknown): ProviderOverflow | undefined {
  const layers = errorLayers(error);
  const text = textOf(layers);
  for (const [, pattern] of OVERFLOWS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    if (RATE_LIMIT.test(text) && match.groups?.["limit"] === undefined) return undefined;
    return numbers(match.groups);
  }
  return layers.some((layer) => statusOf(layer) === 413) ? {} : undefined;
}

/** All that a provider's error says, wherever an SDK keeps it: its messages, codes, bodies, causes. */
export function errorText(error: unknown): string {
  return textOf(errorLayers(error));
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

/** The HTTP status that a layer names. */
export function statusOf({ status, statusCode }: ErrorLayer): number | undefined {
  return [status, statusCode].find((value) => typeof value === "number");
}

const TEXTS = ["message", "code", "type", "detail", "reason"] as const;

function textOf(layers: readonly ErrorLayer[]): string {
  const texts = layers.flatMap((layer) => {
    const said = TEXTS.map((key) => layer[key]).filter((text) => typeof text === "string");
    return typeof layer["n_ctx"] === "number" ? [...said, sizes(layer)] : said;
  });
  return texts.join("\n").slice(0, MAX_TEXT);
}

/** llama.cpp names the sizes beside its message. */
function sizes({ n_prompt_tokens, n_ctx }: ErrorLayer): string {
  return JSON.stringify({ n_prompt_tokens, n_ctx });
}

function numbers(groups: Record<string, string | undefined> | undefined): ProviderOverflow {
  return { limit: count(groups?.["limit"]), tokens: count(groups?.["tokens"]) };
}

function count(digits: string | undefined): number | undefined {
  const value = Number(digits?.replaceAll(",", ""));
  return value > 0 ? value : undefined;
}

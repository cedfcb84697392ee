/** What a provider's error says about the size of the request. */
export interface ProviderOverflow {
  /** The model's limit in tokens, if the error names it. */
  readonly limit?: number;
  /** How many tokens the request had, if the error names it. */
  readonly tokens?: number;
}

/** How one family of servers words an overflow; the named groups are `tokens` and `limit`. */
interface OverflowPattern {
  readonly server: string;
  readonly pattern: RegExp;
}

const PATTERNS: readonly OverflowPattern[] = [
  {
    server: "Anthropic",
    pattern: /prompt is too long(?:: (?<tokens>\d+) tokens > (?<limit>\d+))?/i,
  },
  {
    server: "Anthropic",
    pattern:
      /input length and `?max_tokens`? exceed context limit: (?<tokens>\d+)[^>]*> (?<limit>\d+)/i,
  },
  {
    server: "Anthropic, 413",
    pattern: /request_too_large|request exceeds the maximum (?:allowed )?(?:size|number of bytes)/i,
  },
  {
    server: "OpenAI, vLLM, DeepSeek, OpenRouter",
    pattern:
      /maximum context length (?:is|of) (?<limit>\d+)(?: tokens)?(?:[^]*?(?<tokens>\d{3,}) tokens)?/i,
  },
  {
    server: "OpenAI Responses, LangChain's ContextOverflowError",
    pattern: /(?:input|request|prompt) exceed(?:s|ed) the (?:model's )?context window/i,
  },
  { server: "OpenAI", pattern: /context_length_exceeded/i },
  {
    server: "Google",
    pattern:
      /input token count[^\d]*(?<tokens>\d+)? ?\)? ?exceeds the maximum number of (?:input )?tokens allowed[^\d]*(?<limit>\d+)?/i,
  },
  { server: "Bedrock", pattern: /input is too long for (?:the )?requested model/i },
  {
    server: "llama.cpp, in its own fields",
    pattern: /"n_prompt_tokens":\s*(?<tokens>\d+),\s*"n_ctx":\s*(?<limit>\d+)/,
  },
  { server: "llama.cpp", pattern: /exceed_context_size_error|exceeds the available context size/i },
  { server: "LM Studio", pattern: /greater than the context length/i },
  {
    server: "Mistral",
    pattern: /prompt contains (?<tokens>\d+) tokens[^]*?(?<limit>\d+) maximum context length/i,
  },
  { server: "Groq", pattern: /please reduce the length of the messages/i },
  {
    server: "xAI",
    pattern: /maximum prompt length is (?<limit>\d+)(?:[^]*?contains (?<tokens>\d+) tokens)?/i,
  },
  {
    server: "GitHub Copilot",
    pattern: /prompt token count of (?<tokens>\d+) exceeds the limit of (?<limit>\d+)/i,
  },
  {
    server: "Cohere",
    pattern:
      /total number of tokens in the prompt cannot exceed (?<limit>\d+)(?:[^]*?received (?<tokens>\d+))?/i,
  },
  {
    server: "Hugging Face TGI, Together",
    pattern:
      /`?inputs`? tokens \+ `?max_new_tokens`? must be <= (?<limit>\d+)(?:[^]*?given: (?<tokens>\d+))?/i,
  },
  { server: "Alibaba", pattern: /range of input length should be \[1, (?<limit>\d+)\]/i },
  { server: "Claude, stop reason", pattern: /model_context_window_exceeded/i },
  {
    server: "gateways",
    pattern: /context (?:length|window)[^.]{0,40}exceeded|capability_rejected: prompt_too_long/i,
  },
];

/** Limits on requests per time speak of tokens too; they are no overflow. */
const RATE_LIMIT =
  /rate.?limit|too many requests|tokens? per (?:minute|min|day)|\bTPM\b|quota|throttl/i;

/** How deep causes and bodies are followed. */
const MAX_DEPTH = 6;
const MAX_TEXT = 20_000;

/**
 * Recognises a provider's overflow error (T7) by its text, code and status: an `Error` of any SDK,
 * a parsed error body, a response text. Returns `undefined` when it is something else.
 */
export function recogniseOverflow(error: unknown): ProviderOverflow | undefined {
  const facts = factsOf(error);
  const text = textOf(facts);
  for (const { pattern } of PATTERNS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    if (RATE_LIMIT.test(text) && match.groups?.["limit"] === undefined) return undefined;
    return numbers(match.groups);
  }
  return facts.statuses.includes(413) ? {} : undefined;
}

/** All that a provider's error says, wherever an SDK keeps it: its messages, codes, bodies, causes. */
export function errorText(error: unknown): string {
  return textOf(factsOf(error));
}

function factsOf(error: unknown): ErrorFacts {
  return collect(error, { texts: [], statuses: [] }, MAX_DEPTH);
}

function textOf({ texts }: ErrorFacts): string {
  return texts.join("\n").slice(0, MAX_TEXT);
}

function numbers(groups: Record<string, string | undefined> | undefined): ProviderOverflow {
  const limit = Number(groups?.["limit"]);
  const tokens = Number(groups?.["tokens"]);
  return { ...(limit > 0 && { limit }), ...(tokens > 0 && { tokens }) };
}

interface ErrorFacts {
  readonly texts: string[];
  readonly statuses: number[];
}

/** The fields in which SDKs and bodies keep text, nested errors and the HTTP status. */
const NESTED = ["error", "cause", "body", "data", "response", "lastError", "responseBody"] as const;
const TEXTS = ["message", "code", "type", "detail", "reason"] as const;
const STATUSES = ["status", "statusCode"] as const;

function collect(value: unknown, facts: ErrorFacts, depth: number): ErrorFacts {
  if (typeof value === "string") facts.texts.push(value);
  if (typeof value !== "object" || value === null || depth === 0) return facts;
  const record = value as Record<string, unknown>;
  for (const key of TEXTS) if (typeof record[key] === "string") facts.texts.push(record[key]);
  for (const key of STATUSES) if (typeof record[key] === "number") facts.statuses.push(record[key]);
  if (typeof record["n_ctx"] === "number") facts.texts.push(JSON.stringify(sizes(record)));
  for (const key of NESTED) collect(record[key], facts, depth - 1);
  return facts;
}

/** llama.cpp names the sizes beside its message. */
function sizes({ n_prompt_tokens, n_ctx }: Record<string, unknown>): object {
  return { n_prompt_tokens, n_ctx };
}

import { totalUsage, type Usage } from "../message/message.ts";
import { errorLayers, layersText, statusOf } from "./error-layers.ts";

/** A provider's words about the size of a request that was too large. */
export interface ProviderOverflow {
  /** The model's limit in tokens, if the error names it. */
  readonly limit?: number;
  /** The tokens of the request, if the error names them. */
  readonly tokens?: number;
}

/** The words of each server for an overflow; the named groups are numbers of tokens. */
export const OVERFLOWS: readonly (readonly [server: string, RegExp])[] = [
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

/** The end of an answer, for an overflow that its provider did not call one. */
export interface AnswerEnd {
  /** The usage reported for the request. */
  readonly usage?: Usage;
  /** In the provider's own word: its `stop_reason`, `finish_reason`, `finishReason` or `status`. */
  readonly finish?: string;
}

/**
 * Recognises an overflow (T7) in what a provider answered: an `Error` of any SDK, a parsed error
 * body, a response text, by its text, code and status; or in the end of an answer, `{ usage, finish
 * }`, where the provider took more input than `window` holds (in tokens), or where the answer was cut
 * off with nothing in it or in a full window. Returns `undefined` when it is something else.
 * @example
 * import { recogniseOverflow } from "longhaul";
 *
 * const overflow = recogniseOverflow(new Error("prompt is too long: 22886 tokens > 20000 maximum"));
 * console.log(overflow?.limit); // 20000
 */
export function recogniseOverflow(
  given: unknown,
  window: number = Infinity,
): ProviderOverflow | undefined {
  if (isAnswerEnd(given)) return silentOverflow(given, window);
  const layers = errorLayers(given);
  const text = layersText(layers);
  for (const [, pattern] of OVERFLOWS) {
    const match = pattern.exec(text);
    if (match === null) continue;
    if (RATE_LIMIT.test(text) && match.groups?.["limit"] === undefined) return undefined;
    return numbers(match.groups);
  }
  return layers.some((layer) => statusOf(layer) === 413) ? {} : undefined;
}

/** An error may carry usage too, but says more by its text. */
function isAnswerEnd(given: unknown): given is AnswerEnd {
  if (typeof given !== "object" || given === null || given instanceof Error) return false;
  const { usage, finish } = given as AnswerEnd;
  const isReport = typeof usage?.input === "number" && typeof usage.output === "number";
  return isReport || (usage === undefined && typeof finish === "string");
}

const WINDOW_IS_FULL = /context_window_exceeded/i;
const CUT_OFF = /^(?:length|max_tokens|max_output_tokens|incomplete)$/i;

/** An answer that is cut off behind an input with this share of the window was cut off by the window. */
const FULL = 0.99;

function silentOverflow(
  { usage, finish = "" }: AnswerEnd,
  window: number,
): ProviderOverflow | undefined {
  const output = usage?.output ?? 0;
  const input = usage === undefined ? 0 : totalUsage(usage) - output;
  const said = input > 0 ? { tokens: input, limit: input + output } : {};
  if (WINDOW_IS_FULL.test(finish)) return said;
  // Its provider left something out and did not say what.
  if (input > window) return { tokens: input, limit: window };
  const isFull = input > 0 && (output === 0 || input >= window * FULL);
  return isFull && CUT_OFF.test(finish) ? said : undefined;
}

function numbers(groups: Record<string, string | undefined> | undefined): ProviderOverflow {
  return { limit: count(groups?.["limit"]), tokens: count(groups?.["tokens"]) };
}

function count(digits: string | undefined): number | undefined {
  const value = Number(digits?.replaceAll(",", ""));
  return value > 0 ? value : undefined;
}

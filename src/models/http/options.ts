import type { Environment } from "./environment.ts";

/** What the drivers that speak HTTP have in common. */
export interface HttpSummarizerOptions {
  readonly model: string;
  /** @default the provider's variable in the environment, looked up at each call */
  readonly apiKey?: string;
  /** Where the API is, e.g. a gateway. */
  readonly baseURL?: string;
  /** The model's context window in tokens. */
  readonly window?: number;
  /**
   * The most tokens that the answer may have, thinking included.
   * @default twice what the summary may have and 8000 more, between 1.25 times that and 16000, as far as the window goes
   */
  readonly maxTokens?: number;
  /** Further headers; they win over our own. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Further fields of the request; they win over our own. With `reusesPrompt` whatever the agent
   * sends beside messages and tools belongs here (`thinking`, `tool_choice`, `prompt_cache_key`),
   * since a provider's cache is only hit where these are the same.
   */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Whether it is the agent's own model, so that the agent's request can be its prefix. @default false */
  readonly reusesPrompt?: boolean;
  /**
   * Whether the answer comes as a stream. Without one nothing is on the wire while the model thinks,
   * and proxies close such connections. @default true
   */
  readonly stream?: boolean;
  /** Where keys and base URLs are looked up. @default the environment of the process */
  readonly env?: Environment;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * The further fields of one request. What they say about tools goes where it has none, because the
 * APIs refuse it then.
 */
export function furtherFields(
  { body = {} }: Pick<HttpSummarizerOptions, "body">,
  content: { readonly tools?: unknown },
): NonNullable<HttpSummarizerOptions["body"]> {
  if (content.tools !== undefined || body["tools"] !== undefined) return body;
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body;
  return rest;
}

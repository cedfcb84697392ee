import { endpoint } from "../http/endpoint.ts";
import { processEnvironment, variable } from "../http/environment.ts";
import { credentials } from "../http/credentials.ts";
import { brokenOff, withUsage } from "../http/failure.ts";
import { namedModel } from "../http/named-model.ts";
import { furtherFields, type HttpSummarizerOptions } from "../http/options.ts";
import { type ModelRequest, post } from "../http/post.ts";
import { inputTokens } from "../live-request.ts";
import { outputLimit } from "../output-limit.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest } from "../summarizer.ts";
import { addAnthropic, NO_ANSWER } from "./answer.ts";
import { canReuse, liveContent, promptContent } from "./request.ts";

const BASE_URL = "https://api.anthropic.com";
const VERSION = "2023-06-01";
/** Of every model that the API still serves. */
const WINDOW = 200_000;

/**
 * Summaries by Anthropic's Messages API, or one like it. The key is `ANTHROPIC_API_KEY`, the base
 * URL `ANTHROPIC_BASE_URL`, unless given. `summarize` throws `ContextError` code
 * `summarizer-failed`, or `invalid-options` where a key is missing, and never asks twice. Throws
 * `invalid-options` for options that make no sense.
 */
export function anthropicSummarizer(options: HttpSummarizerOptions): Summarizer {
  const model = namedModel(options);
  const { window = WINDOW, maxTokens, reusesPrompt = false } = options;
  const name = `anthropic:${model}`;
  return {
    name,
    window,
    ...(maxTokens !== undefined && { maxTokens }),
    reusesPrompt,
    canReuse,
    async summarize(request) {
      const call = requestFor(name, options, request);
      return complete(name, call);
    },
  };
}

function requestFor(
  summarizer: string,
  options: HttpSummarizerOptions,
  request: SummaryRequest,
): ModelRequest {
  const { model, env = processEnvironment(), window = WINDOW, maxTokens, stream = true } = options;
  const url = messagesUrl(options.baseURL ?? variable(env, "ANTHROPIC_BASE_URL") ?? BASE_URL);
  const { headers, ...rest } = credentials(options, url, {
    summarizer,
    variable: "ANTHROPIC_API_KEY",
    isNeeded: url.origin === BASE_URL,
    header: (key) => ({ "x-api-key": key }),
  });
  const prefix = request.live && liveContent(request.live);
  const live = prefix && request.live;
  const content = prefix ?? promptContent(request.prompt);
  const room = { cap: request.cap, maxTokens, window, inputTokens: inputTokens(request, live) };
  return {
    ...rest,
    summarizer,
    url: url.href,
    headers: { "anthropic-version": VERSION, ...headers },
    body: {
      model,
      max_tokens: outputLimit(room) + thinkingBudget(options.body),
      ...content,
      ...(stream && { stream }),
      ...furtherFields(options, content),
    },
    signal: request.signal,
    fetch: options.fetch,
  };
}

/** The API's own SDK puts the version into the path, others into the base URL. */
function messagesUrl(baseURL: string): URL {
  const base = endpoint(baseURL, "");
  const isVersioned = /\/v\d+(?:\/messages)?\/?$/.test(base.pathname);
  return endpoint(baseURL, isVersioned ? "/messages" : "/v1/messages");
}

/** The API wants the limit to be larger than the budget for thinking. */
function thinkingBudget(body: HttpSummarizerOptions["body"]): number {
  const thinking = body?.["thinking"] as { readonly budget_tokens?: unknown } | undefined;
  return typeof thinking?.budget_tokens === "number" ? thinking.budget_tokens : 0;
}

async function complete(summarizer: string, request: ModelRequest): Promise<SummaryAnswer> {
  let answer = NO_ANSWER;
  try {
    for await (const event of post(request)) answer = addAnthropic(answer, event);
    if (!answer.isComplete) throw brokenOff(summarizer);
  } catch (error) {
    throw withUsage(error, answer.usage);
  }
  const { isComplete: _, ...made } = answer;
  return { ...made, text: request.redact(made.text) };
}

import { DEFAULT_WINDOW } from "../../core/overflow/index.ts";
import { credentials } from "../http/credentials.ts";
import { endpoint } from "../http/endpoint.ts";
import { processEnvironment, variable } from "../http/environment.ts";
import { brokenOff, withUsage } from "../http/failure.ts";
import { namedModel } from "../http/named-model.ts";
import { furtherFields, type HttpSummarizerOptions } from "../http/options.ts";
import { DONE, type ModelRequest, post } from "../http/post.ts";
import { inputTokens } from "../live-request.ts";
import { outputLimit } from "../output-limit.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest } from "../summarizer.ts";
import { addChat, finishedAnswer, NO_ANSWER } from "./answer.ts";
import { canReuse, type ChatContent, liveContent, promptContent } from "./request.ts";

const OPENAI = "https://api.openai.com/v1";

/**
 * Summaries by OpenAI's Chat Completions, or a server that imitates them. Without a base URL it is
 * OpenAI: the key is `OPENAI_API_KEY`, the base URL `OPENAI_BASE_URL` if that is set. With one the
 * key is `OPENAI_COMPATIBLE_API_KEY`, if there is any: OpenAI's key is not sent to other servers.
 * `summarize` throws `ContextError` code `summarizer-failed`, or `invalid-options` where a key is
 * missing, and never asks twice. Throws `invalid-options` for options that make no sense.
 */
export function openaiCompatibleSummarizer(options: HttpSummarizerOptions): Summarizer {
  const model = namedModel(options);
  const { baseURL, window, maxTokens, reusesPrompt = false } = options;
  const name =
    baseURL === undefined
      ? `openai:${model}`
      : `openai-compatible:${withoutQuery(endpoint(baseURL, ""))}#${model}`;
  return {
    name,
    ...(window !== undefined && { window }),
    ...(maxTokens !== undefined && { maxTokens }),
    reusesPrompt,
    canReuse,
    async summarize(request) {
      return complete(requestFor(name, options, request));
    },
  };
}

/** A query may hold a key. */
function withoutQuery({ origin, pathname }: URL): string {
  return origin + pathname.replace(/\/$/, "");
}

function requestFor(
  summarizer: string,
  options: HttpSummarizerOptions,
  request: SummaryRequest,
): ModelRequest {
  const { env = processEnvironment(), baseURL } = options;
  const base = baseURL ?? variable(env, "OPENAI_BASE_URL") ?? OPENAI;
  const url = endpoint(base, "/chat/completions");
  const { headers, ...rest } = credentials(options, url, {
    summarizer,
    variable: baseURL === undefined ? "OPENAI_API_KEY" : "OPENAI_COMPATIBLE_API_KEY",
    isNeeded: baseURL === undefined && base === OPENAI,
    header: (key) => ({ authorization: `Bearer ${key}` }),
  });
  return {
    ...rest,
    summarizer,
    url: url.href,
    headers,
    body: bodyFor(url, options, request),
    signal: request.signal,
    fetch: options.fetch,
  };
}

function bodyFor(
  { origin }: URL,
  options: HttpSummarizerOptions,
  request: SummaryRequest,
): ModelRequest["body"] {
  const { model, maxTokens, window = DEFAULT_WINDOW, stream = true } = options;
  const prefix = request.live && liveContent(request.live);
  const live = prefix && request.live;
  const content: ChatContent = prefix ?? promptContent(request.prompt);
  const room = { cap: request.cap, maxTokens, window, inputTokens: inputTokens(request, live) };
  return {
    model,
    // OpenAI's reasoning models refuse the old name, other servers do not know the new one.
    [OPENAI.startsWith(`${origin}/`) ? "max_completion_tokens" : "max_tokens"]: outputLimit(room),
    ...content,
    ...(stream && { stream, stream_options: { include_usage: true } }),
    ...furtherFields(options, content),
  };
}

async function complete(request: ModelRequest): Promise<SummaryAnswer> {
  let answer = NO_ANSWER;
  try {
    for await (const chunk of post(request)) {
      answer = chunk === DONE ? { ...answer, isComplete: true } : addChat(answer, chunk);
    }
    if (!answer.isComplete) throw brokenOff(request.summarizer);
  } catch (error) {
    throw withUsage(error, answer.usage);
  }
  const made = finishedAnswer(answer);
  return { ...made, text: request.redact(made.text) };
}

import { DEFAULT_WINDOW } from "../core/overflow/index.ts";
import type { SummaryPrompt } from "../core/summary/prompt.ts";
import { encodeOpenAIChat } from "../dialects/openai-chat/encode.ts";
import type { ChatMessage } from "../dialects/openai-chat/wire.ts";
import { isWireObject, type WireObject } from "../dialects/wire.ts";
import {
  credentials,
  endpoint,
  furtherFields,
  type HttpSummarizerOptions,
  namedModel,
  processEnvironment,
  variable,
} from "./http-options.ts";
import { brokenOff, withUsage } from "./failure.ts";
import { DONE, type ModelRequest, post } from "./http.ts";
import {
  inputTokens,
  instructionMessage,
  type Live,
  outputLimit,
  wireTools,
} from "./live-request.ts";
import type {
  LiveRequest,
  Summarizer,
  SummaryAnswer,
  SummaryFinish,
  SummaryRequest,
  SummaryUsage,
} from "./summarizer.ts";

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

/** The part of a request that holds what is said. */
interface ChatContent {
  readonly tools?: readonly WireObject[];
  readonly messages: readonly ChatMessage[];
}

function promptContent({ system, user }: SummaryPrompt): ChatContent {
  return {
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
  };
}

/**
 * The agent's own request up to what is to be summarized, and the instruction behind it; the
 * provider finds the prefix by itself. `undefined` if its tools are not of this API.
 */
function liveContent(live: Live): ChatContent | undefined {
  const tools = wireTools(live, isTool);
  if (tools === undefined) return undefined;
  const system: ChatMessage[] = live.system ? [{ role: "system", content: live.system }] : [];
  const encoded = encodeOpenAIChat([...live.messages, instructionMessage(live)]);
  return {
    ...(tools.length > 0 && { tools }),
    messages: [...system, ...joinLast(encoded, live.instruction)],
  };
}

/** Whether {@link liveContent} has something to give. */
function canReuse(live: LiveRequest): boolean {
  return wireTools(live, isTool) !== undefined;
}

function isTool(tool: WireObject): boolean {
  return isWireObject(tool["function"]) || isWireObject(tool["custom"]);
}

/** Two messages of the user in a row are refused by some servers: the last one joins the other. */
function joinLast(messages: readonly ChatMessage[], instruction: string): readonly ChatMessage[] {
  const [before, last] = messages.slice(-2);
  if (before?.role !== "user" || last?.role !== "user") return messages;
  const content =
    typeof before.content === "string"
      ? `${before.content}\n\n${instruction}`
      : [...(before.content ?? []), { type: "text", text: instruction }];
  return [...messages.slice(0, -2), { ...before, content }];
}

const FINISHES: Readonly<Record<string, SummaryFinish>> = {
  stop: "stop",
  length: "length",
  tool_calls: "tool-calls",
  function_call: "tool-calls",
  content_filter: "content-filter",
};

/** An answer in the making; `isComplete` once the server has said so. */
interface ChatAnswer {
  readonly text: string;
  readonly finish?: SummaryFinish;
  readonly usage?: SummaryUsage;
  /** What tells the calls apart: their index, or their place. */
  readonly calls: ReadonlySet<number>;
  readonly isRefused: boolean;
  readonly isComplete: boolean;
}

const NO_ANSWER: ChatAnswer = {
  text: "",
  calls: new Set(),
  isRefused: false,
  isComplete: false,
};

/** Takes in a whole completion, or the next chunk of a stream. Reasoning is left out. */
function addChat(answer: ChatAnswer, chunk: unknown): ChatAnswer {
  if (!isWireObject(chunk)) return answer;
  const usage = chatUsage(chunk["usage"]);
  const counted = usage === undefined ? answer : { ...answer, usage };
  const choice: unknown = Array.isArray(chunk["choices"]) ? chunk["choices"][0] : undefined;
  if (!isWireObject(choice)) return counted;
  const said = choice["message"] ?? choice["delta"];
  const added = isWireObject(said) ? addSaid(counted, said) : counted;
  const reason = choice["finish_reason"];
  if (typeof reason !== "string") return added;
  return { ...added, finish: FINISHES[reason] ?? "other", isComplete: true };
}

function addSaid(answer: ChatAnswer, said: Readonly<Record<string, unknown>>): ChatAnswer {
  const calls = Array.isArray(said["tool_calls"]) ? (said["tool_calls"] as unknown[]) : [];
  const indexes = calls.map((call, at) => {
    const index = isWireObject(call) ? call["index"] : undefined;
    return typeof index === "number" ? index : at;
  });
  const legacy = isWireObject(said["function_call"]) ? [-1] : [];
  const refusal = said["refusal"];
  return {
    ...answer,
    text: answer.text + contentText(said["content"]),
    calls: new Set([...answer.calls, ...indexes, ...legacy]),
    isRefused: answer.isRefused || (typeof refusal === "string" && refusal !== ""),
  };
}

/** A string, or blocks of which only the text counts. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  const texts = content.map((block: unknown) =>
    isWireObject(block) && block["type"] === "text" ? block["text"] : "",
  );
  return texts.filter((text) => typeof text === "string").join("");
}

/** `prompt_tokens` has the cached ones in it; DeepSeek names those elsewhere. */
function chatUsage(usage: unknown): SummaryUsage | undefined {
  if (!isWireObject(usage) || typeof usage["prompt_tokens"] !== "number") return undefined;
  const details = usage["prompt_tokens_details"];
  const cached = isWireObject(details)
    ? details["cached_tokens"]
    : usage["prompt_cache_hit_tokens"];
  const output = usage["completion_tokens"];
  return {
    input: usage["prompt_tokens"],
    cached: typeof cached === "number" ? cached : 0,
    output: typeof output === "number" ? output : 0,
  };
}

/** Servers that know no field for it put the model's thinking before its answer. */
const THINKING = /^\s*<think(?:ing)?>[^]*?<\/think(?:ing)?>\s*/;

/** The answer in a whole completion, e.g. as the SDK gives it. */
export function chatAnswer(completion: unknown): SummaryAnswer {
  return finishedAnswer(addChat(NO_ANSWER, completion));
}

function finishedAnswer(answer: ChatAnswer): SummaryAnswer {
  const { text, usage, calls, isRefused } = answer;
  const finish = isRefused ? "content-filter" : (answer.finish ?? "stop");
  return {
    text: text.replace(THINKING, ""),
    ...(usage !== undefined && { usage }),
    finish,
    toolCalls: calls.size,
  };
}

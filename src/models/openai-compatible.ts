import { encodeOpenAIChat } from "../dialects/openai-chat/encode.ts";
import { wholeCompletion } from "../dialects/openai-chat/stream.ts";
import type { ChatMessage } from "../dialects/openai-chat/wire.ts";
import { fieldsOf } from "../core/text/json.ts";
import {
  isText,
  isWireObject,
  numberOf,
  objectsIn,
  textIn,
  type WireObject,
} from "../dialects/wire.ts";
import { DONE } from "./http.ts";
import {
  endpoint,
  type HttpAnswer,
  type HttpApi,
  httpSummarizer,
  type HttpSummarizerOptions,
} from "./http-summarizer.ts";
import { instructionMessage, type Live } from "./live-request.ts";
import { variable } from "./secrets.ts";
import type { Summarizer, SummaryAnswer, SummaryFinish, SummaryUsage } from "./summarizer.ts";

/**
 * Summaries by OpenAI's Chat Completions, or a server that imitates them. Without a base URL it is
 * OpenAI: the key is `OPENAI_API_KEY`, the base URL `OPENAI_BASE_URL` if that is set. With one the
 * key is `OPENAI_COMPATIBLE_API_KEY`, if there is any: OpenAI's key is not sent to other servers.
 * `summarize` throws `ContextError` code `summarizer-failed`, or `invalid-options` where a key is
 * missing, and never asks twice. Throws `invalid-options` for options that make no sense.
 */
export function openaiCompatibleSummarizer(options: HttpSummarizerOptions): Summarizer {
  return httpSummarizer(CHAT_COMPLETIONS, options);
}

/** The answer in a whole completion, e.g. as the SDK gives it. */
export function chatAnswer(completion: unknown): SummaryAnswer {
  return answerOf([completion]);
}

const OPENAI = "https://api.openai.com/v1";

const CHAT_COMPLETIONS: HttpApi = {
  nameOf({ baseURL, model }) {
    if (baseURL === undefined) return `openai:${model}`;
    // A query may hold a key.
    const { origin, pathname } = endpoint(baseURL, "");
    return `openai-compatible:${origin}${pathname.replace(/\/$/, "")}#${model}`;
  },
  placeOf({ baseURL }, env) {
    const base = baseURL ?? variable(env, "OPENAI_BASE_URL") ?? OPENAI;
    return {
      url: endpoint(base, "/chat/completions"),
      variable: baseURL === undefined ? "OPENAI_API_KEY" : "OPENAI_COMPATIBLE_API_KEY",
      needsKey: baseURL === undefined && base === OPENAI,
    };
  },
  keyHeaders: (key) => ({ authorization: `Bearer ${key}` }),
  isTool: (tool) => isWireObject(tool["function"]) || isWireObject(tool["custom"]),
  promptContent: ({ system, user }) => ({
    messages: [
      { role: "system", content: system },
      { role: "user", content: user },
    ],
  }),
  liveContent,
  answerFields: (limit, { stream = true }, { origin }) => ({
    // OpenAI's reasoning models refuse the old name, other servers do not know the new one.
    [OPENAI.startsWith(`${origin}/`) ? "max_completion_tokens" : "max_tokens"]: limit,
    stream: stream || undefined,
    stream_options: stream ? { include_usage: true } : undefined,
  }),
  answerOf,
};

/** The provider finds the prefix by itself. */
function liveContent(live: Live, tools: readonly WireObject[]) {
  const system: ChatMessage[] = live.system ? [{ role: "system", content: live.system }] : [];
  const encoded = encodeOpenAIChat([...live.messages, instructionMessage(live)]);
  const messages = [...system, ...joinLast(encoded, live.instruction)];
  return { tools: tools.length > 0 ? tools : undefined, messages };
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

/** A string, or blocks of which only the text counts. */
function contentText(content: unknown): string {
  if (typeof content === "string") return content;
  const blocks = objectsIn(content).filter(({ type }) => type === "text");
  return blocks.map((block) => textIn(block, "text") ?? "").join("");
}

/** `prompt_tokens` has the cached ones in it; DeepSeek names those elsewhere. */
function chatUsage(usage: unknown): SummaryUsage | undefined {
  if (!isWireObject(usage) || typeof usage["prompt_tokens"] !== "number") return undefined;
  const { cached_tokens: cached = usage["prompt_cache_hit_tokens"] } = fieldsOf(
    usage["prompt_tokens_details"],
  );
  return {
    input: usage["prompt_tokens"],
    cached: numberOf(cached),
    output: numberOf(usage["completion_tokens"]),
  };
}

/** Servers that know no field for it put the model's thinking before its answer. */
const THINKING = /^\s*<think(?:ing)?>[^]*?<\/think(?:ing)?>\s*/;

/** The answer in a whole completion, or in the chunks of a stream. Reasoning is left out. */
function answerOf(values: readonly unknown[]): HttpAnswer {
  const { choices, usage } = wholeCompletion(objectsIn(values));
  const [choice = {}] = objectsIn(choices);
  const { content, tool_calls, function_call, refusal } = fieldsOf(choice["message"]);
  const { finish_reason: reason } = choice;
  const finish = typeof reason === "string" ? (FINISHES[reason] ?? "other") : undefined;
  return {
    text: contentText(content).replace(THINKING, ""),
    usage: chatUsage(usage),
    finish: isText(refusal) ? "content-filter" : (finish ?? "stop"),
    toolCalls: objectsIn(tool_calls).length + (isWireObject(function_call) ? 1 : 0),
    isComplete: finish !== undefined || values.includes(DONE),
  };
}

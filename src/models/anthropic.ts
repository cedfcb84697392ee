import { fieldsOf } from "../core/text/json.ts";
import { encodeAnthropic } from "../dialects/anthropic/encode.ts";
import { wholeMessage } from "../dialects/anthropic/stream.ts";
import {
  type AnthropicConversation,
  type AnthropicMessage,
  contentBlocks,
  marksOf,
} from "../dialects/anthropic/wire.ts";
import {
  anthropicUsage,
  isWireBlock,
  isWireObject,
  numberIn,
  objectsIn,
  textIn,
  type WireBlock,
  type WireObject,
} from "../dialects/wire.ts";
import {
  endpoint,
  type HttpAnswer,
  type HttpApi,
  httpSummarizer,
  type HttpSummarizerOptions,
} from "./http-summarizer.ts";
import { instructionMessage, type Live } from "./live-request.ts";
import { variable } from "./secrets.ts";
import {
  type Summarizer,
  type SummaryAnswer,
  type SummaryFinish,
  summaryUsage,
} from "./summarizer.ts";

/**
 * Summaries by Anthropic's Messages API, or one like it. The key is `ANTHROPIC_API_KEY`, the base
 * URL `ANTHROPIC_BASE_URL`, unless given. `summarize` throws `ContextError` code
 * `summarizer-failed`, or `invalid-options` where a key is missing, and never asks twice. Throws
 * `invalid-options` for options that make no sense.
 */
export function anthropicSummarizer(options: HttpSummarizerOptions): Summarizer {
  return httpSummarizer(MESSAGES_API, options);
}

/** The answer in a whole message, e.g. as the SDK gives it. */
export function anthropicAnswer(message: unknown): SummaryAnswer {
  return answerOf([message]);
}

const BASE_URL = "https://api.anthropic.com";

const MESSAGES_API: HttpApi = {
  nameOf: ({ model }) => `anthropic:${model}`,
  // Of every model that the API still serves.
  window: 200_000,
  placeOf({ baseURL }, env) {
    const url = messagesUrl(baseURL ?? variable(env, "ANTHROPIC_BASE_URL") ?? BASE_URL);
    return { url, variable: "ANTHROPIC_API_KEY", needsKey: url.origin === BASE_URL };
  },
  headers: { "anthropic-version": "2023-06-01" },
  keyHeaders: (key) => ({ "x-api-key": key }),
  isTool,
  promptContent: ({ system, user }) => ({ system, messages: [{ role: "user", content: user }] }),
  liveContent,
  answerFields: (limit, { body, stream = true }) => ({
    // The limit must be larger than the budget for thinking.
    max_tokens: limit + (numberIn(fieldsOf(body?.["thinking"]), "budget_tokens") ?? 0),
    stream: stream || undefined,
  }),
  answerOf,
};

/** The API's own SDK puts the version into the path, others into the base URL. */
function messagesUrl(baseURL: string): URL {
  const base = endpoint(baseURL, "");
  const isVersioned = /\/v\d+(?:\/messages)?\/?$/.test(base.pathname);
  return endpoint(baseURL, isVersioned ? "/messages" : "/v1/messages");
}

/** The part of a request that holds what is said. */
type AnthropicContent = AnthropicConversation & { readonly tools?: readonly WireObject[] };

/** The API takes at most this many cache breakpoints in one request. */
const MAX_BREAKPOINTS = 4;
/** Blocks that cannot carry a breakpoint. */
const THINKING = new Set(["thinking", "redacted_thinking"]);

/** Behind the agent's own request there is a cache breakpoint, and then the instruction. */
function liveContent(live: Live, tools: readonly WireObject[]): AnthropicContent {
  const { system, messages } = encodeAnthropic([...live.messages, instructionMessage(live)]);
  const content: AnthropicContent = {
    tools: tools.length > 0 ? tools : undefined,
    system: joinSystem(live.system, system),
    messages,
  };
  if (marksOf([tools, content.system, messages]).length >= MAX_BREAKPOINTS) return content;
  return { ...content, messages: markShared(messages) };
}

/** Tools of the caller have a schema, those of the API itself a type with a date. */
function isTool(tool: WireObject): boolean {
  const isOwn = typeof tool["type"] === "string" && !/^(?:function|provider)/.test(tool["type"]);
  return typeof tool["name"] === "string" && (isOwn || isWireObject(tool["input_schema"]));
}

/** The system prompt beside the messages comes before the leading system messages. */
function joinSystem(
  own: string | undefined,
  leading: AnthropicConversation["system"],
): AnthropicConversation["system"] {
  if (own === undefined || own === "") return leading;
  return leading === undefined ? own : [...blocksOf(own), ...blocksOf(leading)];
}

function blocksOf(content: AnthropicMessage["content"]): readonly WireBlock[] {
  return contentBlocks(content) as readonly WireObject[] as readonly (WireBlock & WireObject)[];
}

/** Puts a breakpoint on the last block before the instruction, which is the last block of all. */
function markShared(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) continue;
    const blocks = blocksOf(message.content);
    const shared = at === messages.length - 1 ? blocks.slice(0, -1) : blocks;
    const index = shared.findLastIndex(
      (block) => !THINKING.has(block.type) && (!isWireBlock(block) || block["text"] !== ""),
    );
    const block = blocks[index];
    if (block === undefined) continue;
    const content = blocks.with(index, { cache_control: { type: "ephemeral" }, ...block });
    return messages.with(at, { ...message, content });
  }
  return messages;
}

const FINISHES: Readonly<Record<string, SummaryFinish>> = {
  end_turn: "stop",
  stop_sequence: "stop",
  max_tokens: "length",
  model_context_window_exceeded: "length",
  tool_use: "tool-calls",
  refusal: "content-filter",
};
const CALL = /^(?:server_|mcp_)?tool_use$/;

/** The answer in a whole message, or in the events of a stream. Thinking is left out. */
function answerOf(values: readonly unknown[]): HttpAnswer {
  const events = objectsIn(values);
  const whole = events.find(({ type }) => type === "message");
  const { content, usage, stop_reason: reason } = whole ?? wholeMessage(events);
  const blocks = objectsIn(content);
  return {
    text: blocks.map((block) => (block["type"] === "text" ? textIn(block, "text") : "")).join(""),
    usage: summaryUsage(anthropicUsage(usage)),
    finish: typeof reason === "string" ? (FINISHES[reason] ?? "other") : undefined,
    toolCalls: blocks.filter(({ type }) => CALL.test(String(type))).length,
    isComplete: whole !== undefined || events.some(({ type }) => type === "message_stop"),
  };
}

import type { SummaryPrompt } from "../core/summary/prompt.ts";
import { encodeAnthropic } from "../dialects/anthropic/encode.ts";
import type { AnthropicConversation, AnthropicMessage } from "../dialects/anthropic/wire.ts";
import { isWireBlock, isWireObject, type WireBlock, type WireObject } from "../dialects/wire.ts";
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
import { type ModelRequest, post } from "./http.ts";
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

/** The part of a request that holds what is said. */
type AnthropicContent = AnthropicConversation & { readonly tools?: readonly WireObject[] };

/** The API takes at most this many cache breakpoints in one request. */
const MAX_BREAKPOINTS = 4;
/** Blocks that cannot carry a breakpoint. */
const THINKING = new Set(["thinking", "redacted_thinking"]);

function promptContent({ system, user }: SummaryPrompt): AnthropicContent {
  return { system, messages: [{ role: "user", content: user }] };
}

/**
 * The agent's own request up to what is to be summarized, with a cache breakpoint on its last block,
 * and the instruction behind it. `undefined` if its tools are not of this API.
 */
function liveContent(live: Live): AnthropicContent | undefined {
  const tools = wireTools(live, isTool);
  if (tools === undefined) return undefined;
  const encoded = encodeAnthropic([...live.messages, instructionMessage(live)]);
  const system = joinSystem(live.system, encoded.system);
  const content: AnthropicContent = {
    ...(tools.length > 0 && { tools }),
    ...(system !== undefined && { system }),
    messages: encoded.messages,
  };
  if (breakpoints(content) >= MAX_BREAKPOINTS) return content;
  return { ...content, messages: markShared(encoded.messages) };
}

/** Whether {@link liveContent} has something to give. */
function canReuse(live: LiveRequest): boolean {
  return wireTools(live, isTool) !== undefined;
}

/** Tools of the caller have a schema, those of the API itself a type with a date. */
function isTool(tool: WireObject): boolean {
  const isOwn = typeof tool["type"] === "string" && !/^(?:function|provider)/.test(tool["type"]);
  return typeof tool["name"] === "string" && (isOwn || isWireObject(tool["input_schema"]));
}

/** What stands beside the messages comes first. */
function joinSystem(
  beside: string | undefined,
  leading: AnthropicConversation["system"],
): AnthropicConversation["system"] {
  if (beside === undefined || beside === "") return leading;
  return leading === undefined ? beside : [...blocksOf(beside), ...blocksOf(leading)];
}

function blocksOf(content: AnthropicMessage["content"]): readonly WireBlock[] {
  if (typeof content !== "string") return content ?? [];
  return [{ type: "text", text: content }];
}

/** Counts `cache_control` wherever it may stand. */
function breakpoints({ system, tools = [], messages }: AnthropicContent): number {
  const blocks = [...blocksOf(system), ...messages.flatMap(({ content }) => blocksOf(content))];
  const inner = blocks.flatMap((block) =>
    isWireBlock(block) && Array.isArray(block["content"]) ? block["content"] : [],
  );
  return [...tools, ...blocks, ...inner].filter(
    (block: unknown) => isWireObject(block) && isWireObject(block["cache_control"]),
  ).length;
}

/** Puts a breakpoint on the last block before the instruction, which is the last block of all. */
function markShared(messages: readonly AnthropicMessage[]): readonly AnthropicMessage[] {
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at];
    if (message === undefined) continue;
    const blocks = blocksOf(message.content);
    const shared = at === messages.length - 1 ? blocks.slice(0, -1) : blocks;
    const index = shared.findLastIndex((block) => canBeMarked(block));
    if (index >= 0) return messages.with(at, { ...message, content: markBlock(blocks, index) });
  }
  return messages;
}

function canBeMarked(block: WireBlock): boolean {
  return !THINKING.has(block.type) && (!isWireBlock(block) || block["text"] !== "");
}

function markBlock(blocks: readonly WireBlock[], index: number): readonly WireBlock[] {
  return blocks.map((block, at) =>
    at === index ? { cache_control: { type: "ephemeral" }, ...block } : block,
  );
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

/** An answer in the making; `isComplete` once the API has said so. */
interface AnthropicAnswer extends SummaryAnswer {
  readonly toolCalls: number;
  readonly isComplete: boolean;
}

const NO_ANSWER: AnthropicAnswer = { text: "", toolCalls: 0, isComplete: false };

/** The answer in a whole message, e.g. as the SDK gives it. */
export function anthropicAnswer(message: unknown): SummaryAnswer {
  return addAnthropic(NO_ANSWER, message);
}

/** Takes in a whole message, or the next event of a stream. Thinking is left out. */
function addAnthropic(answer: AnthropicAnswer, event: unknown): AnthropicAnswer {
  if (!isWireObject(event)) return answer;
  switch (event["type"]) {
    case "message":
      return { ...wholeMessage(answer, event), isComplete: true };
    case "message_start":
      return isWireObject(event["message"]) ? wholeMessage(answer, event["message"]) : answer;
    case "content_block_start":
      return addBlock(answer, event["content_block"]);
    case "content_block_delta":
      return addBlock(answer, event["delta"]);
    case "message_delta":
      return addEnd(answer, { ...event, ...objectOf(event["delta"]) });
    case "message_stop":
      return { ...answer, isComplete: true };
    default:
      return answer;
  }
}

function wholeMessage(answer: AnthropicAnswer, message: WireObject): AnthropicAnswer {
  const content: readonly unknown[] = Array.isArray(message["content"]) ? message["content"] : [];
  return addEnd(content.reduce(addBlock, answer), message);
}

/** A block, or the piece of one. */
function addBlock(answer: AnthropicAnswer, block: unknown): AnthropicAnswer {
  if (!isWireObject(block)) return answer;
  const { type, text } = block;
  if (typeof type === "string" && CALL.test(type)) {
    return { ...answer, toolCalls: answer.toolCalls + 1 };
  }
  const isText = (type === "text" || type === "text_delta") && typeof text === "string";
  return isText ? { ...answer, text: answer.text + text } : answer;
}

function addEnd(answer: AnthropicAnswer, end: WireObject): AnthropicAnswer {
  const reason = end["stop_reason"];
  const usage = addUsage(answer.usage, end["usage"]);
  return {
    ...answer,
    ...(usage !== undefined && { usage }),
    ...(typeof reason === "string" && { finish: FINISHES[reason] ?? "other" }),
  };
}

/** Counts of a stream are cumulative, and those of the input need not come twice. */
function addUsage(before: SummaryUsage | undefined, usage: unknown): SummaryUsage | undefined {
  if (!isWireObject(usage)) return before;
  const cached = numberOf(usage["cache_read_input_tokens"]);
  const written = numberOf(usage["cache_creation_input_tokens"]);
  const uncached = numberOf(usage["input_tokens"]);
  // Anthropic counts what is read from and written to the cache beside the input.
  const input = (uncached ?? 0) + (cached ?? 0) + (written ?? 0);
  const counted: SummaryUsage = {
    input: Math.max(before?.input ?? 0, input),
    cached: Math.max(before?.cached ?? 0, cached ?? 0),
    output: Math.max(before?.output ?? 0, numberOf(usage["output_tokens"]) ?? 0),
  };
  return counted;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

function objectOf(value: unknown): WireObject {
  return isWireObject(value) ? value : {};
}

import { checkNames, type OptionNames } from "../core/options.ts";
import { DEFAULT_WINDOW } from "../core/overflow/budget.ts";
import { encodeAiSdk } from "../dialects/ai-sdk/encode.ts";
import { aiSdkUsage } from "../dialects/ai-sdk/wire.ts";
import {
  type AiSdkModel,
  checkedModel,
  modelPrompt,
  modelTools,
  type PromptMessage,
} from "../dialects/ai-sdk/model-prompt.ts";
import { fieldsOf } from "../core/text/json.ts";
import { isWireObject, objectsIn, textIn, type WireObject } from "../dialects/wire.ts";
import { askSdk } from "./failure.ts";
import { checkedTokens } from "./http-summarizer.ts";
import { inputTokens, instructionMessage, type Live, outputLimit } from "./live-request.ts";
import {
  type Summarizer,
  type SummaryAnswer,
  type SummaryFinish,
  type SummaryRequest,
  summaryUsage,
} from "./summarizer.ts";

export interface AiSdkSummarizerOptions {
  /** A model of `ai` 5, 6 or 7, e.g. `anthropic("claude-haiku-4-5")`; its key is its provider's. */
  readonly model: AiSdkModel;
  /** The model's context window in tokens. @default 128000 */
  readonly window?: number;
  /** The most tokens that the answer may have, thinking included. @default as for the other drivers */
  readonly maxTokens?: number;
  /** Whether it is the agent's own model, so that the agent's request can be its prefix. @default false */
  readonly reusesPrompt?: boolean;
  /** As the agent sends them: a provider's cache is only hit where these are the same. */
  readonly providerOptions?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly headers?: Readonly<Record<string, string>>;
}

const AI_SDK_OPTIONS: OptionNames<AiSdkSummarizerOptions> = {
  model: true,
  window: true,
  maxTokens: true,
  reusesPrompt: true,
  providerOptions: true,
  headers: true,
};

/**
 * Summaries by any language model of the AI SDK; `ai` itself is not needed. `summarize` throws
 * `ContextError` code `summarizer-failed` and never asks twice. Throws `invalid-options` for
 * anything but a model object.
 */
export function aiSdkSummarizer(options: AiSdkSummarizerOptions): Summarizer {
  const model = checkedModel(options.model);
  checkNames(options, AI_SDK_OPTIONS);
  checkedTokens(options);
  const { window = DEFAULT_WINDOW, maxTokens, reusesPrompt = false } = options;
  const name = `${model.provider}:${model.modelId}`;
  return {
    name,
    window,
    maxTokens,
    reusesPrompt,
    canReuse: async (live) =>
      (await modelTools(live.tools, model.specificationVersion)) !== undefined,
    summarize: (request) => askSdk(name, request.signal, () => generate(model, options, request)),
  };
}

async function generate(
  model: AiSdkModel,
  options: AiSdkSummarizerOptions,
  request: SummaryRequest,
): Promise<SummaryAnswer> {
  const { maxTokens, window = DEFAULT_WINDOW, providerOptions, headers } = options;
  const prefix = request.live && (await liveContent(request.live, model));
  const live = prefix && request.live;
  const tokens = await inputTokens(request, live);
  const room = { cap: request.cap, maxTokens, window, inputTokens: tokens };
  const call = {
    ...(prefix ?? promptContent(request)),
    maxOutputTokens: outputLimit(room),
    abortSignal: request.signal,
    // No provider reads it; a middleware of ours must not take this for a call of the agent.
    providerOptions: { ...providerOptions, longhaul: { summary: true } },
    headers,
  };
  return aiSdkAnswer(await model.doGenerate(call as never));
}

/** The part of a model's call options that holds what is said. */
interface CallContent {
  readonly prompt: readonly PromptMessage[];
  readonly tools?: readonly WireObject[];
  readonly toolChoice?: { readonly type: "auto" };
}

function promptContent({ prompt }: SummaryRequest): CallContent {
  return {
    prompt: [
      { role: "system", content: prompt.system },
      { role: "user", content: [{ type: "text", text: prompt.user }] },
    ],
  };
}

/**
 * The agent's own request and the instruction behind it; `undefined` if its tools cannot be told to
 * the model.
 */
async function liveContent(live: Live, model: AiSdkModel): Promise<CallContent | undefined> {
  const version = model.specificationVersion;
  const tools = await modelTools(live.tools, version);
  if (tools === undefined) return undefined;
  const system: PromptMessage[] = live.system ? [{ role: "system", content: live.system }] : [];
  const shared = [...system, ...modelPrompt(encodeAiSdk(live.messages), version)];
  const instruction = modelPrompt(encodeAiSdk([instructionMessage(live)]), version);
  return {
    prompt: [...withBreakpoint(shared, tools, model), ...instruction],
    // The SDK says `auto` where nobody says anything, and so must we.
    ...(tools.length > 0 && { tools, toolChoice: { type: "auto" } }),
  };
}

/** Claude takes at most this many cache breakpoints in one request. */
const MAX_BREAKPOINTS = 4;

/** Claude caches what is marked; other models find the prefix by themselves. */
function withBreakpoint(
  shared: readonly PromptMessage[],
  tools: readonly WireObject[],
  { provider, modelId }: AiSdkModel,
): readonly PromptMessage[] {
  const last = shared.at(-1);
  const isClaude = /anthropic|claude/i.test(`${provider} ${modelId}`);
  const marked = [...tools, ...shared, ...shared.flatMap(({ content }) => [...content])];
  const count = marked.filter((place) => isMarked(place)).length;
  if (last === undefined || !isClaude || count >= MAX_BREAKPOINTS || isMarked(last)) return shared;
  const before = fieldsOf(last.providerOptions);
  const anthropic = { ...fieldsOf(before["anthropic"]), cacheControl: { type: "ephemeral" } };
  return [...shared.slice(0, -1), { ...last, providerOptions: { ...before, anthropic } }];
}

function isMarked(place: unknown): boolean {
  const { anthropic } = fieldsOf(fieldsOf(place)["providerOptions"]);
  const { cacheControl, cache_control = cacheControl } = fieldsOf(anthropic);
  return cache_control !== undefined;
}

const FINISHES: Readonly<Record<string, SummaryFinish>> = {
  stop: "stop",
  length: "length",
  "tool-calls": "tool-calls",
  "content-filter": "content-filter",
  error: "error",
  interrupted: "error",
};

/** A model's answer, without its reasoning and its sources. */
function aiSdkAnswer(result: unknown): SummaryAnswer {
  const made = fieldsOf(result);
  const parts = objectsIn(made["content"]);
  const texts = parts.filter(({ type }) => type === "text");
  return {
    text: texts.map((part) => textIn(part, "text") ?? "").join(""),
    finish: finishOf(made["finishReason"]),
    toolCalls: parts.filter(({ type }) => type === "tool-call").length,
    usage: summaryUsage(aiSdkUsage(made)),
  };
}

/** A word up to version 2, an object since. */
function finishOf(reason: unknown): SummaryFinish {
  const word = isWireObject(reason) ? reason["unified"] : reason;
  return typeof word === "string" ? (FINISHES[word] ?? "other") : "other";
}

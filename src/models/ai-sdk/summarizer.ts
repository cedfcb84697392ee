import { type ContextError, errorMessage } from "../../core/error.ts";
import { DEFAULT_WINDOW } from "../../core/overflow/index.ts";
import type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { processEnvironment } from "../http/environment.ts";
import { quoted, summarizerFailed } from "../http/failure.ts";
import { checkedTokens } from "../http/named-model.ts";
import { redactor, secretsOf } from "../http/redact.ts";
import { retryAfterMs } from "../http/retry-after.ts";
import { inputTokens } from "../live-request.ts";
import { outputLimit } from "../output-limit.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest } from "../summarizer.ts";
import { aiSdkAnswer } from "./answer.ts";
import { canReuse, liveContent, promptContent } from "./call.ts";
import { checkedModel } from "./model.ts";

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

/**
 * Summaries by any language model of the AI SDK; `ai` itself is not needed. `summarize` throws
 * `ContextError` code `summarizer-failed` and never asks twice. Throws `invalid-options` for
 * anything but a model object.
 */
export function aiSdkSummarizer(options: AiSdkSummarizerOptions): Summarizer {
  const model = checkedModel(options.model);
  checkedTokens(options);
  const { window = DEFAULT_WINDOW, maxTokens, reusesPrompt = false } = options;
  const name = `${model.provider}:${model.modelId}`;
  return {
    name,
    window,
    ...(maxTokens !== undefined && { maxTokens }),
    reusesPrompt,
    canReuse: (live) => canReuse(live, model),
    async summarize(request) {
      request.signal.throwIfAborted();
      try {
        return await generate(model, options, request);
      } catch (error) {
        request.signal.throwIfAborted();
        throw failureOf(name, error);
      }
    },
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
  const room = { cap: request.cap, maxTokens, window, inputTokens: inputTokens(request, live) };
  const call = {
    ...(prefix ?? promptContent(request)),
    maxOutputTokens: outputLimit(room),
    abortSignal: request.signal,
    // No provider reads it; a middleware of ours must not take this for a call of the agent.
    providerOptions: { ...providerOptions, longhaul: { summary: true } },
    ...(headers !== undefined && { headers }),
  };
  return aiSdkAnswer(await model.doGenerate(call as never), model);
}

/** An error of the SDK holds the whole request; only what it says is passed on. */
function failureOf(summarizer: string, error: unknown): ContextError {
  const redact = redactor(secretsOf(processEnvironment()));
  const message = errorMessage(error);
  const { statusCode, responseHeaders } = isWireObject(error) ? error : ({} as never);
  const status = typeof statusCode === "number" ? statusCode : undefined;
  const headers = isWireObject(responseHeaders) ? responseHeaders : {};
  const wait = retryAfterMs({ get: (name) => textOf(headers[name]) }, Date.now());
  const said = status === undefined ? "failed" : `answered ${status}`;
  return summarizerFailed(`${said}: ${quoted(redact(message))}.`, {
    summarizer,
    ...(status !== undefined && { status }),
    ...(wait !== undefined && { retryAfterMs: wait }),
  });
}

function textOf(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

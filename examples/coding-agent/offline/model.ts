import { setTimeout as pause } from "node:timers/promises";
import { APICallError } from "ai";
import { promptProblem } from "./prompt-problem.ts";
import { createPromptCounter } from "./prompt-tokens.ts";
import type { Answer } from "./answer.ts";
import { answerTo } from "./script.ts";
import { callId, sightOf } from "./sight.ts";
import type { Model, ModelAnswer, ModelOptions } from "./types.ts";

export interface OfflineModelOptions {
  /** In tokens; prompt and answer together must fit. */
  readonly window: number;
  /** How long it "thinks" about each step, so that a person can follow; in ms. */
  readonly delayMs: number;
}

/**
 * A model that needs no network: it follows a script, and finds its place in it by what it sees in
 * its prompt alone. As strict as a provider: a prompt that is too long, counted exactly, or not
 * legal is refused with status 400.
 */
export function offlineModel({ window, delayMs }: OfflineModelOptions): Model {
  const count = createPromptCounter();
  return {
    specificationVersion: "v3",
    provider: "offline",
    modelId: "scripted",
    supportedUrls: {},
    async doGenerate(options) {
      const { prompt, maxOutputTokens = 0, abortSignal } = options;
      const problem = promptProblem(prompt);
      if (problem !== undefined) throw refusal(`invalid request: ${problem}`, options);
      const tokens = count(options);
      if (tokens + maxOutputTokens > window) {
        const sizes = `${tokens} + ${maxOutputTokens} > ${window}`;
        throw refusal(`input length and max_tokens exceed context limit: ${sizes}`, options);
      }
      if (delayMs > 0) await pause(delayMs, undefined, abortSignal && { signal: abortSignal });
      const sight = sightOf(options);
      return modelAnswer(answerTo(sight), sight.step + 1, tokens);
    },
    doStream: () => Promise.reject(new Error("The offline model answers in one piece.")),
  };
}

/** The shape in which the AI SDK reports what a provider refuses. */
function refusal(message: string, { prompt }: ModelOptions): APICallError {
  return new APICallError({
    message,
    url: "offline:",
    requestBodyValues: { messages: prompt.length },
    statusCode: 400,
    responseBody: JSON.stringify({ error: { type: "invalid_request_error", message } }),
    isRetryable: false,
  });
}

function modelAnswer({ text, calls }: Answer, step: number, tokens: number): ModelAnswer {
  const written = Math.ceil(JSON.stringify([text, calls]).length / 4);
  return {
    content: [
      ...(text === undefined ? [] : [{ type: "text" as const, text }]),
      ...calls.map(([toolName, input], index) => ({
        type: "tool-call" as const,
        toolCallId: callId(step, index),
        toolName,
        input: JSON.stringify(input),
      })),
    ],
    finishReason: { unified: calls.length > 0 ? "tool-calls" : "stop", raw: undefined },
    usage: {
      inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
      outputTokens: { total: written, text: written, reasoning: 0 },
    },
    warnings: [],
  };
}

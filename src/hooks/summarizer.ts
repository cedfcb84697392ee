import { ContextError } from "../core/error.ts";
import { modelWindow } from "../core/overflow/index.ts";
import { quoted, summarizerFailed } from "../models/failure.ts";
import { processEnvironment, redactor, secretsOf } from "../models/http-options.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest } from "../models/summarizer.ts";

export interface SdkSummarizer {
  /** For reports, e.g. `anthropic:claude-haiku-4-5`. */
  readonly name: string;
  readonly window?: number;
  readonly ask: (request: SummaryRequest) => Promise<SummaryAnswer>;
}

/** A summarizer on what an SDK calls models with. No key of the environment gets into its errors. */
export function sdkSummarizer({ name, window, ask }: SdkSummarizer): Summarizer {
  return {
    name,
    ...(window !== undefined && { window }),
    async summarize(request) {
      request.signal.throwIfAborted();
      try {
        return await ask(request);
      } catch (error) {
        request.signal.throwIfAborted();
        const redact = redactor(secretsOf(processEnvironment()));
        const message = error instanceof Error ? error.message : String(error);
        throw summarizerFailed(`failed: ${quoted(redact(message))}.`, { summarizer: name });
      }
    },
  };
}

/** The same on a client, which wants to be told the model: that is the agent's own. */
export function clientSummarizer(
  provider: string,
  model: unknown,
  ask: (request: SummaryRequest, model: string) => Promise<SummaryAnswer>,
): Summarizer {
  if (typeof model !== "string") {
    throw new ContextError(
      "invalid-options",
      `The option summarizer is a client, and the option model is ${String(model)}; give the id of the model that writes the summaries as model, or a summarizer of longhaul/models.`,
      { details: { option: "summarizer" } },
    );
  }
  const window = modelWindow(model);
  return sdkSummarizer({
    name: `${provider}:${model}`,
    window,
    ask: (request) => ask(request, model),
  });
}

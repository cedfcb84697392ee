import { ContextError } from "../core/error.ts";
import type { Usage } from "../core/message/index.ts";
import { modelWindow } from "../core/overflow/budget.ts";
import { askSdk } from "../models/failure.ts";
import type {
  Summarizer,
  SummaryAnswer,
  SummaryRequest,
  SummaryUsage,
} from "../models/summarizer.ts";

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
    window,
    summarize: (request) => askSdk(name, request.signal, () => ask(request)),
  };
}

/** The usage of a call, where the cache is a part of the input. */
export function summaryUsage(usage: Usage | undefined): SummaryUsage | undefined {
  if (usage === undefined) return undefined;
  const { input, cacheRead = 0, cacheWrite = 0, output } = usage;
  return { input: input + cacheRead + cacheWrite, cached: cacheRead, output };
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

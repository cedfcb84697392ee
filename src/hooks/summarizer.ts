import { ContextError } from "../core/error.ts";
import { modelWindow } from "../core/overflow/budget.ts";
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
    window,
    async summarize(request) {
      const { askSdk } = await import("../models/failure.ts");
      return askSdk(name, request.signal, () => ask(request));
    },
  };
}

/** A summarizer whose driver is loaded when it is asked for the first time. */
export function summarizerOnCall(
  facts: Pick<Summarizer, "name" | "window" | "reusesPrompt">,
  load: () => Promise<Summarizer>,
): Summarizer {
  return {
    ...facts,
    async canReuse(live) {
      const driver = await load();
      return driver.canReuse?.(live) ?? true;
    },
    summarize: async (request) => (await load()).summarize(request),
  };
}

/** A summarizer on an id of OpenAI, with the key of the environment. */
export function openaiById(model: string): Summarizer {
  return summarizerOnCall({ name: `openai:${model}`, window: modelWindow(model) }, async () => {
    const { openaiCompatibleSummarizer } = await import("../models/openai-compatible.ts");
    return openaiCompatibleSummarizer({ model });
  });
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

import type { ContextOptions } from "../../context/index.ts";
import { modelWindow } from "../../core/overflow/index.ts";
import type { AiSdkModel } from "../../dialects/ai-sdk/model-prompt.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { aiSdkSummarizer } from "../../models/ai-sdk.ts";

/**
 * The summarizer that was meant, where a language model of the SDK may be given as it is; `agent` is
 * the agent's own model.
 */
export function modelSummarizer(
  summarizer: NonNullable<ContextOptions["summarizer"]> | AiSdkModel,
  agent?: unknown,
): NonNullable<ContextOptions["summarizer"]> {
  if (!isModel(summarizer)) return summarizer;
  const window = modelWindow(summarizer.modelId);
  return aiSdkSummarizer({
    model: summarizer,
    ...(window !== undefined && { window }),
    // The provider has the agent's own request in its prompt cache.
    reusesPrompt: summarizer === agent,
  });
}

function isModel(value: unknown): value is AiSdkModel {
  return isWireObject(value) && typeof value["doGenerate"] === "function";
}

/** Mastra: limits the prompt before every call of the model. */
import { TokenLimiterProcessor } from "@mastra/core/processors";
import type { ModelMessage } from "ai";
import type { Message } from "../../../src/core/message/index.ts";
import { contextBudget } from "../../../src/core/overflow/index.ts";
import type { Contestant } from "../contestants.ts";
import { fromAiSdk, promptOf } from "./ai-sdk.ts";
import { largest } from "./largest.ts";

async function limited(
  past: readonly Message[],
  limit: number,
): Promise<readonly Message[] | undefined> {
  const limiter = new TokenLimiterProcessor(limit);
  const prompt = promptOf(past);
  try {
    const result = await limiter.processLLMRequest({ prompt } as never);
    const kept = (result as { readonly prompt?: readonly ModelMessage[] } | undefined)?.prompt;
    return fromAiSdk(kept ?? prompt);
  } catch {
    // It throws where not even one message fits.
    return undefined;
  }
}

export const MASTRA: readonly Contestant[] = [
  {
    name: "Mastra 1.71.0 TokenLimiter",
    does: "the newest messages within a limit by its own count, and older ones that still fit; usable by default",
    byDefault: async ({ past, window }) => {
      const messages = await limited(past, contextBudget({ window }).usable);
      return messages && { messages };
    },
    within: ({ past }, tokens) => largest(tokens * 2, tokens, (limit) => limited(past, limit)),
  },
];

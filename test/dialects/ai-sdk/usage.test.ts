import { describe, expect, it } from "vitest";
import { aiSdkUsage } from "../../../src/dialects/ai-sdk/wire.ts";

describe("usage", () => {
  it("of a step, versions 6 and 7", () => {
    const usage = {
      inputTokens: 1_000,
      inputTokenDetails: { noCacheTokens: 100, cacheReadTokens: 700, cacheWriteTokens: 200 },
      outputTokens: 50,
      totalTokens: 1_050,
      cachedInputTokens: 700,
    };
    const parts = { input: 100, cacheRead: 700, cacheWrite: 200, output: 50 };
    expect(aiSdkUsage({ usage })).toEqual(parts);
  });

  it("of a step whose cache is not known", () => {
    const none = { noCacheTokens: undefined, cacheReadTokens: undefined };
    const usage = { inputTokens: 1_000, inputTokenDetails: none, outputTokens: undefined };
    expect(aiSdkUsage({ usage })).toEqual({ input: 1_000, output: 0 });
  });

  it("of a model's result, versions 3 and 4", () => {
    const usage = {
      inputTokens: { total: 1_000, noCache: 300, cacheRead: 700, cacheWrite: undefined },
      outputTokens: { total: 50, text: 50, reasoning: 0 },
    };
    expect(aiSdkUsage({ usage })).toEqual({ input: 300, cacheRead: 700, output: 50 });
    const parts = { inputTokens: { noCache: 300, cacheRead: 700 }, outputTokens: { total: 5 } };
    expect(aiSdkUsage({ usage: parts })).toEqual({ input: 300, cacheRead: 700, output: 5 });
  });

  it("of version 5, where OpenAI counts the cache as input and Anthropic does not", () => {
    const usage = { inputTokens: 1_000, cachedInputTokens: 700, outputTokens: 50 };
    expect(aiSdkUsage({ usage })).toEqual({ input: 300, cacheRead: 700, output: 50 });
    const providerMetadata = { anthropic: { cacheCreationInputTokens: 30 } };
    const beside = { input: 1_000, cacheRead: 700, cacheWrite: 30, output: 50 };
    expect(aiSdkUsage({ usage, providerMetadata })).toEqual(beside);
    const impossible = { inputTokens: 10, cachedInputTokens: 700, outputTokens: 50 };
    expect(aiSdkUsage({ usage: impossible })).toEqual({ input: 10, cacheRead: 700, output: 50 });
  });

  it.each([
    {},
    { usage: null },
    { usage: { inputTokens: undefined, outputTokens: undefined } },
    { usage: { inputTokens: {}, outputTokens: {} } },
    { usage: { inputTokens: undefined, inputTokenDetails: {}, outputTokens: 3 } },
  ])("that says nothing is none: %j", (reported) => {
    expect(aiSdkUsage(reported)).toBeUndefined();
  });
});

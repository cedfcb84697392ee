import { type LanguageModel, wrapLanguageModel } from "ai";
import type { LanguageModel as LanguageModel7 } from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createAnthropic } from "@ai-sdk/anthropic";
import { describe, expect, expectTypeOf, it, vi } from "vitest";
import { type AiSdkModel, aiSdkSummarizer } from "../../src/models/index.ts";
import { summaryRequest } from "./summary-request.ts";

type Version<Model, Name> = Extract<Model, { readonly specificationVersion: Name }>;

/** A model that generates the same each time. */
function modelWith(result: unknown, changes: object = {}): AiSdkModel {
  return {
    specificationVersion: "v3",
    provider: "test",
    modelId: "m",
    doGenerate: () => Promise.resolve(result),
    ...changes,
  };
}

const text = { type: "text", text: "Fine." };

describe("models", () => {
  it("of all versions fit, wrapped ones too", () => {
    expectTypeOf<Version<LanguageModel, "v2">>().toExtend<AiSdkModel>();
    expectTypeOf<Version<LanguageModel, "v3">>().toExtend<AiSdkModel>();
    expectTypeOf<Version<LanguageModel7, "v4">>().toExtend<AiSdkModel>();
    expectTypeOf<Version<LanguageModel7, "v4">>().not.toBeNever();
    const model = createAnthropic({ apiKey: "k" })("claude-sonnet-4-5");
    const wrapped = wrapLanguageModel({ model, middleware: { specificationVersion: "v3" } });
    expect(aiSdkSummarizer({ model: wrapped }).name).toBe("anthropic.messages:claude-sonnet-4-5");
    const newer = createAnthropic7({ apiKey: "k" })("claude-sonnet-4-5");
    expect(aiSdkSummarizer({ model: newer })).toMatchObject({ window: 128_000 });
  });

  it.each([
    ["a model's id", "anthropic/claude-haiku-4-5", /only the id of a model; make it with/],
    ["nothing", undefined, /no language model/],
    ["an embedding model", { specificationVersion: "v3", doEmbed: () => [] }, /no language model/],
    ["an old model", { specificationVersion: "v1", doGenerate: () => 1 }, /version v1/],
    ["a newer model", { specificationVersion: "v5", doGenerate: () => 1 }, /version v5/],
  ])("%s is refused at once", (_, model, message) => {
    expect(() => aiSdkSummarizer({ model: model as never })).toThrow(
      expect.objectContaining({
        code: "invalid-options",
        message: expect.stringMatching(message),
      }),
    );
  });

  it.each([{ window: 0 }, { maxTokens: 1.5 }])("%j makes no sense", (sizes) => {
    expect(() => aiSdkSummarizer({ model: modelWith({}), ...sizes })).toThrow(/whole number/);
  });
});

describe("usage of all versions", () => {
  const total = { total: 100, noCache: 20, cacheRead: 70, cacheWrite: 10 };
  it.each([
    ["v2", "openai.chat", { inputTokens: 100, outputTokens: 5, cachedInputTokens: 70 }, 100],
    ["v2", "anthropic.messages", { inputTokens: 30, outputTokens: 5, cachedInputTokens: 70 }, 112],
    ["v2", "other", { inputTokens: 30, outputTokens: 5, cachedInputTokens: 70 }, 112],
    ["v3", "openai.chat", { inputTokens: total, outputTokens: { total: 5 } }, 100],
    ["v4", "a", { inputTokens: { ...total, total: undefined }, outputTokens: { total: 5 } }, 100],
  ])("%s of %s", async (specificationVersion, provider, usage, input) => {
    const isOpenAi = provider.startsWith("openai");
    const providerMetadata = isOpenAi ? {} : { anthropic: { cacheCreationInputTokens: 12 } };
    const result = { content: [text], finishReason: "stop", usage, providerMetadata };
    const model = modelWith(result, { specificationVersion, provider });
    const answer = await aiSdkSummarizer({ model }).summarize(summaryRequest());
    expect(answer.usage).toEqual({ input, cached: 70, output: 5 });
  });

  it.each([
    undefined,
    { inputTokens: undefined, outputTokens: undefined },
    { inputTokens: { total: undefined }, outputTokens: { total: undefined } },
  ])("%j is none", async (usage) => {
    const model = modelWith({ content: [text], finishReason: "stop", usage });
    const answer = await aiSdkSummarizer({ model }).summarize(summaryRequest());
    expect(answer).toEqual({ text: "Fine.", finish: "stop", toolCalls: 0 });
  });
});

describe("answers", () => {
  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool-calls", "tool-calls"],
    ["content-filter", "content-filter"],
    ["error", "error"],
    ["unknown", "other"],
    [{ unified: "stop", raw: "end_turn" }, "stop"],
    [{ unified: "interrupted", raw: undefined }, "error"],
    [undefined, "other"],
  ])("that finish with %j finish with %s", async (finishReason, finish) => {
    const model = modelWith({ content: [text], finishReason });
    expect(await aiSdkSummarizer({ model }).summarize(summaryRequest())).toMatchObject({ finish });
  });

  it("have their texts joined and their calls counted", async () => {
    const content = [
      { type: "reasoning", text: "hidden" },
      { type: "text", text: "### Goal\n" },
      { type: "tool-call", toolCallId: "1", toolName: "read", input: "{}" },
      { type: "source", sourceType: "url", id: "1", url: "https://example.com" },
      { type: "text", text: "Fine." },
    ];
    const model = modelWith({ content, finishReason: "tool-calls" });
    expect(await aiSdkSummarizer({ model }).summarize(summaryRequest())).toEqual({
      text: "### Goal\nFine.",
      finish: "tool-calls",
      toolCalls: 1,
    });
  });

  it.each([undefined, null, "text", {}, { content: "text" }, { content: [null, 1] }])(
    "%j is an empty one",
    async (result) => {
      const answer = await aiSdkSummarizer({ model: modelWith(result) }).summarize(
        summaryRequest(),
      );
      expect(answer.text).toBe("");
    },
  );
});

it("hands on what the agent sends beside its messages", async () => {
  const doGenerate = vi.fn<() => Promise<unknown>>().mockResolvedValue({
    content: [text],
    finishReason: "stop",
  });
  const providerOptions = { openai: { promptCacheKey: "agent" } };
  const headers = { "x-team": "a" };
  await aiSdkSummarizer({
    model: modelWith({}, { doGenerate }),
    maxTokens: 99,
    providerOptions,
    headers,
  }).summarize(summaryRequest());
  expect(doGenerate).toHaveBeenCalledWith(
    expect.objectContaining({
      providerOptions: { ...providerOptions, longhaul: { summary: true } },
      headers,
      maxOutputTokens: 99,
    }),
  );
});

it("keeps keys of the environment out of its errors", async () => {
  const key = "a-key-that-nobody-may-see";
  vi.stubEnv("SOME_PROVIDER_API_KEY", key);
  const refuse = (): Promise<never> =>
    Promise.reject(
      Object.assign(new Error(`Invalid key ${key}.`), {
        statusCode: 401,
        responseHeaders: { "retry-after": "3" },
        requestBodyValues: { messages: ["secret"] },
      }),
    );
  const model = modelWith({}, { doGenerate: refuse });
  const error: unknown = await aiSdkSummarizer({ model })
    .summarize(summaryRequest())
    .catch((one: unknown) => one);
  vi.unstubAllEnvs();
  expect(error).toMatchObject({
    code: "summarizer-failed",
    message: "test:m answered 401: Invalid key [redacted].",
    details: { summarizer: "test:m", status: 401, retryAfterMs: 3_000 },
  });
  expect((error as Error).cause).toBeUndefined();
});

import * as fc from "fast-check";
import { generateText, type ModelMessage, modelMessageSchema } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { modelMessageSchema as newerSchema } from "ai7";
import { expect, test } from "vitest";
import { aiSdk } from "../../../src/dialects/ai-sdk/ai-sdk.ts";
import { encodeAiSdk } from "../../../src/dialects/ai-sdk/encode.ts";
import type { AiSdkMessage } from "../../../src/dialects/ai-sdk/wire.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { newerFixtures, olderFixtures, pruned } from "./fixtures.ts";
import { runs } from "../../property/runs.ts";

/** What the SDK's own schemas say against messages; nothing if they take them. */
function refusals(messages: readonly AiSdkMessage[]): unknown[] {
  return messages.flatMap((message) =>
    [modelMessageSchema.safeParse(message), newerSchema.safeParse(message)].flatMap(({ error }) =>
      error === undefined ? [] : [error],
    ),
  );
}

test.each(Object.entries(olderFixtures))("both versions take our fixture: %s", (_name, list) => {
  expect(refusals(list)).toEqual([]);
});

test.each(Object.entries(newerFixtures))("version 7 takes our fixture: %s", (_name, list) => {
  for (const message of list) expect(newerSchema.safeParse(message).error).toBeUndefined();
});

test("both versions take every message that is built from neutral ones", () => {
  fc.assert(
    fc.property(legalConversation(), (messages) => {
      expect(refusals(encodeAiSdk(messages))).toEqual([]);
    }),
  );
});

test("both versions take pruned results of every output shape", () => {
  const lists = Object.values(olderFixtures);
  expect(lists.flatMap((list) => refusals(encodeAiSdk(aiSdk.decode(list).map(pruned))))).toEqual(
    [],
  );
});

test("a model behind the SDK gets every call with its result", async () => {
  const model = new MockLanguageModelV3({
    supportedUrls: { "*/*": [/./] },
    doGenerate: async () => ({
      content: [{ type: "text", text: "ok" }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  });
  await fc.assert(
    fc.asyncProperty(legalConversation({ endsWithInput: true }), async (messages) => {
      const encoded = encodeAiSdk<ModelMessage>(messages);
      const { text } = await generateText({
        model,
        messages: encoded,
        allowSystemInMessages: true,
      });
      expect(text).toBe("ok");
    }),
    { numRuns: runs(13, 40) },
  );
  const results = model.doGenerateCalls.flatMap((call) =>
    call.prompt.flatMap((message) => (message.role === "tool" ? message.content : [])),
  );
  expect(results.length).toBeGreaterThan(0);
});

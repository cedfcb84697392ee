import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkMessages, type Message, repairMessages } from "../../src/core/message/index.ts";
import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { langchain } from "../../src/dialects/langchain/langchain.ts";
import { neutral } from "../../src/dialects/neutral/neutral.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { legalConversation } from "../property/arbitraries.ts";
import { aiSdkFixtures } from "./ai-sdk/fixtures.ts";
import { anthropicFixtures } from "./anthropic/fixtures.ts";
import { openaiChatFixtures } from "./openai-chat/fixtures.ts";
import { openaiResponsesFixtures } from "./openai-responses/fixtures.ts";
import { runs } from "../property/runs.ts";

const dialects = [
  neutral,
  openaiChat,
  openaiResponses,
  anthropic,
  aiSdk,
  langchain,
] as readonly Dialect[];
const pairs = dialects.flatMap((from) =>
  dialects.filter((to) => to !== from).map((to) => ({ from, to })),
);

/** What can be compared across dialects: who said what, and what tools were asked and gave. */
function gist(messages: readonly Message[]): unknown[] {
  return messages.flatMap((message) =>
    message.parts.flatMap((part): unknown[] => {
      if (part.type === "tool-call") return [["call"]];
      if (part.type === "tool-result") return [["result"]];
      return part.type === "text" && part.text.trim() !== "" && message.role === "assistant"
        ? [["said", part.text.trim()]]
        : [];
    }),
  );
}

describe.each(pairs)("$from.name to $to.name", ({ from, to }) => {
  test("a legal conversation stays legal, and no call, result or word of the model is lost", () => {
    fc.assert(
      fc.property(legalConversation({ endsWithInput: true }), (messages) => {
        const decoded = from.decode(from.encode(messages));
        const encoded = to.encode(decoded);
        expect(to.check(encoded)).toEqual([]);
        const arrived = to.decode(encoded);
        expect(checkMessages(arrived)).toEqual([]);
        const words = gist(arrived).flat().join("\n");
        for (const word of gist(decoded).flat()) expect(words).toContain(word);
        expect(gist(arrived).length).toBeGreaterThanOrEqual(gist(decoded).length - messages.length);
      }),
      { numRuns: runs(20, 60) },
    );
  });
});

describe("native conversations that another provider takes", () => {
  const lists: [string, readonly Message[]][] = [
    ...Object.entries(openaiChatFixtures.legal).map(
      ([name, list]): [string, readonly Message[]] => [
        `openai-chat: ${name}`,
        openaiChat.decode(list),
      ],
    ),
    ...Object.entries(openaiResponsesFixtures.legal).map(
      ([name, list]): [string, readonly Message[]] => [
        `openai-responses: ${name}`,
        openaiResponses.decode(list),
      ],
    ),
    ...Object.entries(anthropicFixtures.legal).map(([name, list]): [string, readonly Message[]] => [
      `anthropic: ${name}`,
      anthropic.decode(list),
    ]),
    ...Object.entries(aiSdkFixtures.legal).map(([name, list]): [string, readonly Message[]] => [
      `ai-sdk: ${name}`,
      aiSdk.decode(list),
    ]),
  ];

  test.each(lists)("%s", (_name, messages) => {
    const go: Message = { role: "user", parts: [{ type: "text", text: "Go on." }] };
    // Nothing but an answer may follow an entry of the system in the middle.
    const answer: Message = { role: "assistant", parts: [{ type: "text", text: "Noted." }] };
    const end = messages.at(-1)?.role === "system" ? [answer, go] : [go];
    const { messages: repaired } = repairMessages([...messages, ...end]);
    for (const to of dialects) expect(to.check(to.encode(repaired))).toEqual([]);
  });
});

import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, withParts } from "../../src/core/message/index.ts";
import { anthropic, openaiChat, openaiResponses } from "../../src/dialects/index.ts";
import { legalConversation } from "../property/arbitraries.ts";
import { runs } from "../property/runs.ts";
import { upstreamForTest } from "./for-test.ts";
import type { ProtocolName } from "./index.ts";
import { post } from "./post.ts";

/** No provider takes thinking that it did not sign. */
function withoutReasoning(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ type }) => type !== "reasoning");
    return parts.length === 0 ? [] : [withParts(message, parts)];
  });
}

const conversation = legalConversation({ endsWithInput: true }).map(withoutReasoning);
/** Messages with calls are only taken beside tools. */
const tools = [{ name: "read", input_schema: { type: "object" } }];

const bodies: [ProtocolName, (messages: readonly Message[]) => object][] = [
  ["anthropic", (list) => ({ model: "m", max_tokens: 9, tools, ...anthropic.encode(list) })],
  ["openai-chat", (list) => ({ model: "m", messages: openaiChat.encode(list) })],
  ["openai-responses", (list) => ({ model: "m", input: openaiResponses.encode(list) })],
];

describe("the server takes what our dialects make of a legal conversation", () => {
  test.each(bodies)("%s", async (protocol, bodyOf) => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    await fc.assert(
      fc.asyncProperty(conversation, async (list) => {
        expect((await post(upstream.url, protocol, bodyOf(list))).message).toBe("");
      }),
      { numRuns: runs(50, 200) },
    );
  });
});

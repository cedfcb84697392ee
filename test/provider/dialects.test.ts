import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type Message, withParts } from "../../src/core/message/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import { legalConversation } from "../property/arbitraries.ts";
import { upstreamForTest } from "./for-test.ts";
import type { ProtocolName, Upstream } from "./index.ts";
import { post } from "./post.ts";

/** No provider takes thinking that it did not sign. */
function withoutReasoning(messages: readonly Message[]): Message[] {
  return messages.flatMap((message) => {
    const parts = message.parts.filter(({ type }) => type !== "reasoning");
    return parts.length === 0 ? [] : [withParts(message, parts)];
  });
}

interface Damage {
  readonly at: number;
  readonly kind: "none" | "drop" | "repeat" | "swap";
  /** Not to the messages, but inside the one that stands there. */
  readonly inside?: Damage;
}

const where = { at: fc.nat(20), kind: fc.constantFrom("none", "drop", "repeat", "swap") } as const;

/** Something that an edit may do to a conversation and should not. */
const damage: fc.Arbitrary<Damage> = fc.record({
  ...where,
  inside: fc.option(fc.record(where), { nil: undefined }),
});

/** Messages of which one, or one list inside of one, is damaged. */
function damagedMessages<T extends object>(messages: readonly T[], wound: Damage): T[] {
  const { inside, at } = wound;
  if (inside === undefined) return damaged(messages, wound);
  return messages.map((message, index) => {
    if (index !== at % messages.length) return message;
    const lists = Object.entries(message).filter(([, value]) => Array.isArray(value));
    return {
      ...message,
      ...Object.fromEntries(lists.map(([key, list]) => [key, damaged(list as [], inside)])),
    };
  });
}

function damaged<T>(list: readonly T[], { at, kind }: Damage): T[] {
  const index = list.length === 0 ? 0 : at % list.length;
  const [before, item, after] = [
    list.slice(0, index),
    list.slice(index, index + 1),
    list.slice(index + 1),
  ];
  if (kind === "drop") return [...before, ...after];
  if (kind === "repeat") return [...before, ...item, ...item, ...after];
  if (kind === "swap") return [...before, ...after.slice(0, 1), ...item, ...after.slice(1)];
  return [...list];
}

/** Messages with calls are only taken beside tools. */
const TOOL = { name: "read", input_schema: { type: "object" } };

const conversation = legalConversation({ endsWithInput: true }).map(withoutReasoning);

describe("the server takes what our dialects call legal, and nothing else", () => {
  async function compare(
    upstream: Upstream,
    protocol: ProtocolName,
    { body, issues }: { readonly body: object; readonly issues: readonly object[] },
  ): Promise<void> {
    const { message } = await post(upstream.url, protocol, body);
    if (issues.length === 0) expect(message).toBe("");
    else expect({ message, issues }).not.toMatchObject({ message: "" });
  }

  test("Anthropic Messages", async () => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    await fc.assert(
      fc.asyncProperty(conversation, damage, async (list, wound) => {
        const { messages, ...rest } = anthropic.encode(list);
        const native = { ...rest, messages: damagedMessages(messages, wound) };
        const issues = anthropic.check(native, { asRequest: true });
        await compare(upstream, "anthropic", {
          body: { model: "m", max_tokens: 9, tools: [TOOL], ...native },
          issues,
        });
      }),
      { numRuns: 150 },
    );
  });

  test("OpenAI Chat", async () => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    await fc.assert(
      fc.asyncProperty(conversation, damage, async (list, wound) => {
        const messages = damagedMessages(openaiChat.encode(list), wound);
        const issues = openaiChat.check(messages, { asRequest: true });
        await compare(upstream, "openai-chat", { body: { model: "m", messages }, issues });
      }),
      { numRuns: 150 },
    );
  });

  test("OpenAI Responses", async () => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    await fc.assert(
      fc.asyncProperty(conversation, damage, async (list, wound) => {
        const input = damagedMessages(openaiResponses.encode(list), wound);
        const issues = openaiResponses.check(input, { asRequest: true });
        await compare(upstream, "openai-responses", { body: { model: "m", input }, issues });
      }),
      { numRuns: 150 },
    );
  });
});

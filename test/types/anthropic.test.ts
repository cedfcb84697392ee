import type Anthropic from "@anthropic-ai/sdk";
import { expect, expectTypeOf, test } from "vitest";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import { decodeAnthropic } from "../../src/dialects/anthropic/decode.ts";
import { encodeAnthropic } from "../../src/dialects/anthropic/encode.ts";
import type {
  AnthropicContentBlock,
  AnthropicConversation,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from "../../src/dialects/anthropic/wire.ts";

type Conversation = Pick<Anthropic.MessageCreateParams, "system" | "messages">;
type BetaConversation = Pick<Anthropic.Beta.MessageCreateParams, "system" | "messages">;

test("the SDK's system and messages go in and come out", () => {
  const params: Conversation = {
    system: [{ type: "text", text: "Be brief.", cache_control: { type: "ephemeral" } }],
    messages: [{ role: "user", content: "hi" }],
  };
  const back: Conversation = encodeAnthropic<Conversation>(decodeAnthropic(params));
  expect(back).toEqual(params);
  expect(anthropic.check(back)).toEqual([]);
});

test("the SDK's types fit ours, the answer of the API included", () => {
  expectTypeOf<Conversation>().toExtend<AnthropicConversation>();
  expectTypeOf<BetaConversation>().toExtend<AnthropicConversation>();
  expectTypeOf<Anthropic.Message>().toExtend<AnthropicConversation["messages"][number]>();
});

test("what we build fits the SDK's types", () => {
  expectTypeOf<
    AnthropicContentBlock | AnthropicToolUseBlock | AnthropicToolResultBlock
  >().toExtend<Anthropic.ContentBlockParam>();
});

import type Anthropic from "@anthropic-ai/sdk";
import { expect, expectTypeOf, test } from "vitest";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import { decodeAnthropic } from "../../src/dialects/anthropic/decode.ts";
import { encodeAnthropic } from "../../src/dialects/anthropic/encode.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
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

test("the tool runner takes tools of any list, and the request those that are only told", () => {
  const context = anthropicContext();
  const list = [...context.recallTools] as const;
  const runner: Parameters<Anthropic["beta"]["messages"]["toolRunner"]>[0]["tools"] =
    context.tools(list);
  const told: Anthropic.MessageCreateParams["tools"] = context.recallTools;
  expect([runner, told].map(({ length }) => length)).toEqual([2, 2]);
});

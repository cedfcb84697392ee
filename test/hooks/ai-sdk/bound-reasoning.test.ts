import { describe, expect, it } from "vitest";
import { boundReasoning, thinkingOf } from "../../../src/hooks/ai-sdk/model.ts";

const model = (provider: string, modelId: string): unknown => ({ provider, modelId });
const budget = { type: "enabled", budgetTokens: 2_000 };

describe("reasoning", () => {
  it.each([
    [model("anthropic.messages", "claude-opus-5-5"), undefined, true],
    [model("anthropic.messages", "claude-opus-5-5"), { type: "adaptive" }, true],
    [model("anthropic.messages", "my-deployment"), undefined, true],
    ["anthropic/claude-opus-5-5", undefined, true],
    [model("anthropic.messages", "claude-sonnet-4-5"), undefined, false],
    [model("amazon-bedrock", "us.anthropic.claude-sonnet-4-5-v1:0"), undefined, false],
    [model("anthropic.messages", "my-deployment"), budget, false],
    [model("openai.responses", "gpt-5"), undefined, false],
    [model("deepseek.chat", "deepseek-reasoner"), undefined, false],
    [undefined, undefined, undefined],
    [{}, budget, undefined],
  ])("of %j, thinking %j, is bound: %s", (one, thinking, expected) => {
    expect(boundReasoning(one, thinking)).toBe(expected);
  });

  it("is not bound where the API leaves out what no longer fits", () => {
    const option = { type: "adaptive", blockBinding: { prefixMismatchBehavior: "drop_block" } };
    const field = { block_binding: { prefix_mismatch_behavior: "drop_block" } };
    expect(boundReasoning("claude-opus-5-5", option)).toBe(false);
    expect(boundReasoning("claude-opus-5-5", field)).toBe(false);
  });
});

it("finds how the agent thinks in the options of a call", () => {
  expect(thinkingOf({ anthropic: { thinking: budget } })).toBe(budget);
  expect(thinkingOf({ bedrock: { reasoningConfig: budget } })).toBe(budget);
  expect(thinkingOf({ openai: { reasoningEffort: "low" } })).toBeUndefined();
  expect(thinkingOf(undefined)).toBeUndefined();
});

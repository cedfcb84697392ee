import { expect, it } from "vitest";
import { modelWindow } from "../../../src/core/overflow/index.ts";

it.each([
  ["claude-haiku-4-5", 200_000],
  ["claude-opus-4-6[1m]", 1_000_000],
  ["us.anthropic.claude-sonnet-4-5", 200_000],
  ["gpt-5-mini", 272_000],
  ["openai/gpt-5.1-codex", 272_000],
  ["gpt-5-chat-latest", 128_000],
  ["o4-mini", 200_000],
  ["google/gemini-3-pro", 1_048_576],
  ["a-model-of-our-own", undefined],
])("%s", (model, window) => {
  expect(modelWindow(model)).toBe(window);
});

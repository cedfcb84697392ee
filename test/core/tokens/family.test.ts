import { expect, it } from "vitest";
import { modelFamily } from "../../../src/core/tokens/family.ts";

it.each([
  ["claude-3-5-sonnet-20241022", 1.2],
  ["claude-sonnet-4-20250514", 1.2],
  ["us.anthropic.claude-sonnet-4-20250514-v1:0", 1.2],
  ["claude-opus-4-5-20251101", 1.2],
  ["anthropic/claude-opus-4.5", 1.2],
  ["claude-haiku-4-5", 1.2],
  ["claude-sonnet-4.6", 1.5],
  ["claude-opus-4-7-20260301", 1.5],
  ["claude-opus-5", 1.5],
  ["claude", 1.5],
  ["gpt-5.3-codex", 1.05],
  ["o3-mini", 1.05],
  ["gemini-3-flash-preview", 1.1],
  ["deepseek-chat", 1.1],
  ["llama-4-maverick", undefined],
  ["", undefined],
])("knows how %s counts", (model, factor) => {
  expect(modelFamily(model)?.factor).toBe(factor);
});

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  contextBudget,
  DEFAULT_WINDOW,
  isOverflow,
  modelWindow,
} from "../../../src/core/overflow/index.ts";

describe("T7: the budget", () => {
  it("is the window minus 20,000 reserved tokens by default", () => {
    expect(contextBudget({ window: 128_000 })).toMatchObject({ reserved: 20_000, usable: 108_000 });
  });

  it("never reserves more than half the window, so that small windows work", () => {
    expect(contextBudget({ window: 8_000 })).toMatchObject({ reserved: 4_000, usable: 4_000 });
    expect(contextBudget({ window: 32_000 })).toMatchObject({ reserved: 16_000, usable: 16_000 });
    expect(contextBudget({ window: 8_000, reserved: 7_000 }).reserved).toBe(4_000);
  });

  it("starts from the max input where the model declares one", () => {
    expect(contextBudget({ window: 400_000, maxInput: 272_000 }).usable).toBe(252_000);
  });

  it("takes a conservative default for an unknown window, and says so", () => {
    expect(contextBudget()).toMatchObject({ window: DEFAULT_WINDOW, isWindowKnown: false });
    expect(contextBudget({ window: 8_000 }).isWindowKnown).toBe(true);
  });

  it("aims at 60 % of usable", () => {
    expect(contextBudget({ window: 128_000 }).target).toBe(64_800);
  });

  it("is never negative and never above the window", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2_000_000 }), fc.nat({ max: 2_000_000 }), (window, reserved) => {
        const budget = contextBudget({ window: window + 1, reserved });
        expect(budget.usable).toBeGreaterThanOrEqual(0);
        expect(budget.usable + budget.reserved).toBeLessThanOrEqual(budget.window);
      }),
    );
  });

  it.each([{ window: 0 }, { window: Number.NaN }, { reserved: -1 }, { targetRatio: 0 }])(
    "refuses %j with an error that names the option",
    (options) => {
      expect(() => contextBudget(options)).toThrow(
        expect.objectContaining({
          code: "invalid-options",
          message: expect.stringContaining(Object.keys(options)[0]!),
        }),
      );
    },
  );
});

describe("T7: overflow", () => {
  it("begins when tokens reach usable, not after", () => {
    const budget = { usable: 4_000 };
    expect(isOverflow(3_999, budget)).toBe(false);
    expect(isOverflow(4_000, budget)).toBe(true);
  });
});

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

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  amountOption,
  BUDGET_OPTIONS,
  type BudgetOptions,
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

  it("takes a whole number of any size", () => {
    const { protectedTurns, tailUnits } = contextBudget({ protectedTurns: 1e16, tailUnits: 1e17 });
    expect({ protectedTurns, tailUnits }).toEqual({ protectedTurns: 1e16, tailUnits: 1e17 });
  });

  it.each(BUDGET_OPTIONS)("refuses a %s that makes no sense", (name) => {
    const senseless: unknown[] = [-1, Number.NaN, "5000", null, {}, true];
    if (name.endsWith("Share")) senseless.push(1.01, Infinity);
    if (/Units$|Turns$/.test(name)) senseless.push(1.5, Infinity);
    for (const value of senseless) {
      expect(() => contextBudget({ [name]: value })).toThrow(
        expect.objectContaining({
          code: "invalid-options",
          message: expect.stringMatching(new RegExp(`^The option ${name} is .+; it must be`)),
        }),
      );
    }
  });

  it.each([
    [4_000, { tail: 2_000, summary: 1_000, pinned: 1_000, recent: 1_600, target: 2_400 }],
    [16_000, { tail: 4_000, summary: 4_000, pinned: 4_000, recent: 6_400, target: 9_600 }],
    [108_000, { tail: 8_000, summary: 12_000, pinned: 27_000, recent: 40_000, target: 64_800 }],
  ])("shares %i usable tokens out", (usable, shares) => {
    const window = usable > 20_000 ? usable + 20_000 : usable * 2;
    expect(contextBudget({ window })).toMatchObject({ usable, ...shares, tailUnits: 2 });
    expect(contextBudget({ window }).minimumSaving).toBe(Math.min(20_000, window / 10));
  });

  it.each(["target", "recent", "tail", "pinned", "summary"] as const)(
    "takes the %s in tokens, as a share, or the smaller of the two",
    (amount) => {
      const of = (options: BudgetOptions): number =>
        contextBudget({ window: 220_000, ...options })[amount];
      expect(of({ [`${amount}Tokens`]: 30_000 })).toBe(30_000);
      expect(of({ [`${amount}Share`]: 0.5 })).toBe(100_000);
      expect(of({ [`${amount}Tokens`]: 30_000, [`${amount}Share`]: 0.5 })).toBe(30_000);
      expect(of({ [`${amount}Tokens`]: 900_000 })).toBe(200_000);
      expect(of(amountOption(amount, "30k"))).toBe(30_000);
      expect(of(amountOption(amount, " 50% "))).toBe(100_000);
      for (const text of ["", "a quarter", "-5", "120%", "1e5"]) {
        expect(() => amountOption(amount, text)).toThrow(
          expect.objectContaining({ code: "invalid-options" }),
        );
      }
    },
  );
});

describe("T7: overflow", () => {
  it("begins when tokens reach usable, not after", () => {
    const budget = { usable: 4_000 };
    expect(isOverflow(3_999, budget)).toBe(false);
    expect(isOverflow(4_000, budget)).toBe(true);
  });

  it("takes a part of a token for a whole one, whatever the order in which parts are added", () => {
    const budget = { usable: 4_000 };
    expect(isOverflow(3_999.2, budget)).toBe(true);
    expect(isOverflow(3_999 + 1e-9, budget)).toBe(false);
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

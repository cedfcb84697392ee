import fc from "fast-check";
import { expect, it } from "vitest";
import { outputLimit } from "../../src/models/live-request.ts";

const window = 128_000;

it.each([
  ["twice a small summary, and room to think", { cap: 1_000, window, inputTokens: 0 }, 10_000],
  ["what nearly every model writes", { cap: 6_000, window, inputTokens: 0 }, 16_000],
  ["a quarter more than a large summary", { cap: 20_000, window, inputTokens: 0 }, 25_000],
  ["what a window has room for", { cap: 1_000, window: 8_000, inputTokens: 5_000 }, 2_750],
  ["the summary, if there is no room at all", { cap: 1_000, window, inputTokens: 200_000 }, 1_000],
  ["what the caller says", { cap: 1_000, window, inputTokens: 0, maxTokens: 300 }, 300],
])("%s", (_, room, expected) => {
  expect(outputLimit(room)).toBe(expected);
});

it("is a whole number that holds the summary", () => {
  const size = fc.integer({ min: 1, max: 2_000_000 });
  fc.assert(
    fc.property(size, size, size, (cap, window, inputTokens) => {
      const limit = outputLimit({ cap, window, inputTokens });
      expect(Number.isInteger(limit)).toBe(true);
      expect(limit).toBeGreaterThanOrEqual(cap);
    }),
  );
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { balance, evenGroups, type Stretch } from "../../../../src/core/summary/prompt/balance.ts";

function expectCover(stretches: readonly Stretch[], length: number): void {
  const indices = stretches.flatMap(({ from, to }) =>
    Array.from({ length: to - from }, (_, index) => from + index),
  );
  expect(indices).toEqual(Array.from({ length }, (_, index) => index));
  expect(stretches.every(({ from, to }) => to > from)).toBe(true);
}

describe("balance", () => {
  it("cuts evenly rather than filling one after the other", () => {
    const tens = Array.from({ length: 12 }, () => 10);
    expect(balance(tens, 100)).toEqual([
      { from: 0, to: 6 },
      { from: 6, to: 12 },
    ]);
    expect(balance([], 100)).toEqual([]);
    expect(balance([5, 500, 5], 100)).toHaveLength(3);
  });

  it("covers everything, keeps the room, and no fewer stretches would do", () => {
    const weights = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 60 });
    fc.assert(
      fc.property(weights, fc.integer({ min: 50, max: 300 }), (values, room) => {
        const found = balance(values, room);
        expectCover(found, values.length);
        const loads = found.map(({ from, to }) =>
          values.slice(from, to).reduce((sum, value) => sum + value, 0),
        );
        expect(Math.max(0, ...loads)).toBeLessThanOrEqual(room);
        // Two neighbours together never fit, or one stretch would have done for both.
        const total = values.reduce((sum, value) => sum + value, 0);
        expect(found.length).toBeLessThanOrEqual(2 * Math.ceil(total / room) + 1);
      }),
    );
  });

  it("groups a list evenly", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (a, b) => {
        const [groups, entries] = [Math.min(a, b), Math.max(a, b)];
        const found = evenGroups(entries, groups);
        expectCover(found, entries);
        const sizes = found.map(({ from, to }) => to - from);
        expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThanOrEqual(1);
      }),
    );
  });
});

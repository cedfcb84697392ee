import * as fc from "fast-check";
import { expect, it } from "vitest";
import { shareOut, type Want } from "../../../src/core/summary/lists.ts";

const wanting = (demand: number, weight: number): Want => ({ demand, weight });

it("gives all their demand when there is enough", () => {
  expect(shareOut(100, [wanting(10, 1), wanting(60, 1)])).toEqual([10, 60]);
});

it("gives what one leaves to the others, by weight", () => {
  expect(shareOut(100, [wanting(10, 50), wanting(500, 20), wanting(500, 10)])).toEqual([
    10, 60, 30,
  ]);
});

it("never gives more than the total or the demand, and never starves anyone", () => {
  const want = fc.record({ demand: fc.nat(5_000), weight: fc.integer({ min: 1, max: 30 }) });
  fc.assert(
    fc.property(fc.array(want, { minLength: 1, maxLength: 15 }), fc.nat(20_000), (wants, total) => {
      const shares = shareOut(total, wants);
      const weights = wants.reduce((sum, { weight }) => sum + weight, 0);
      expect(shares.reduce((sum, share) => sum + share, 0)).toBeLessThanOrEqual(total);
      for (const [index, { demand, weight }] of wants.entries()) {
        const fair = Math.floor((total * weight) / weights);
        expect(shares[index]).toBeLessThanOrEqual(demand);
        expect(shares[index]).toBeGreaterThanOrEqual(Math.min(demand, fair));
      }
    }),
  );
});

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrate, createCalibration } from "../../../src/core/tokens/index.ts";
import type { Calibration } from "../../../src/core/tokens/index.ts";

function after(ratio: number, reports: number): Calibration {
  let calibration = createCalibration();
  for (let i = 0; i < reports; i++) {
    calibration = calibrate(calibration, { estimated: 10_000, reported: 10_000 * ratio });
  }
  return calibration;
}

describe("calibrate", () => {
  it("starts at factor 1 without samples", () => {
    expect(createCalibration()).toEqual({ factor: 1, samples: 0 });
  });

  it("moves half of the way at the first report and closes in with more", () => {
    expect(after(1.5, 1)).toEqual({ factor: 1.25, samples: 1 });
    expect(after(1.5, 20).factor).toBeCloseTo(1.5, 2);
    expect(after(0.8, 20).factor).toBeCloseTo(0.8, 2);
  });

  it("limits what one report can do", () => {
    const settled = after(1.2, 10);
    const next = calibrate(settled, { estimated: 1_000, reported: 1_000_000 });
    expect(next.factor - settled.factor).toBeLessThanOrEqual(0.2 * (2.5 - settled.factor) + 1e-9);
  });

  it.each([
    [199, 400],
    [0, 100],
    [-500, 100],
    [1_000, 0],
    [1_000, -5],
    [1_000, Number.NaN],
    [1_000, Number.POSITIVE_INFINITY],
    [Number.NaN, 1_000],
    [Number.POSITIVE_INFINITY, 1_000],
  ])("ignores nonsense: estimated %d, reported %d", (estimated, reported) => {
    const calibration = after(1.3, 2);
    expect(calibrate(calibration, { estimated, reported })).toBe(calibration);
  });

  it("keeps the factor within its clamp, whatever is reported", () => {
    const samples = fc.array(fc.record({ estimated: fc.double(), reported: fc.double() }));
    fc.assert(
      fc.property(samples, (all) => {
        const { factor } = all.reduce(calibrate, createCalibration());
        expect(factor).toBeGreaterThanOrEqual(0.5);
        expect(factor).toBeLessThanOrEqual(2.5);
      }),
    );
    expect(after(100, 50).factor).toBeCloseTo(2.5);
    expect(after(0.001, 50).factor).toBeCloseTo(0.5);
  });
});

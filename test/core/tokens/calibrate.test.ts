import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrate, createCalibration, scaleFor, scaleOf } from "../../../src/core/tokens/index.ts";
import type { Scale, Calibration, CalibrationSample } from "../../../src/core/tokens/index.ts";

interface Provider {
  readonly factor: number;
  readonly outside: number;
}

function sample(estimated: number, { factor, outside }: Provider): CalibrationSample {
  return { estimated, reported: outside + factor * estimated };
}

/** What is known after requests of these sizes. */
function after(sizes: readonly number[], provider: Provider): Calibration {
  return sizes.map((size) => sample(size, provider)).reduce(calibrate, createCalibration());
}

/** What the provider is expected to report. */
function expected({ factor, outside }: Scale, estimated: number): number {
  return outside + factor * estimated;
}

/** A conversation that grows by 2,000 estimated tokens a request. */
const GROWING: readonly number[] = Array.from({ length: 20 }, (_, n) => 1_000 + 2_000 * n);

describe("calibrate", () => {
  it("starts at factor 1, nothing outside, no samples", () => {
    expect(createCalibration()).toMatchObject({ factor: 1, outside: 0, samples: 0 });
  });

  it("starts at the factor that is expected, and lets reports correct it", () => {
    const claude = createCalibration(1.5);
    expect(claude).toMatchObject({ factor: 1.5, samples: 0 });
    const [agreeing, differing] = [1.5, 1.1].map((factor) =>
      calibrate(claude, sample(100_000, { factor, outside: 0 })),
    );
    expect(agreeing).toMatchObject({ factor: 1.5, outside: 0 });
    expect(differing?.factor).toBeGreaterThan(1.1);
    expect(differing?.factor).toBeLessThan(1.3);
  });

  it("takes what a short request costs above its estimate for something outside", () => {
    const first = after([1_000], { factor: 1, outside: 8_000 });
    expect(first.factor).toBeLessThan(1.01);
    expect(first.outside).toBeGreaterThan(7_900);
    expect(first.samples).toBe(1);
  });

  it("takes what a long request costs above its estimate for another tokenizer", () => {
    const first = after([100_000], { factor: 1.3, outside: 0 });
    expect(first.factor).toBeGreaterThan(1.25);
    expect(first.outside).toBeLessThan(5_000);
  });

  it.each([
    { factor: 1, outside: 8_000 },
    { factor: 1.3, outside: 8_000 },
    { factor: 1.5, outside: 0 },
    { factor: 0.8, outside: 3_000 },
    { factor: 1, outside: -2_000 },
  ])("tells $factor and $outside apart by how requests grow", (provider) => {
    const { factor, outside } = after([3_000, ...GROWING.slice(2)], provider);
    expect(Math.abs(factor / provider.factor - 1)).toBeLessThan(0.02);
    expect(Math.abs(outside - provider.outside)).toBeLessThan(200);
  });

  it("learns as much from a request that is shorter than the one before", () => {
    const provider = { factor: 1.4, outside: 6_000 };
    const calibration = after([90_000, 20_000], provider);
    expect(calibration.factor).toBeCloseTo(1.4, 1);
    expect(Math.abs(expected(calibration, 15_000) / 27_000 - 1)).toBeLessThan(0.02);
  });

  it("follows a change of content", () => {
    const prose = after(GROWING, { factor: 1, outside: 0 });
    const chinese = GROWING.map((size) => sample(40_000 + size, { factor: 2, outside: -39_000 }));
    expect(chinese.reduce(calibrate, prose).factor).toBeGreaterThan(1.6);
  });

  it("takes a jump that a second report confirms for something outside", () => {
    const before = after(GROWING, { factor: 1, outside: 5_000 });
    const loaded = { factor: 1, outside: 30_000 };
    const jumped = calibrate(before, sample(41_000, loaded));
    expect(jumped).toMatchObject({ factor: before.factor, outside: before.outside });
    expect(expected(scaleOf(jumped, 41_000), 41_000)).toBeGreaterThan(70_000);
    const confirmed = calibrate(jumped, sample(42_000, loaded));
    expect(Math.abs(expected(confirmed, 45_000) / 75_000 - 1)).toBeLessThan(0.05);
  });

  it("is not biased by one report about something else, whatever that says", () => {
    const odd = fc.record({
      estimated: fc.integer({ min: 100, max: 100_000 }),
      reported: fc.integer({ min: 1, max: 2_000_000 }),
    });
    fc.assert(
      fc.property(odd, fc.integer({ min: 2, max: GROWING.length - 2 }), (one, at) => {
        const provider = { factor: 1.1, outside: 5_000 };
        const honest = GROWING.map((size) => sample(size, provider));
        const before = honest.slice(0, at).reduce(calibrate, createCalibration());
        const far = Math.abs(one.reported / expected(before, one.estimated) - 1) > 0.5;
        fc.pre(far && Math.abs(one.reported - expected(before, one.estimated)) > 2_000);
        const all = honest.toSpliced(at, 0, one).reduce(calibrate, createCalibration());
        expect(all.doubted).toBeUndefined();
        expect(expected(all, 20_000)).toBeCloseTo(
          expected(honest.reduce(calibrate, createCalibration()), 20_000),
          0,
        );
      }),
    );
  });

  it("forgets a factor below 1 when reports leave tokens out", () => {
    const half = after(GROWING, { factor: 0.6, outside: 0 });
    expect(half.factor).toBeLessThan(0.7);
    expect(calibrate(half, { estimated: 40_000, reported: 4 }).factor).toBe(1);
  });

  it.each([
    [0, 100],
    [-500, 100],
    [1_000, 0],
    [1_000, -5],
    [1_000, Number.NaN],
    [1_000, Number.POSITIVE_INFINITY],
    [Number.NaN, 1_000],
    [Number.POSITIVE_INFINITY, 1_000],
    [1e158, 1e158],
  ])("ignores nonsense: estimated %d, reported %d", (estimated, reported) => {
    const calibration = after(GROWING, { factor: 1.3, outside: 100 });
    expect(calibrate(calibration, { estimated, reported })).toBe(calibration);
  });

  it("keeps within its clamps, whatever is reported", () => {
    const samples = fc.array(fc.record({ estimated: fc.double(), reported: fc.double() }));
    fc.assert(
      fc.property(samples, fc.double({ min: 0, max: 1e9, noNaN: true }), (all, tokens) => {
        const calibration = all.reduce(calibrate, createCalibration());
        expect(calibration.factor).toBeGreaterThanOrEqual(0.5);
        expect(calibration.factor).toBeLessThanOrEqual(2.5);
        expect(calibration.outside).toBeLessThanOrEqual(50_000);
        const { factor, outside } = scaleFor(calibration, tokens);
        expect((tokens - outside) / factor).toBeGreaterThanOrEqual(tokens / 2.5 - 1e-6);
      }),
    );
  });

  it("finds any provider whose counts are in proportion", () => {
    const providers = fc.record({
      factor: fc.double({ min: 0.6, max: 2.4, noNaN: true }),
      outside: fc.double({ min: 0, max: 40_000, noNaN: true }),
    });
    const steps = fc.array(fc.integer({ min: 500, max: 8_000 }), { minLength: 15, maxLength: 60 });
    fc.assert(
      fc.property(providers, steps, (provider, grown) => {
        let size = 0;
        const calibration = after(
          grown.map((step) => (size += step)),
          provider,
        );
        const truth = sample(size / 2, provider).reported;
        expect(Math.abs(expected(calibration, size / 2) / truth - 1)).toBeLessThan(0.1);
      }),
    );
  });
});

describe("scaleFor", () => {
  it("is the calibration where that leaves room", () => {
    const { factor, outside } = after(GROWING, { factor: 1.2, outside: 4_000 });
    expect(scaleFor({ factor, outside }, 20_000)).toEqual({ factor, outside });
  });

  it("leaves room, however much is said to be outside", () => {
    const calibration = after([1_000], { factor: 1, outside: 45_000 });
    expect(scaleFor(calibration, 20_000)).toEqual({ factor: 2.5, outside: 0 });
  });
});

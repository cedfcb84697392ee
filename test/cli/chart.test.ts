import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { chart } from "../../src/cli/chart.ts";

const HEIGHTS = " ▁▂▃▄▅▆▇█";

/** The height of each column in eighths of a row, read off the rows. */
function heights(rows: readonly string[]): number[] {
  return Array.from({ length: rows[0]!.length }, (_, column) =>
    rows.reduce((total, row) => total + HEIGHTS.indexOf(row.charAt(column)), 0),
  );
}

describe("chart", () => {
  it("draws each value as high as its share of the top", () => {
    const { rows } = chart([0, 25, 50, 100], { width: 4, height: 2, top: 100 });
    expect(rows).toEqual(["   █", " ▄██"]);
  });

  it("widens few values and shows the largest of many", () => {
    expect(chart([50, 100], { width: 4, height: 1, top: 100 }).rows).toEqual(["▄▄██"]);
    expect(chart([0, 100, 0, 50], { width: 2, height: 1, top: 100 }).rows).toEqual(["█▄"]);
  });

  it("marks sharp falls once, and small ones not", () => {
    const { drops } = chart([50, 100, 20, 80, 70], { width: 10, height: 1, top: 100 });
    expect(drops).toBe("    ▾     ");
  });

  it("sees something of everything above zero", () => {
    expect(chart([1], { width: 1, height: 6, top: 1_000_000 }).rows.at(-1)).toBe("▁");
  });

  it("gives rows of the asked size, whatever the values are", () => {
    const values = fc.array(fc.double({ min: 0, max: 1e7, noNaN: true }), { maxLength: 300 });
    const size = fc.record({
      width: fc.integer({ min: 1, max: 120 }),
      height: fc.integer({ min: 1, max: 10 }),
    });
    fc.assert(
      fc.property(values, size, (values, { width, height }) => {
        const top = Math.max(1, ...values);
        const { rows, drops } = chart(values, { width, height, top });
        expect(rows).toHaveLength(height);
        for (const row of [...rows, drops]) expect(row).toHaveLength(width);
        const drawn = heights(rows);
        const largest = Math.max(0, ...values);
        const level = Math.round((largest / top) * height * 8);
        expect(Math.max(...drawn)).toBe(largest > 0 ? Math.max(1, level) : 0);
      }),
    );
  });
});

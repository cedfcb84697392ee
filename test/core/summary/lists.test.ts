import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { FactList } from "../../../src/core/summary/fact-list.ts";
import { type MadeLines, renderLists } from "../../../src/core/summary/lists.ts";
import { shareOut, type Want } from "../../../src/core/summary/share-out.ts";

const wanting = (demand: number, weight: number): Want => ({ demand: () => demand, weight });

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
      const shares = shareOut(
        total,
        wants.map(({ demand, weight }) => wanting(demand, weight)),
      );
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

it("measures of each list only what there is room for", () => {
  const list: FactList = {
    section: "s",
    noun: "n",
    weight: 1,
    size: 500,
    entries: Array.from({ length: 500 }, (_, at) => ({ text: () => `entry ${at} of this list` })),
  };
  let counted = 0;
  const count = (text: string): number => {
    counted++;
    return Math.ceil(text.length / 4);
  };
  const rendered = renderLists([list, { ...list }, { ...list }], 90, { count, handle: undefined });
  expect(rendered.flatMap(({ lines }) => lines).length).toBeGreaterThan(9);
  expect(counted).toBeLessThan(30);
});

it("counts no entry twice, also under another budget, and comes out as if it did", () => {
  const list = (noun: string, entries: number, clips: boolean): FactList => {
    const all = Array.from({ length: entries }, (_, at) => ({
      text: () => `${noun} ${at} ${"word ".repeat(at % 9)}`,
    }));
    return {
      section: noun,
      noun,
      weight: 1,
      entries: all,
      size: entries,
      keep: all.toReversed(),
      clips,
    };
  };
  const lists = [list("requests", 40, true), list("deeds", 60, false)];
  const counted: string[] = [];
  const count = (text: string): number => {
    if (/^- (?:requests|deeds) \d/.test(text) && text.endsWith("\n")) counted.push(text);
    return Math.ceil(text.length / 4);
  };
  const made: MadeLines = new Map();
  const handle = undefined;
  const first = renderLists(lists, 300, { count, handle, made });
  const second = renderLists(lists, 280, { count, handle, made });
  const whole = counted.filter((text) => !text.includes("clipped"));
  expect(new Set(whole).size).toBe(whole.length);
  expect(first).toEqual(renderLists(lists, 300, { count, handle }));
  expect(second).toEqual(renderLists(lists, 280, { count, handle }));
});

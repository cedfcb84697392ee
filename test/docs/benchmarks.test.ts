import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { benchmarksPage } from "../../bench/retention/page.ts";
import { picturesOf } from "../../bench/retention/pictures.ts";
import type { Results } from "../../bench/retention/results.ts";

const results = JSON.parse(readFileSync("bench/retention/results.json", "utf8")) as Results;

describe("docs/benchmarks.md", () => {
  it("says what the stored figures say, and so do its pictures", () => {
    expect(readFileSync("docs/benchmarks.md", "utf8")).toBe(`${benchmarksPage(results)}\n`);
    for (const [name, svg] of picturesOf(results)) {
      expect(readFileSync(`docs/${name}`, "utf8")).toBe(svg);
    }
  });

  it("is of a whole run, on every part", () => {
    expect(results.isSmoke).toBe(false);
    expect(results.whole.all.map(({ window }) => window)).toEqual(
      expect.arrayContaining([32_000, 64_000, 128_000]),
    );
    for (const rows of [results.kinds, results.parts, results.rounds, results.sized.reporting]) {
      expect(rows.length).toBeGreaterThan(0);
    }
  });

  it("says of our own policy what we promise", () => {
    const ours = results.whole.all.filter(({ name }) => name === "Longhaul");
    for (const { figures } of ours) {
      expect(figures).toMatchObject({ illegal: 0, over: 0, farLost: 0 });
    }
    const forced = results.defaults.all.find(({ name }) => name === "Longhaul, compaction forced");
    expect(forced?.figures).toMatchObject({ violations: 0, lost: 0 });
  });
});

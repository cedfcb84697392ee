import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { type Plot, plotSvg } from "../../src/cli/plot.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

/** The beginning of our own recording, which fills a small window as the whole of it fills a large one. */
const RECORDED = path.join(temporaryFolder(), "session.json");
const { info, messages } = JSON.parse(
  gunzipSync(readFileSync("examples/recorded-session/session.json.gz")).toString(),
);
writeFileSync(RECORDED, JSON.stringify({ info, messages: messages.slice(0, 40) }));

const POLICIES = [
  "Longhaul",
  "Longhaul, prune only",
  "opencode 1.18 (emulated)",
  "keep last",
  "no-op",
];

describe("longhaul simulate", () => {
  it("tells what each policy keeps and costs, as a table and a picture", async () => {
    const cwd = temporaryFolder();
    const args = ["simulate", RECORDED, "--window", "32k", "--svg", "kept.svg"];
    const { code, stdout } = await runHere(args, { cwd });
    expect(code).toBe(0);
    for (const name of POLICIES) expect(stdout).toMatch(new RegExp(`^${escaped(name)} +\\d`, "m"));
    expect(stdout).toMatch(/^Longhaul .* 100 % +0 % /m);
    const svg = readFileSync(path.join(cwd, "kept.svg"), "utf8");
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg"/);
    for (const name of POLICIES) expect(svg).toContain(`>${name}<`);
  });

  it("gives all figures as JSON, for each session and in sum", async () => {
    const args = ["simulate", RECORDED, RECORDED, "--window", "32k", "--json"];
    const { stdout } = await runHere(args);
    const { sessions, total } = JSON.parse(stdout);
    expect(sessions).toHaveLength(2);
    const [one] = sessions;
    expect(one.policies.map(({ policy }: { policy: string }) => policy)).toEqual(POLICIES);
    for (const [at, row] of one.policies.entries()) {
      expect(row.sizes).toHaveLength(row.requests);
      expect(total[at].requests).toBe(2 * row.requests);
      const [cache] = row.caches;
      expect(cache.cost).toBeGreaterThan(0);
      expect(total[at].caches[0].cost).toBeCloseTo(2 * cache.cost, 9);
    }
    const [ours, , , last, nothing] = one.policies;
    expect(ours).toMatchObject({ over: 0, illegal: 0, far: { lost: 0 } });
    expect(last.far.lost).toBeGreaterThan(0);
    expect(nothing.over).toBeGreaterThan(0);
    expect(ours.caches[0].cost).toBeLessThan(nothing.caches[0].cost);
  });

  it("says so where no request is ever full", async () => {
    const { stdout } = await runHere(["simulate", RECORDED, "--window", "1m"]);
    expect(stdout).toContain("No request was ever full");
  });

  it("never puts the picture in the place of a session", async () => {
    const cwd = temporaryFolder();
    copyFileSync(RECORDED, path.join(cwd, "mine.json"));
    const { code, stderr } = await runHere(["simulate", "mine.json", "--svg", "mine.json"], {
      cwd,
    });
    expect([code, stderr]).toEqual([2, expect.stringContaining("would replace the session")]);
    expect(readFileSync(path.join(cwd, "mine.json")).equals(readFileSync(RECORDED))).toBe(true);
  });
});

describe("a plot", () => {
  const plot: Plot = {
    title: 'a < b & "c"',
    x: { title: "x", show: String },
    y: { title: "y", show: String },
    series: [
      {
        name: "<one>",
        points: [
          [0, 0],
          [10, 5],
        ],
      },
    ],
    marks: "line",
    limit: { name: "limit", y: 4 },
  };

  it("escapes names, and keeps every point inside the picture", () => {
    const svg = plotSvg([plot]);
    expect(svg).toContain("a &lt; b &amp; &quot;c&quot;");
    expect(svg).toContain("&lt;one>");
    const [, points = ""] = /polyline points="([^"]*)"/.exec(svg) ?? [];
    const numbers = points.split(/[ ,]/).map(Number);
    expect(numbers).toHaveLength(4);
    for (const value of numbers) expect(value).toBeGreaterThan(0);
  });

  it("draws nothing of nothing", () => {
    for (const marks of ["line", "dots"] as const) {
      expect(plotSvg([{ ...plot, marks, series: [] }])).not.toMatch(/NaN|Infinity/);
      expect(plotSvg([{ ...plot, marks, series: [{ name: "empty", points: [] }] }])).not.toMatch(
        /NaN|Infinity/,
      );
    }
  });

  it("lets no name of a dot cover another one", () => {
    const series = ["a", "b", "c"].map((name) => ({ name, points: [[1, 1]] as const }));
    const svg = plotSvg([{ ...plot, marks: "dots", series }]);
    const heights = [...svg.matchAll(/ y="([\d.]+)">[abc]</g)].map(([, y]) => Number(y));
    expect(new Set(heights).size).toBe(3);
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[.()]/g, "\\$&");
}

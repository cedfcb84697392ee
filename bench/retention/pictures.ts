/** The pictures of a run. */
import { type Plot, plotSvg } from "../../src/cli/plot.ts";
import type { CostRow, Results, WholeRow } from "./results.ts";

/** By file name, below `docs/`. */
export function picturesOf({ whole, costs }: Results): ReadonlyMap<string, string> {
  const windows = [...new Set(whole.all.map(({ window }) => window))];
  const kept = windows.map((window) =>
    keptPlot(
      window,
      whole.all.filter((row) => row.window === window),
    ),
  );
  return new Map([
    ["benchmarks-kept.svg", plotSvg(kept)],
    ["benchmarks-cost.svg", plotSvg([costPlot(costs)])],
  ]);
}

function thousands(tokens: number): string {
  return `${Math.round(tokens / 100) / 10}k`;
}

/** What no provider would answer has no place in it; names that would hide each other are in the tables. */
function keptPlot(window: number, rows: readonly WholeRow[]): Plot {
  const possible = rows.filter(
    ({ name, figures }) =>
      (figures.over ?? 0) < 1 && figures.far !== null && !name.endsWith("(stub)"),
  );
  return {
    title: `A window of ${window / 1_000}k: what was used from far back and is still there`,
    x: { title: "tokens of a request, mean of sessions", show: thousands },
    y: { title: "kept", show: (share) => `${Math.round(share * 100)} %`, most: 1 },
    series: possible.map(({ name, figures }) => ({
      name: shortName(name),
      points: [[figures.tokens ?? 0, figures.far ?? 0]],
    })),
    marks: "dots",
  };
}

/** The sessions that are large enough for all windows. */
function costPlot(costs: readonly CostRow[]): Plot {
  const shown = /^(?:Longhaul|keep last|no-op|.* \(emulated\))/;
  const rows = costs.filter(({ name }) => shown.test(name));
  const names = [...new Set(rows.map(({ name }) => name))];
  return {
    title: "What a session costs at each window, with a prompt cache (Anthropic's rules)",
    x: { title: "window", show: thousands },
    y: { title: "$", show: (dollars) => dollars.toFixed(1) },
    series: names.map((name) => ({
      name: shortName(name),
      points: rows
        .filter((row) => row.name === name)
        .map(({ window, dollars }) => [window, dollars] as const),
    })),
    marks: "line",
  };
}

function shortName(name: string): string {
  return name.replace(/ \d+\.\d+\.\d+/, "");
}

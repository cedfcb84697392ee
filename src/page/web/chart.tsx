import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import type { PageData } from "../data.ts";
import { colourOf, theme } from "./colours.ts";
import { drawHits, drawLimits, drawMarks, drawSelection, type Drawing } from "./drawing.ts";
import { count, percent } from "../../core/text/figures.ts";
import { short, textScale } from "./format.ts";
import { editTitle, type Model } from "./model.ts";

export interface ChartProps {
  readonly model: Model;
  readonly step: number;
  /** Requests with hits of the search. */
  readonly hits: ReadonlySet<number>;
  /** The same session in another window: its tokens by the same requests. */
  readonly beside?: readonly (number | null)[];
  readonly onStep: (step: number) => void;
}

/** More points than this cannot be told apart on any screen. */
const MOST_POINTS = 2_400;

/** The window over time as one stack of areas, with the edits as marks. */
export function Chart(props: ChartProps) {
  const box = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | undefined>(undefined);
  const latest = useRef<ChartProps>(props);
  latest.current = props;
  const { model, step, hits, beside } = props;
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return undefined;
    const draw = (): void => {
      plot.current?.destroy();
      plot.current = plotOf(element, latest);
    };
    draw();
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", draw);
    const sizes = new ResizeObserver(() => {
      const { width, height } = sizeOf(element);
      if (width !== plot.current?.width || height !== plot.current?.height) draw();
    });
    sizes.observe(element);
    return () => {
      dark.removeEventListener("change", draw);
      sizes.disconnect();
      plot.current?.destroy();
    };
  }, [model, beside]);
  useEffect(() => plot.current?.redraw(false, true), [step, hits]);
  return <div class="chart" ref={box} role="img" aria-label={spoken(model)} />;
}

function spoken({ data, totals, top }: Model): string {
  const { about, steps, edits } = data;
  const compactions = edits.filter(({ type }) => type === "compact").length;
  const prunes = edits.filter(({ type }) => type === "prune").length;
  return `The window over ${steps.length - 1} requests: from ${count(totals[0] ?? 0)} to ${count(totals.at(-1) ?? 0)} tokens, at most ${count(top)}; ${count(about.usable)} of ${count(about.window)} are usable. ${compactions} compactions, ${prunes} rounds of pruning. The slider below goes through them.`;
}

function sizeOf(element: HTMLElement): { width: number; height: number } {
  return { width: Math.max(200, element.clientWidth), height: element.clientHeight || 260 };
}

/** The requests that are drawn: all of them, or some with everything before and after an edit. */
function shownSteps({ data, editsAt }: Model): number[] {
  const { length } = data.steps;
  const every = Math.max(1, Math.ceil(length / MOST_POINTS));
  return Array.from({ length }, (_, step) => step).filter(
    (step) =>
      step % every === 0 || step === length - 1 || editsAt.has(step) || editsAt.has(step + 1),
  );
}

function plotOf(element: HTMLElement, latest: { readonly current: ChartProps }): uPlot {
  const { model, beside } = latest.current;
  const { data, series } = model;
  const steps = shownSteps(model);
  const colours = theme();
  const sums = new Float64Array(steps.length);
  const stacked = series.map((values) => {
    steps.forEach((step, at) => (sums[at] = (sums[at] ?? 0) + (values[step] ?? 0)));
    return Array.from(sums);
  });
  const reported = steps.map((step) => data.steps[step]?.reported ?? null);
  const other = steps.map((step) => beside?.[step] ?? null);
  const drawing = (plot: uPlot): Drawing => ({ plot, colours, ...latest.current });
  const tip = document.createElement("div");
  tip.className = "tip";
  const options: uPlot.Options = {
    ...sizeOf(element),
    padding: [22, 8, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { show: false } },
    select: { show: false, left: 0, top: 0, width: 0, height: 0 },
    scales: {
      x: { time: false, range: (_, from, to) => [from, Math.max(to, from + 1)] },
      y: { range: () => [0, topOf(model, beside)] },
    },
    axes: axes(colours),
    series: seriesOf(data.areas),
    hooks: {
      draw: [
        (plot) => {
          drawLimits(drawing(plot));
          drawMarks(drawing(plot));
          drawHits(drawing(plot));
          drawSelection(drawing(plot));
        },
      ],
      setCursor: [(plot) => showTip(plot, tip, model)],
    },
  };
  const plot = new uPlot(
    options,
    [steps, ...stacked.toReversed(), reported, other, other],
    element,
  );
  plot.over.append(tip);
  plot.over.addEventListener("click", () => {
    const { idx } = plot.cursor;
    if (typeof idx === "number") latest.current.onStep(steps[idx] ?? 0);
  });
  plot.over.addEventListener("mouseleave", () => (tip.hidden = true));
  return plot;
}

/** The tallest stack is drawn first, and the others over it; then what was reported, and a replay. */
function seriesOf(areas: PageData["areas"]): uPlot.Series[] {
  const colours = theme();
  const points = { show: false };
  const line = (name: string, width: number): uPlot.Series => {
    return { stroke: colours[name], width, spanGaps: true, points };
  };
  const stacks = areas.map((_, area): uPlot.Series => {
    return { fill: colourOf(areas, area), stroke: colours["surface"], width: 0.5, points };
  });
  return [{}, ...stacks.toReversed(), line("text", 1.2), line("surface", 5), line("accent", 2.5)];
}

/** The window is the scale, unless the session is so small in it that nothing could be seen. */
function topOf({ top, data }: Model, beside: ChartProps["beside"] = []): number {
  const most = beside.reduce<number>((highest, value) => Math.max(highest, value ?? 0), top);
  const { window } = data.about;
  return most >= window * 0.3 ? Math.max(window, most) * 1.04 : most * 1.15 || 1;
}

function axes(colours: Readonly<Record<string, string>>): uPlot.Axis[] {
  const common = {
    stroke: colours["muted"],
    font: `${12 * textScale()}px ${colours["font"]}`,
    ticks: { show: false },
  };
  const grid = { stroke: colours["line"], width: 1 };
  return [
    {
      ...common,
      size: 26 * textScale(),
      grid: { show: false },
      incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 5e3, 1e4],
      // Requests are counted from 1 on.
      splits: (...[, , from, to, every]) => {
        const ends = Array.from({ length: Math.floor((to + 1) / every) }, (_, at) => {
          return (at + 1) * every - 1;
        });
        return every > 2 && from <= 0 ? [0, ...ends] : ends;
      },
      values: (_, places) => places.map((place) => count(place + 1)),
    },
    {
      ...common,
      size: 52 * textScale(),
      grid,
      values: (_, values) => values.map(short),
      space: 44,
    },
  ];
}

/** Areas that are told beside the mouse. */
const TOLD = 5;

function showTip(plot: uPlot, tip: HTMLElement, model: Model): void {
  const { idx, left = 0 } = plot.cursor;
  tip.hidden = typeof idx !== "number" || left < 0;
  if (typeof idx !== "number" || left < 0) return;
  const step = plot.data[0][idx] ?? 0;
  const { data, series, totals } = model;
  const total = totals[step] ?? 0;
  const areas = data.areas
    .map(({ label }, area) => ({ label, area, tokens: series[area]?.[step] ?? 0 }))
    .filter(({ tokens }) => tokens > 0)
    .toSorted((one, other) => other.tokens - one.tokens)
    .slice(0, TOLD);
  tip.replaceChildren(
    line("tip-title", [
      step === data.steps.length - 1 ? "Next request" : `Request ${count(step + 1)}`,
      `${count(total)} tokens`,
    ]),
    ...(model.editsAt.get(step) ?? []).map((edit) => line("tip-edit", [editTitle(edit), ""])),
    ...areas.map(({ label, area, tokens }) => {
      const row = line("", [label, `${short(tokens)} · ${percent(tokens, total)}`]);
      const swatch = document.createElement("i");
      swatch.style.background = colourOf(data.areas, area);
      row.prepend(swatch);
      return row;
    }),
  );
  const isRight = left > plot.over.clientWidth / 2;
  tip.style.left = isRight ? "auto" : `${left + 14}px`;
  tip.style.right = isRight ? `${plot.over.clientWidth - left + 14}px` : "auto";
}

function line(name: string, [left, right]: readonly [string, string]): HTMLElement {
  const row = document.createElement("div");
  row.className = name;
  for (const text of [left, right]) {
    row.append(Object.assign(document.createElement("span"), { textContent: text }));
  }
  return row;
}

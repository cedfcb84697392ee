/** Plots as SVG, readable on light and dark pages; pure. */

/** One row of points with a name. */
export interface Series {
  readonly name: string;
  readonly points: readonly (readonly [x: number, y: number])[];
}

export interface Plot {
  readonly title: string;
  readonly x: Axis;
  readonly y: Axis;
  readonly series: readonly Series[];
  /** `line` joins the points of a series; `dots` writes each series' name beside its first point. */
  readonly marks: "line" | "dots";
  /** A line across, such as a limit. */
  readonly limit?: { readonly name: string; readonly y: number };
}

export interface Axis {
  readonly title: string;
  readonly show: (value: number) => string;
  /** @default the largest value */
  readonly most?: number;
}

const WIDTH = 760;
const HEIGHT = 380;
const LEFT = 64;
const TOP = 52;
const BOTTOM = 48;
/** The margin for names of lines; names of dots stand beside these. */
const RIGHT = 200;
/** Tell each other apart for those who see no red or green, on white and on black. */
const COLOURS = ["#0a7fd4", "#e07b00", "#12936f", "#c2559b", "#8a8f00", "#d1495b", "#6f6fd8"];
const STYLE =
  "text{font:12px system-ui,sans-serif;fill:#57606a}.t{font-weight:600;font-size:14px}.g{stroke:#8c959f;stroke-opacity:.3}@media(prefers-color-scheme:dark){text{fill:#adb5bd}}";

/** Plots below each other, as one picture. */
export function plotSvg(plots: readonly Plot[]): string {
  const height = HEIGHT * plots.length;
  const panels = plots.map(
    (plot, at) => `<g transform="translate(0 ${at * HEIGHT})">${panel(plot)}</g>`,
  );
  const size = `width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}"`;
  const label = escaped(plots.map(({ title }) => title).join("; "));
  return `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" aria-label="${label}"><style>${STYLE}</style>${panels.join("")}</svg>\n`;
}

/** The place of a value in the picture. */
interface Scale {
  x(value: number): number;
  y(value: number): number;
  readonly mostX: number;
  readonly mostY: number;
}

function panel(plot: Plot): string {
  const scale = scaleOf(plot);
  const draw = plot.marks === "line" ? lines : dots;
  return [
    text(LEFT, 22, plot.title, ' class="t"'),
    ...grid(plot, scale),
    ...limitLine(plot, scale),
    ...draw(plot, scale),
  ].join("");
}

function scaleOf({ x, y, series, limit }: Plot): Scale {
  const points = series.flatMap((one) => one.points);
  const most = (values: readonly number[]): number => values.reduce((a, b) => Math.max(a, b), 0);
  const mostX = x.most ?? niceAbove(most(points.map(([value]) => value)));
  const mostY = y.most ?? niceAbove(most([...points.map(([, value]) => value), limit?.y ?? 0]));
  const wide = WIDTH - LEFT - RIGHT;
  const high = HEIGHT - TOP - BOTTOM;
  return {
    mostX,
    mostY,
    x: (value) => LEFT + (value / mostX) * wide,
    y: (value) => TOP + high - (value / mostY) * high,
  };
}

const TICKS = 5;

/** A step of 1, 2 or 5 times a power of ten, of which about five reach a value. */
function niceStep(value: number): number {
  const rough = Math.max(value, Number.MIN_VALUE) / TICKS;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 5, 10].find((one) => one * power >= rough) ?? 10);
}

function niceAbove(value: number): number {
  if (value <= 0) return 1;
  const step = niceStep(value);
  return Math.ceil(value / step) * step;
}

function ticks(most: number): readonly number[] {
  const step = niceStep(most);
  // A little more, for the last one, which floating point may put behind the end.
  return Array.from({ length: Math.floor(most / step + 1.001) }, (_, at) => at * step);
}

function grid({ x, y }: Plot, scale: Scale): readonly string[] {
  const [left, right] = [scale.x(0), scale.x(scale.mostX)];
  const bottom = scale.y(0);
  return [
    ...ticks(scale.mostY).flatMap((value) => [
      line([left, right], scale.y(value), ' class="g"'),
      text(left - 8, scale.y(value) + 4, y.show(value), ' text-anchor="end"'),
    ]),
    ...ticks(scale.mostX).map((value) =>
      text(scale.x(value), bottom + 18, x.show(value), ' text-anchor="middle"'),
    ),
    text((left + right) / 2, bottom + 38, x.title, ' text-anchor="middle"'),
    text(left, TOP - 10, y.title, ""),
  ];
}

function limitLine({ limit }: Plot, scale: Scale): readonly string[] {
  if (limit === undefined || limit.y > scale.mostY) return [];
  const [at, right] = [scale.y(limit.y), scale.x(scale.mostX)];
  return [
    line([scale.x(0), right], at, ' stroke="#8c959f" stroke-dasharray="4 4"'),
    text(right - 4, at - 4, limit.name, ' text-anchor="end"'),
  ];
}

function lines({ series }: Plot, scale: Scale): readonly string[] {
  return series.flatMap(({ name, points }, at) => {
    const colour = COLOURS[at % COLOURS.length] ?? "";
    const path = points
      .map(([x, y]) => `${digits(scale.x(x))},${digits(Math.max(TOP, scale.y(y)))}`)
      .join(" ");
    const top = TOP + 6 + at * 20;
    return [
      `<polyline points="${path}" fill="none" stroke="${colour}" stroke-width="1.5"/>`,
      line([WIDTH - RIGHT + 12, WIDTH - RIGHT + 30], top, ` stroke="${colour}" stroke-width="3"`),
      text(WIDTH - RIGHT + 36, top + 4, name, ""),
    ];
  });
}

/** Names are moved down until none covers another. */
function dots({ series }: Plot, scale: Scale): readonly string[] {
  const taken: { x: number; y: number }[] = [];
  const placed = series
    .map((one, at) => ({ ...one, colour: COLOURS[at % COLOURS.length] ?? "" }))
    .toSorted((a, b) => (b.points[0]?.[1] ?? 0) - (a.points[0]?.[1] ?? 0));
  return placed.flatMap(({ name, points, colour }) => {
    const marks = points.map(([x, y]) => {
      return `<circle cx="${digits(scale.x(x))}" cy="${digits(scale.y(y))}" r="5" fill="${colour}"/>`;
    });
    const [first] = points;
    if (first === undefined) return [];
    const x = scale.x(first[0]) + 9;
    let y = scale.y(first[1]) + 4;
    while (taken.some((other) => Math.abs(other.y - y) < 13 && Math.abs(other.x - x) < 170)) y += 3;
    taken.push({ x, y });
    return [...marks, text(x, y, name, "")];
  });
}

/** A line to the right. */
function line([from, to]: readonly [number, number], y: number, more: string): string {
  const at = digits(y);
  return `<line x1="${digits(from)}" y1="${at}" x2="${digits(to)}" y2="${at}"${more}/>`;
}

function text(x: number, y: number, words: string, more: string): string {
  return `<text x="${digits(x)}" y="${digits(y)}"${more}>${escaped(words)}</text>`;
}

function digits(value: number): string {
  return String(Number(value.toFixed(1)));
}

function escaped(words: string): string {
  const named: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", '"': "&quot;" };
  return words.replaceAll(/[&<"]/g, (unit) => named[unit] ?? "");
}

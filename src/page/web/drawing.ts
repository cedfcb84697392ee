import type uPlot from "uplot";
import type { PageEdit } from "../data.ts";
import { short, textScale } from "./format.ts";
import type { Model } from "./model.ts";

export interface Drawing {
  readonly plot: uPlot;
  readonly colours: Readonly<Record<string, string>>;
  readonly model: Model;
  readonly step: number;
  readonly hits: ReadonlySet<number>;
}

/** The window, and the line that overflow begins at. */
export function drawLimits({ plot, colours, model }: Drawing): void {
  const { window, usable } = model.data.about;
  const { ctx, bbox } = plot;
  const line = (tokens: number, name: string, dash: readonly number[]): void => {
    const y = plot.valToPos(tokens, "y", true);
    if (y < bbox.top - 1) return;
    const text = `${name} ${short(tokens)}`;
    ctx.strokeStyle = colours["limit"] ?? "";
    ctx.fillStyle = colours["limit"] ?? "";
    ctx.lineWidth = pixels(1.2);
    ctx.setLineDash(dash.map(pixels));
    ctx.stroke(lineTo([bbox.left, y], [bbox.left + bbox.width, y]));
    ctx.textAlign = "left";
    ctx.textBaseline = "bottom";
    ctx.fillText(text, bbox.left + pixels(6), y - pixels(3));
  };
  saved(plot, () => {
    ctx.font = `${pixels(11.5 * textScale())}px ${colours["font"]}`;
    line(window, "window", []);
    if (usable < window * 0.995) line(usable, "usable", [5, 4]);
  });
}

const SIZE = 5;

/** A mark for every edit: a line where the window was edited, and a sign of its kind above. */
export function drawMarks({ plot, colours, model }: Drawing): void {
  const { ctx, bbox } = plot;
  saved(plot, () => {
    for (const edit of model.data.edits) {
      const x = plot.valToPos(edit.step, "x", true);
      ctx.fillStyle = colours[edit.type] ?? "";
      ctx.strokeStyle = colours[edit.type] ?? "";
      if (edit.type !== "truncate") {
        ctx.globalAlpha = 0.75;
        ctx.lineWidth = pixels(1);
        ctx.setLineDash([pixels(2), pixels(3)]);
        ctx.stroke(lineTo([x, bbox.top], [x, bbox.top + bbox.height]));
      }
      ctx.globalAlpha = 1;
      drawSign(ctx, edit, [x, bbox.top - pixels(10)]);
    }
  });
}

type Place = readonly [x: number, y: number];

function lineTo(from: Place, to: Place): Path2D {
  const line = new Path2D();
  line.moveTo(...from);
  line.lineTo(...to);
  return line;
}

/** A disc for a compaction, a wedge for pruning, a small bar for what was cut on arrival. */
function drawSign(ctx: CanvasRenderingContext2D, { type }: PageEdit, [x, y]: Place): void {
  const size = pixels(SIZE);
  ctx.beginPath();
  if (type === "compact") ctx.arc(x, y, size, 0, 2 * Math.PI);
  else if (type === "prune") {
    ctx.moveTo(x - size, y - size * 0.8);
    ctx.lineTo(x + size, y - size * 0.8);
    ctx.lineTo(x, y + size * 0.9);
  } else ctx.rect(x - pixels(1), y - size * 0.8, pixels(2), size * 1.6);
  ctx.fill();
}

/** The requests in which a text was found. */
export function drawHits({ plot, colours, hits }: Drawing): void {
  const { ctx, bbox } = plot;
  saved(plot, () => {
    ctx.fillStyle = colours["hit"] ?? "";
    for (const step of hits) {
      const x = plot.valToPos(step, "x", true);
      ctx.fillRect(x - pixels(1), bbox.top + bbox.height - pixels(9), pixels(2), pixels(9));
    }
  });
}

export function drawSelection({ plot, colours, step }: Drawing): void {
  const { ctx, bbox } = plot;
  saved(plot, () => {
    const x = plot.valToPos(step, "x", true);
    ctx.strokeStyle = colours["accent"] ?? "";
    ctx.lineWidth = pixels(2);
    ctx.stroke(lineTo([x, bbox.top], [x, bbox.top + bbox.height]));
  });
}

function saved({ ctx }: uPlot, draw: () => void): void {
  ctx.save();
  draw();
  ctx.restore();
}

function pixels(size: number): number {
  return size * devicePixelRatio;
}

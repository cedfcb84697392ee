/**
 * How many tokens a provider reports for one that is estimated, recording by recording:
 * `npx tsx bench/tokens/factors.ts [FOLDER or FILE]`. The slope of the reported sizes of a
 * conversation's requests over their estimates (least squares), so that what stands outside the
 * recording plays no part. Only reports since the last request that shrank count (the agent edited its
 * context there), and only where the requests grew by half at least.
 */
import { totalUsage } from "../../src/core/message/message.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import type { Conversation } from "../../src/transcripts/index.ts";
import { readSessions, sessionFiles } from "../quality/sessions.ts";

interface Point {
  readonly estimated: number;
  readonly reported: number;
}

const meter = createMessageMeter(estimator);

function pointsOf({ messages, instructions = "" }: Conversation): Point[] {
  let estimated = estimator.count(instructions);
  const points = messages.flatMap((message) => {
    const before = estimated;
    estimated += meter.tokens(message);
    if (message.usage === undefined) return [];
    const reported = totalUsage({ ...message.usage, output: 0 });
    return reported > 0 ? [{ estimated: before, reported }] : [];
  });
  const shrank = points.findLastIndex(
    ({ reported }, at) => reported < SHRUNK * (points[at - 1]?.reported ?? 0),
  );
  return points.slice(Math.max(0, shrank));
}

/** A request of less than this share of the one before was edited. */
const SHRUNK = 0.95;
const LEAST_REPORTS = 8;
const LEAST_GROWTH = 1.5;

function slopeOf(points: readonly Point[]): number {
  const mean = (of: (point: Point) => number): number =>
    points.reduce((total, point) => total + of(point), 0) / points.length;
  const [x, y] = [mean(({ estimated }) => estimated), mean(({ reported }) => reported)];
  const xy = points.reduce((sum, one) => sum + (one.estimated - x) * (one.reported - y), 0);
  const xx = points.reduce((sum, one) => sum + (one.estimated - x) ** 2, 0);
  return xy / xx;
}

console.log("| recording | model | reports | estimated, first to last | factor |");
console.log("| --- | --- | ---: | --- | ---: |");
for (const file of sessionFiles(process.argv[2])) {
  for (const { conversation } of await readSessions(file)) {
    const points = pointsOf(conversation);
    const [first, last] = [points[0], points.at(-1)];
    if (first === undefined || last === undefined || points.length < LEAST_REPORTS) continue;
    if (last.estimated < LEAST_GROWTH * first.estimated) continue;
    const name = file.split("/").at(-1) ?? file;
    console.log(
      `| ${name} | ${conversation.model ?? "?"} | ${points.length} | ${first.estimated}:${first.reported} … ${last.estimated}:${last.reported} | ${slopeOf(points).toFixed(2)} |`,
    );
  }
}

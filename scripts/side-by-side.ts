// Makes docs/pictures/side-by-side.svg: the offline agent at its task, without Longhaul and with it, as
// both really ran. npx tsx scripts/side-by-side.ts
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { generateText, stepCountIs } from "ai";
import { directoryArchive } from "longhaul/archive/directory";
import { runAgent } from "../examples/coding-agent/agent.ts";
import { openHistory } from "../examples/coding-agent/history.ts";
import { offlineModel } from "../examples/coding-agent/offline/model.ts";
import { createProject } from "../examples/coding-agent/offline/project.ts";
import { OFFLINE_TASK } from "../examples/coding-agent/offline/task.ts";
import { changeTools, lookTools } from "../examples/coding-agent/tools.ts";
import { createView } from "../examples/coding-agent/view.ts";

const WINDOW = 16_000;
const model = offlineModel({ window: WINDOW, delayMs: 0 });

/** A run: the tokens of its requests, and how it ended. */
interface Run {
  readonly sizes: readonly number[];
  readonly ending: string;
  readonly isDone: boolean;
}

async function without(folder: string): Promise<Run> {
  const project = path.join(folder, "without");
  await createProject(project);
  const archive = directoryArchive(path.join(folder, "archive"));
  const settings = { folder: project, archive, maxBytes: 50_000, onCut: () => undefined };
  const sizes: number[] = [];
  try {
    await generateText({
      model,
      system: "You are a careful programmer.",
      prompt: OFFLINE_TASK,
      tools: { ...lookTools(settings), ...changeTools(settings) },
      stopWhen: stepCountIs(1_000),
      maxRetries: 0,
      onStepFinish: ({ usage }) => void sizes.push(usage.inputTokens ?? 0),
    });
  } catch (error) {
    const [, size] = /(\d+) \+ \d+ > /.exec(String(error)) ?? [];
    if (size === undefined) throw error;
    sizes.push(Number(size));
    const told = `request ${sizes.length} has ${size} tokens and is refused: the agent dies`;
    return { sizes, ending: told, isDone: false };
  }
  return { sizes, ending: "done", isDone: true };
}

async function withLonghaul(folder: string): Promise<Run> {
  const project = path.join(folder, "with");
  await createProject(project);
  const history = openHistory(path.join(folder, "history.jsonl"));
  history.add({ messages: [{ role: "user", content: OFFLINE_TASK }], truncations: 0, rejected: 0 });
  const view = createView({ write: () => undefined }, {}, 1);
  const sizes: number[] = [];
  const { finished, steps, prunes, compactions } = await runAgent({
    model,
    window: WINDOW,
    folder: project,
    session: "with",
    archive: directoryArchive(path.join(folder, "archive")),
    history,
    view: { ...view, step: ({ tokens }) => void sizes.push(tokens.after) },
    signal: new AbortController().signal,
    writesSummaries: false,
  });
  const ending = `${steps} requests, ${prunes} prunes, ${compactions} compactions: done`;
  return { sizes, ending, isDone: finished };
}

const [WIDTH, HEIGHT, TOP, LEFT] = [440, 200, 64, 44];
const SECONDS = 8;

function pane({ sizes, ending, isDone }: Run, title: string, x: number, most: number): string {
  const top = WINDOW * 1.65;
  const place = (at: number, size: number): string =>
    `${(LEFT + (at / most) * (WIDTH - LEFT - 12)).toFixed(1)} ${(TOP + HEIGHT - (size / top) * HEIGHT).toFixed(1)}`;
  const line = sizes.map((size, at) => `${at === 0 ? "M" : "L"}${place(at, size)}`).join("");
  const limit = TOP + HEIGHT - (WINDOW / top) * HEIGHT;
  const seconds = ((sizes.length / most) * SECONDS).toFixed(2);
  const end = place(sizes.length - 1, sizes.at(-1) ?? 0).split(" ");
  const mark = isDone ? "✓" : "✕";
  return `<g transform="translate(${x} 0)">
<text class="title" x="${LEFT}" y="26">${escaped(title)}</text>
<line class="limit" x1="${LEFT}" x2="${WIDTH - 12}" y1="${limit}" y2="${limit}"/>
<text class="small limit-text" text-anchor="end" x="${WIDTH - 12}" y="${limit - 6}">window, 16,000 tokens</text>
<line class="axis" x1="${LEFT}" x2="${WIDTH - 12}" y1="${TOP + HEIGHT}" y2="${TOP + HEIGHT}"/>
<path class="line ${isDone ? "good" : "bad"}" pathLength="1" style="animation-duration:${seconds}s" d="${line}"/>
<g class="end" style="animation-delay:${seconds}s">
<text class="mark ${isDone ? "good" : "bad"}" x="${Math.min(WIDTH - 28, Number(end[0]) + 4)}" y="${Number(end[1]) - 8}">${mark}</text>
<text class="small" x="${LEFT}" y="${TOP + HEIGHT + 24}">${escaped(ending)}</text>
</g>
</g>`;
}

const STYLE = `
text { font: 14px ui-sans-serif, system-ui, sans-serif; fill: #1b2330 }
.title { font-size: 16px; font-weight: 600 } .small { font-size: 12.5px; fill: #5a6675 }
.ground { fill: #fff } .axis { stroke: #e3e7ed } .limit { stroke: #b3261e; stroke-dasharray: 5 4 } .limit-text { fill: #b3261e }
.line { fill: none; stroke-width: 2.5; stroke-linejoin: round; stroke-dasharray: 1; animation: draw linear both }
path.good { stroke: #1f5fd0 } path.bad { stroke: #b3261e }
.mark { font-size: 20px; font-weight: 700 } .mark.good { fill: #1a7a4c } .mark.bad { fill: #b3261e }
.end { animation: show .3s both }
@keyframes draw { from { stroke-dashoffset: 1 } to { stroke-dashoffset: 0 } }
@keyframes show { from { opacity: 0 } to { opacity: 1 } }
@media (prefers-color-scheme: dark) {
  text { fill: #e4e9f0 } .small { fill: #9aa7b8 } .ground { fill: #171c24 } .axis { stroke: #2a323e }
  .limit, path.bad { stroke: #ff8f85 } .limit-text, .mark.bad { fill: #ff8f85 } path.good { stroke: #7aa9ff } .mark.good { fill: #5cc592 }
}
@media (prefers-reduced-motion: reduce) { .line, .end { animation: none } }
`;

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}

const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-side-by-side-"));
const runs = [await without(folder), await withLonghaul(folder)] as const;
const most = Math.max(...runs.map(({ sizes }) => sizes.length));
const [first, second] = runs;
writeFileSync(
  "docs/pictures/side-by-side.svg",
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH * 2} ${TOP + HEIGHT + 44}" role="img" aria-label="The same agent at the same task: without Longhaul request ${first.sizes.length} is refused, with it it finishes.">
<style>${STYLE}</style>
<rect class="ground" width="100%" height="100%" rx="10"/>
${pane(first, "Without Longhaul", 0, most)}
${pane(second, "With Longhaul", WIDTH, most)}
</svg>
`,
);
rmSync(folder, { recursive: true });
console.log(runs.map(({ sizes, ending }) => `${sizes.length}: ${ending}`).join("\n"));

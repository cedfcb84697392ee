/**
 * Times single steps. Every row and size is a process of its own; median and 99th percentile of
 * microseconds for a step.
 */
import { makeEntries } from "./history.ts";
import { inChild, quantile } from "./measure.ts";
import { type Step, STEP_ENTRIES, type StepRow } from "./step-rows.ts";
import { figure, markdownTable, publish } from "./table.ts";

const SIZES = [200, 20_000] as const;
/** Steps after which a round begins again with the first history, so that its size stays the same. */
const STEPS_PER_ROUND = 20;
const ROUNDS = 25;
const WARM_UP_ROUNDS = 10;
/** A row that is slow makes fewer rounds than that, but two at the least. */
const MAX_SECONDS = 30;

interface StepTime {
  /** Microseconds. */
  readonly median: number;
  readonly p99: number;
  readonly steps: number;
}

/** Prints the table of some rows; the script's argument filters them. */
export async function timeSteps(table: string, rows: readonly StepRow[]): Promise<void> {
  const [flag, name, size] = process.argv.slice(2);
  if (flag !== "--row") {
    publish(table, report(rows.filter((row) => row.name.includes(flag ?? ""))));
    return;
  }
  const time = await timeRow(
    rows.find((row) => row.name === name),
    Number(size),
  );
  process.stdout.write(`${JSON.stringify(time)}\n`);
}

async function timeRow(row: StepRow | undefined, size: number): Promise<StepTime> {
  if (row === undefined) throw new Error("There is no such row.");
  const history = makeEntries(size);
  const added = makeEntries(STEPS_PER_ROUND * STEP_ENTRIES).map(asStep);
  const times: number[] = [];
  const start = performance.now();
  for (let round = 0; round < ROUNDS; round++) {
    const isLate = performance.now() - start > MAX_SECONDS * 1_000;
    if (isLate && times.length > 0) break;
    const step = await row.load(history, added);
    globalThis.gc?.();
    const taken = await timeRound(step);
    if (round >= WARM_UP_ROUNDS || isLate) times.push(...taken);
  }
  return { median: quantile(times, 0.5), p99: quantile(times, 0.99), steps: times.length };
}

async function timeRound(step: Step): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < STEPS_PER_ROUND; n++) {
    const run = step(n);
    const from = performance.now();
    await run();
    times.push((performance.now() - from) * 1_000);
  }
  return times;
}

/** Every added step is a call with its result, whatever the generator says. */
function asStep(entry: ReturnType<typeof makeEntries>[number], index: number) {
  const id = `step_${Math.floor(index / STEP_ENTRIES)}`;
  return index % STEP_ENTRIES === 0
    ? { type: "call" as const, id, tool: "bash", input: { command: `run part ${index}` } }
    : { type: "result" as const, id, tool: "bash", text: "text" in entry ? entry.text : "done" };
}

function report(rows: readonly StepRow[]): string {
  const header = ["", "200: median µs", "p99", "20,000: median µs", "p99", "20,000 : 200"];
  const lines = rows.map(({ name }) => {
    const [small, large] = SIZES.map((size) => inChild<StepTime>(["--row", name, String(size)]));
    if (small === undefined || large === undefined) return [name];
    return [
      name,
      figure(small.median),
      figure(small.p99),
      figure(large.median),
      figure(large.p99),
      figure(large.median / small.median),
    ];
  });
  const notes = rows.map(({ name, does }) => `- **${name}**: ${does}.`);
  return [markdownTable(header, lines), "", ...notes].join("\n");
}

/**
 * Compaction side by side: `npx tsx bench/speed/peers.ts [ROWS, an expression] [SIZES] [ROUNDS]`. A round
 * runs every row and size in a process of its own, so that a machine that gets slower or faster does
 * so for all; the figures are medians over the rounds.
 */
import { makeEntries } from "./history.ts";
import { bundled, inChild, medianTime, type Time, type Times, timeRuns } from "./measure.ts";
import { type Row, ROWS } from "./rows.ts";
import { figure, markdownTable, publish } from "./table.ts";

const SIZES = [200, 2_000, 20_000];
const ROUNDS = 5;

async function child(name: string, size: number): Promise<Times> {
  const row = ROWS.find((one) => one.name === name);
  if (row === undefined) throw new Error(`There is no row ${name}.`);
  return timeRuns(await row.load(makeEntries(size)));
}

/** The times of a row at each size: those of its later runs, and of its first. */
interface Measured {
  readonly row: Row;
  readonly usual: readonly Time[];
  readonly first: readonly Time[];
}

async function measure(
  rows: readonly Row[],
  sizes: readonly number[],
  rounds: number,
): Promise<readonly Measured[]> {
  const script = await bundled();
  const cells = rows.flatMap((row) => sizes.map((size) => ({ row, size, times: [] as Times[] })));
  for (let round = 1; round <= rounds; round++) {
    process.stderr.write(`round ${round} of ${rounds}\n`);
    for (const { row, size, times } of cells) {
      times.push(inChild<Times>(["--row", row.name, String(size)], script));
    }
  }
  return rows.map((row) => {
    const own = cells.filter((cell) => cell.row === row).map(({ times }) => times);
    const first = own.map((times) => medianTime(times.map((time) => time.first)));
    return { row, usual: own.map(medianTime), first };
  });
}

/** One line a row, with the ratio of its CPU time to the least of a peer that compacts. */
function table(
  measured: readonly Measured[],
  sizes: readonly number[],
  timesOf: (one: Measured) => readonly Time[],
): string {
  const peers = measured.filter(({ row }) => row.kind === "compacts").map(timesOf);
  const least = sizes.map((_, at) => Math.min(...peers.map((times) => times[at]?.cpu ?? NaN)));
  const header = [
    "",
    ...sizes.flatMap((size) => [`${size.toLocaleString("en-US")}: wall ms`, "CPU ms", "ratio"]),
  ];
  const lines = measured.map((one) => [
    one.row.name,
    ...timesOf(one).flatMap(({ wall, cpu }, at) => [
      figure(wall),
      figure(cpu),
      figure(cpu / (least[at] ?? NaN)),
    ]),
  ]);
  return markdownTable(header, lines);
}

async function report(
  rows: readonly Row[],
  sizes: readonly number[],
  rounds: number,
): Promise<string> {
  const measured = await measure(rows, sizes, rounds);
  return [
    "Runs 2 to 15 of a process:",
    "",
    table(measured, sizes, ({ usual }) => usual),
    "",
    "Its first run:",
    "",
    table(measured, sizes, ({ first }) => first),
    "",
    "Ratio: CPU time over that of the fastest peer that compacts (makes a summary).",
    "",
    ...rows.map(({ name, does }) => `- **${name}**: ${does}.`),
  ].join("\n");
}

const [flag, name, size] = process.argv.slice(2);
if (flag === "--row") {
  const times = await child(name ?? "", Number(size));
  process.stdout.write(`${JSON.stringify(times)}\n`);
} else {
  const wanted = new RegExp(flag ?? "");
  const rows = ROWS.filter((row) => wanted.test(row.name));
  const sizes = name === undefined ? SIZES : name.split(",").map(Number);
  publish("peers", await report(rows, sizes, Number(size ?? ROUNDS)));
}

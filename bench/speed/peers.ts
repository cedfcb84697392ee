/**
 * Compaction side by side: `npx tsx bench/speed/peers.ts [ROW-FILTER] [SIZES]`. Every row and size
 * is a process of its own; the figures are medians of wall time and CPU time.
 */
import { makeEntries } from "./history.ts";
import { inChild, type Time, timeRuns } from "./measure.ts";
import { type Row, ROWS } from "./rows.ts";
import { figure, markdownTable, publish } from "./table.ts";

const SIZES = [200, 2_000, 20_000];

async function child(name: string, size: number): Promise<Time> {
  const row = ROWS.find((one) => one.name === name);
  if (row === undefined) throw new Error(`There is no row ${name}.`);
  return timeRuns(await row.load(makeEntries(size)));
}

function report(rows: readonly Row[], sizes: readonly number[]): string {
  const columns = sizes.map((size) =>
    rows.map(({ name }) => inChild<Time>(["--row", name, String(size)])),
  );
  const fastest = columns.map((times) =>
    Math.min(...times.flatMap(({ cpu }, index) => (rows[index]?.kind === "compacts" ? [cpu] : []))),
  );
  const header = [
    "",
    ...sizes.flatMap((size) => [`${size.toLocaleString("en-US")}: wall ms`, "CPU ms", "ratio"]),
  ];
  const lines = rows.map((row, index) => [
    row.name,
    ...columns.flatMap((times, column) => {
      const { wall, cpu } = times[index] as Time;
      return [figure(wall), figure(cpu), figure(cpu / (fastest[column] ?? NaN))];
    }),
  ]);
  const notes = rows.map(({ name, does }) => `- **${name}**: ${does}.`);
  return [
    markdownTable(header, lines),
    "",
    "Ratio: CPU time over that of the fastest peer that compacts (makes a summary).",
    "",
    ...notes,
  ].join("\n");
}

const [flag, name, size] = process.argv.slice(2);
if (flag === "--row") {
  const time = await child(name ?? "", Number(size));
  process.stdout.write(`${JSON.stringify(time)}\n`);
} else {
  const rows = ROWS.filter((row) => row.name.includes(flag ?? ""));
  const sizes = name === undefined ? SIZES : name.split(",").map(Number);
  publish("peers", report(rows, sizes));
}

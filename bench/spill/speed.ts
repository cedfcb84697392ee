/**
 * A command with a large output, side by side: `npx tsx bench/spill/speed.ts [SIZES] [ROW-FILTER]`.
 * Every run is a process of its own, the rows take turns, and the disk is at rest before each.
 */
import { execFileSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { availableParallelism, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { inChild, median } from "../speed/measure.ts";
import { figure, markdownTable, publish } from "../speed/table.ts";
import { keptBytes, type Row, ROWS } from "./rows.ts";

interface Figures {
  readonly wall: number;
  /** Milliseconds of all threads of the Node process; not of the commands that it runs. */
  readonly cpu: number;
  /** Bytes that the process grew beyond what it had before. */
  readonly grown: number;
  readonly kept: number;
}

const SIZES = [1_000_000, 50_000_000, 2_000_000_000];
const MOST_ROUNDS = 7;
/** A row of this size is not repeated after so long. */
const MOST_SECONDS = 25;
const WARM_RUNS = 3;
const LINE = "2026-03-01T12:00:00.000Z INFO worker-7 request 0123456789 done in 12.5 ms, 200 OK\n";

/** Lines of so many bytes, in a file that is then in memory. */
function makeSource(bytes: number): string {
  const path = join(mkdtempSync(join(tmpdir(), "spill-bench-")), "source");
  const block = Buffer.from(LINE.repeat(50_000));
  const file = openSync(path, "w");
  for (let left = bytes; left > 0; left -= block.length) {
    writeSync(file, block, 0, Math.min(left, block.length));
  }
  closeSync(file);
  execFileSync("sync", [path]);
  return path;
}

async function runOnce(row: Row, source: string): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), "spill-bench-"));
  const run = await row.load(folder);
  // A session runs many commands: what is loaded and made once is not counted.
  for (let warm = 0; warm < WARM_RUNS; warm++) keptBytes(folder, await run(`seq ${10_000 + warm}`));
  globalThis.gc?.();
  execFileSync("sync");
  const before = process.resourceUsage().maxRSS;
  const spent = process.cpuUsage();
  const from = performance.now();
  const preview = await run(`cat ${source}`);
  const wall = performance.now() - from;
  const { user, system } = process.cpuUsage(spent);
  const grown = (process.resourceUsage().maxRSS - before) * 1_024;
  const kept = keptBytes(folder, preview);
  rmSync(folder, { recursive: true, force: true });
  return { wall, cpu: (user + system) / 1_000, grown, kept };
}

function measure(rows: readonly Row[], bytes: number): readonly (readonly Figures[] | string)[] {
  const source = makeSource(bytes);
  const results = rows.map((): Figures[] => []);
  const failures = rows.map(() => "");
  for (let round = 0; round < MOST_ROUNDS; round++) {
    for (const [at, { name }] of rows.entries()) {
      const spent = (results[at] ?? []).reduce((sum, { wall }) => sum + wall, 0);
      if (failures[at] !== "" || spent > MOST_SECONDS * 1_000) continue;
      try {
        results[at]?.push(inChild<Figures>(["--run", name, source]));
      } catch {
        failures[at] = "fails";
      }
    }
  }
  rmSync(join(source, ".."), { recursive: true, force: true });
  return results.map((runs, at) => (failures[at] === "" ? runs : "fails"));
}

function cells(runs: readonly Figures[] | string, bytes: number, base: number): readonly string[] {
  if (typeof runs === "string") return [runs, "", "", "", ""];
  const wall = median(runs.map((run) => run.wall));
  const kept = Math.min(...runs.map((run) => run.kept));
  return [
    figure(wall),
    figure(wall / base),
    figure(median(runs.map(({ cpu }) => cpu))),
    figure(median(runs.map(({ grown }) => grown / 1_000_000))),
    kept === bytes ? "all" : `${figure((100 * kept) / bytes)} %`,
  ];
}

function report(rows: readonly Row[], sizes: readonly number[]): string {
  const parts = sizes.map((bytes) => {
    const runs = measure(rows, bytes);
    const walls = (runs[0] ?? []) as readonly Figures[];
    const base = median(walls.map(({ wall }) => wall));
    const lines = rows.map((row, at) => [row.name, ...cells(runs[at] ?? "", bytes, base)]);
    const header = [
      `${figure(bytes / 1_000_000)} MB`,
      "ms",
      "ratio",
      "CPU ms",
      "memory + MB",
      "kept",
    ];
    return markdownTable(header, lines);
  });
  const notes = rows.map(({ name, does }) => `- ${name}: ${does}.`);
  return [
    ...parts,
    "Medians of wall time; ratio to the first row; CPU is that of the Node process, and memory its peak above what it had before.",
    `Load of the machine at the end: ${loadavg()[0]?.toFixed(1) ?? ""} on ${availableParallelism()} processors.`,
    notes.join("\n"),
  ].join("\n\n");
}

const [flag, name, source] = process.argv.slice(2);
if (flag === "--run") {
  const row = ROWS.find((one) => one.name === name);
  if (row === undefined || source === undefined) throw new Error(`There is no row ${name ?? ""}.`);
  const run = await runOnce(row, source);
  process.stdout.write(`${JSON.stringify(run)}\n`, () => process.exit(0));
} else {
  const sizes = flag === undefined ? SIZES : flag.split(",").map(Number);
  const rows = ROWS.filter((row, at) => at === 0 || row.name.includes(name ?? ""));
  publish("spill", report(rows, sizes));
}

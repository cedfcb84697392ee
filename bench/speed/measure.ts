/** Runs, their medians, and one child process for each measurement. */
import { spawnSync } from "node:child_process";
import path from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

/** Milliseconds of one run: on the clock, and of all threads of the process. */
export interface Time {
  readonly wall: number;
  readonly cpu: number;
}

/** The median of a process's runs, and its first run, which finds all code new. */
export interface Times extends Time {
  readonly first: Time;
}

const MAX_RUNS = 14;
/** Before a run, the engine's threads end what the untimed work left to them: sweeping, compiling. */
const SETTLED_MS = 50;
/** A row stops repeating after this long. */
const MAX_SECONDS = 20;

/** Times runs: the first one, then up to 14; `prepare` makes the input of each, untimed. */
export async function timeRuns(prepare: () => Promise<() => unknown>): Promise<Times> {
  const times: Time[] = [];
  const start = performance.now();
  const isLate = (): boolean => performance.now() - start > MAX_SECONDS * 1_000;
  for (let run = 0; run <= MAX_RUNS && !(run > 0 && isLate()); run++) {
    const work = await prepare();
    globalThis.gc?.();
    await setTimeout(SETTLED_MS);
    times.push(await timeOne(work));
  }
  const [first, ...others] = times;
  if (first === undefined) throw new Error("Nothing was run.");
  // A run that is slow enough is measured once.
  return { ...medianTime(others.length > 0 ? others : times), first };
}

/** The medians of wall time and of CPU time. */
export function medianTime(times: readonly Time[]): Time {
  return { wall: median(times.map(({ wall }) => wall)), cpu: median(times.map(({ cpu }) => cpu)) };
}

async function timeOne(work: () => unknown): Promise<Time> {
  const cpu = process.cpuUsage();
  const from = performance.now();
  await work();
  const wall = performance.now() - from;
  const { user, system } = process.cpuUsage(cpu);
  return { wall, cpu: (user + system) / 1_000 };
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** The value below which this share of all values lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? NaN;
}

/** This same script as a file for Node itself: a compiler's hooks would have a part in each import. */
export async function bundled(): Promise<string> {
  const script = process.argv[1] ?? "";
  const results = fileURLToPath(new URL("../results/", import.meta.url));
  const outfile = path.join(results, `${path.parse(script).name}.mjs`);
  const packages = { packages: "external", platform: "node", format: "esm" } as const;
  await build({ entryPoints: [script], bundle: true, outfile, ...packages });
  return outfile;
}

/** Runs this same script again with arguments, in a process of its own, and reads its JSON. */
export function inChild<T>(args: readonly string[], bundle?: string): T {
  const script = bundle ?? process.argv[1] ?? "";
  const hooks = bundle === undefined ? process.execArgv : [];
  const flags = ["--expose-gc", "--max-old-space-size=3000", ...hooks];
  const child = spawnSync(process.execPath, [...flags, script, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (child.status !== 0) throw new Error(`${args.join(" ")} ended with ${child.status}.`);
  return JSON.parse(child.stdout.trim().split("\n").at(-1) ?? "") as T;
}

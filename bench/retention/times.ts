/**
 * What each contestant takes at its defaults: `npx tsx bench/retention/run.ts --times` starts this in a
 * process whose young heap is so large that nothing is collected while one of them runs.
 */
import { spawnSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { contestants } from "./all.ts";
import { commonNames, type Cut, cutsOf } from "./cuts.ts";
import { machine } from "./machine.ts";
import type { TimeRow, Times } from "./results.ts";
import { readSegments } from "./segments.ts";

const HERE = fileURLToPath(import.meta.url);
const FLAGS = ["--expose-gc", "--min-semi-space-size=512", "--max-semi-space-size=512"];
const ROUNDS = 3;

/** Measures in a process of its own; of the cuts every `step`-th. */
export function measureTimes(step: number): Times {
  const args = [...FLAGS, "--import", "tsx", HERE, String(step)];
  const { stdout, status } = spawnSync(process.execPath, args, {
    encoding: "utf8",
    maxBuffer: 2 ** 26,
    stdio: ["ignore", "pipe", "inherit"],
  });
  if (status !== 0) throw new Error("The process that measures times failed.");
  const { date, machine: where } = machine();
  return { date, machine: where, rows: JSON.parse(stdout) as TimeRow[] };
}

if (process.argv[1] === HERE) {
  const step = Number(process.argv[2]);
  const segments = await readSegments();
  const isCommon = commonNames(segments);
  const all = segments.flatMap((one) => cutsOf(one, isCommon));
  const rows = await timesOf(all.filter((_, at) => at % step === 0));
  process.stdout.write(JSON.stringify(rows));
}

interface Taken {
  readonly cpuMs: number;
  readonly heapMb: number;
}

/** All contestants take turns at a cut, so that a change of the machine is the same for all of them. */
async function timesOf(cuts: readonly Cut[]): Promise<readonly TimeRow[]> {
  const taken = new Map<string, Taken[]>();
  for (const cut of cuts) {
    for (const { name, byDefault } of contestants()) {
      if (byDefault === undefined) continue;
      const runs: Taken[] = [];
      for (let round = 0; round < ROUNDS; round++) {
        const one = await takenBy(() => byDefault(cut));
        if (one !== undefined) runs.push(one);
      }
      if (runs.length === 0) continue;
      const cpuMs = Math.min(...runs.map((one) => one.cpuMs));
      const heapMb = Math.max(...runs.map((one) => one.heapMb));
      taken.set(name, [...(taken.get(name) ?? []), { cpuMs, heapMb }]);
    }
  }
  return Array.from(taken, ([name, all]) => ({
    name,
    cuts: all.length,
    cpuMs: median(all.map((one) => one.cpuMs)),
    heapMb: median(all.map((one) => one.heapMb)),
  }));
}

async function takenBy(make: () => Promise<unknown>): Promise<Taken | undefined> {
  globalThis.gc?.();
  const heap = process.memoryUsage().heapUsed;
  const before = process.cpuUsage();
  const made = await make();
  const { user, system } = process.cpuUsage(before);
  const heapMb = (process.memoryUsage().heapUsed - heap) / 1e6;
  return made === undefined ? undefined : { cpuMs: (user + system) / 1_000, heapMb };
}

function median(all: readonly number[]): number {
  const sorted = all.toSorted((a, b) => a - b);
  return Number((sorted[sorted.length >> 1] ?? NaN).toPrecision(4));
}

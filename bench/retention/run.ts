/**
 * The retention bench: `npx tsx bench/retention/run.ts [--smoke] [--only NAMES] [FOLDER or FILE]`.
 * Recorded sessions are cut where a window overflows; what the agent used afterwards is looked for in
 * what each policy left. At each one's defaults, and at the size of our compaction.
 */
import { parseArgs } from "node:util";
import { publish } from "../speed/table.ts";
import { BASELINES } from "./baselines.ts";
import type { Contestant } from "./contestants.ts";
import { commonNames, type Cut, cutsOf } from "./cuts.ts";
import { judge, type Result } from "./judge.ts";
import { LONGHAUL } from "./longhaul.ts";
import { PEERS } from "./peers.ts";
import { type Judged, MEASURE, oursByCut, report } from "./report.ts";
import { readSegments } from "./segments.ts";

const CONTESTANTS: readonly Contestant[] = [...LONGHAUL, ...PEERS, ...BASELINES];
/** Every so many cuts are taken by `--smoke`. */
const SMOKE_CUTS = 8;

await main();

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { smoke: { type: "boolean" }, only: { type: "string" } },
  });
  const contestants = chosen(values.only);
  const segments = await readSegments(positionals[0]);
  const isCommon = commonNames(segments);
  const every = segments.flatMap((segment) => cutsOf(segment, isCommon));
  const isSmoke = values.smoke === true;
  const cuts = isSmoke ? every.filter((_, index) => index % SMOKE_CUTS === 0) : every;
  say(`${cuts.length} cuts`);
  const atDefaults = new Map<string, readonly Judged[]>();
  for (const { name, byDefault } of contestants) {
    if (byDefault !== undefined) atDefaults.set(name, await judged(cuts, name, byDefault));
  }
  const ours = oursByCut(atDefaults);
  const atSize = new Map<string, readonly Judged[]>();
  for (const { name, within } of contestants) {
    if (within === undefined) continue;
    const sized = (cut: Cut): Promise<Result | undefined> =>
      within(cut, ours.get(cut)?.tokens ?? 0);
    atSize.set(name, await judged(cuts, name, sized));
  }
  publish("retention", report({ cuts, contestants, atDefaults, atSize }));
}

/** All, or those whose names begin with one of these (`--only "Longhaul,keep last"`) and our measure. */
function chosen(only: string | undefined): readonly Contestant[] {
  const names = only?.split(",").map((name) => name.trim());
  return CONTESTANTS.filter(
    ({ name }) =>
      name === MEASURE || names === undefined || names.some((one) => name.startsWith(one)),
  );
}

async function judged(
  cuts: readonly Cut[],
  name: string,
  make: (cut: Cut) => Promise<Result | undefined>,
): Promise<readonly Judged[]> {
  const all: Judged[] = [];
  const start = performance.now();
  for (const cut of cuts) {
    const result = await make(cut);
    if (result !== undefined) all.push({ cut, verdict: judge(cut, result) });
  }
  say(`${name}: ${all.length} cuts, ${((performance.now() - start) / 1_000).toFixed(1)} s`);
  return all;
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

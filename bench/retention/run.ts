/**
 * The retention bench: `npx tsx bench/retention/run.ts [--smoke] [FOLDER or FILE]`. Recorded sessions
 * are cut where a window overflows; what the agent used afterwards is looked for in what each policy
 * left. At each one's defaults, and at the size of our compaction.
 */
import { publish } from "../speed/table.ts";
import { BASELINES } from "./baselines.ts";
import type { Contestant } from "./contestants.ts";
import { commonNames, type Cut, cutsOf } from "./cuts.ts";
import { judge, type Result } from "./judge.ts";
import { LONGHAUL } from "./longhaul.ts";
import { PEERS } from "./peers.ts";
import { type Judged, oursByCut, report } from "./report.ts";
import { readSegments } from "./segments.ts";

const CONTESTANTS: readonly Contestant[] = [...LONGHAUL, ...PEERS, ...BASELINES];
/** Every so many cuts are taken by `--smoke`. */
const SMOKE_CUTS = 8;

await main(process.argv.slice(2));

async function main(args: readonly string[]): Promise<void> {
  const segments = await readSegments(args.find((one) => !one.startsWith("--")));
  const isCommon = commonNames(segments);
  const every = segments.flatMap((segment) => cutsOf(segment, isCommon));
  const isSmoke = args.includes("--smoke");
  const cuts = isSmoke ? every.filter((_, index) => index % SMOKE_CUTS === 0) : every;
  say(`${cuts.length} cuts`);
  const atDefaults = new Map<string, readonly Judged[]>();
  for (const { name, byDefault } of CONTESTANTS) {
    if (byDefault !== undefined) atDefaults.set(name, await judged(cuts, name, byDefault));
  }
  const ours = oursByCut(atDefaults);
  const atSize = new Map<string, readonly Judged[]>();
  for (const { name, within } of CONTESTANTS) {
    if (within === undefined) continue;
    const sized = (cut: Cut): Promise<Result | undefined> =>
      within(cut, ours.get(cut)?.tokens ?? 0);
    atSize.set(name, await judged(cuts, name, sized));
  }
  publish("retention", report({ cuts, contestants: CONTESTANTS, atDefaults, atSize }));
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

/**
 * The retention bench. Recorded sessions are played again; what the agent used afterwards is looked for
 * in what each policy left. A whole run writes docs/benchmarks.md.
 */
import { parseArgs } from "node:util";
import { publish } from "../speed/table.ts";
import {
  type ByName,
  byHalf,
  costRows,
  defaultRows,
  halvesOf,
  type Judged,
  kindRows,
  type PlayedRound,
  type PlayedSession,
  partRows,
  roundRows,
  sizedRows,
  wholeRows,
} from "./aggregate.ts";
import { contestants } from "./all.ts";
import type { Contestant } from "./contestants.ts";
import { commonNames, type Cut, cutsOf } from "./cuts.ts";
import { EMULATIONS } from "./emulations.ts";
import { judge, type Verdict } from "./judge.ts";
import { benchmarksPage } from "./page.ts";
import { OWN, ownCutsOf } from "./own-cuts.ts";
import { partsOf } from "./parts.ts";
import { ABSENT, PEERS } from "./peers/all.ts";
import { publishedResults, publishResults } from "./publish.ts";
import type { Results } from "./results.ts";
import { isLongEnough, OURS, roundsOf, roundsOn } from "./rounds.ts";
import { readSegments, type Segment } from "./segments.ts";
import { openStore, type Store } from "./store.ts";
import { measureTimes } from "./times.ts";
import { playOne, playsOf, priceSourcesOf, wholePolicies } from "./whole.ts";
import { machine } from "./machine.ts";
import type { IsCommon, Kept } from "../../src/simulate/index.ts";

const USAGE = `npm run bench:retention -- [options] [FOLDER or FILE of sessions]

  --smoke        every eighth cut and session: whether all of it runs; under two minutes
  --resume       go on with a run that was ended
  --part NAMES   only some of cuts, own, whole, rounds, times
  --only NAMES   only contestants whose names begin so: --only "Longhaul,keep last"
  --times        measure CPU and memory, which no other run does, and write them into the published figures
  --help         this text

A whole run, without --part, --only and a folder, writes bench/retention/results.json, docs/benchmarks.md
and its pictures; anything less is printed.
`;

const CONTESTANTS: readonly Contestant[] = contestants();
/** Whose size all others get at equal tokens. */
const MEASURE = "Longhaul, compaction forced";
/** Every so many cuts and sessions are taken by `--smoke`. */
const SMOKE = 8;
/** Every so many cuts are timed: three runs of each contestant take long. */
const TIMED = 4;
const PARTS = ["cuts", "own", "whole", "rounds", "times"];
const OPTIONS = {
  smoke: { type: "boolean" },
  resume: { type: "boolean" },
  times: { type: "boolean" },
  help: { type: "boolean", short: "h" },
  only: { type: "string" },
  part: { type: "string" },
} as const;

interface Run {
  readonly segments: readonly Segment[];
  readonly isCommon: IsCommon;
  readonly isWanted: (name: string) => boolean;
  /** Those that a smoke run looks at, too. */
  readonly some: <T>(all: readonly T[]) => readonly T[];
  readonly store: Store;
}

await main();

async function main(): Promise<void> {
  const { values, positionals } = asked();
  if (values.help === true) return void process.stdout.write(USAGE);
  if (values.times === true)
    return publishResults({ ...publishedResults(), times: measureTimes(TIMED) });
  const parts = values.part?.split(",") ?? PARTS;
  const segments = await readSegments(positionals[0]);
  const isSmoke = values.smoke === true;
  const run: Run = {
    segments,
    isCommon: commonNames(segments),
    isWanted: wanted(values.only),
    some: (all) => (isSmoke ? all.filter((_, index) => index % SMOKE === 0) : all),
    store: openStore(values.resume === true),
  };
  const results = await measure(run, parts, isSmoke);
  const isWhole = !isSmoke && [values.only, values.part, positionals[0]].every((one) => !one);
  if (isWhole) publishResults(results);
  publish("retention", benchmarksPage(results));
}

function asked(): ReturnType<
  typeof parseArgs<{ allowPositionals: true; options: typeof OPTIONS }>
> {
  try {
    const found = parseArgs({ allowPositionals: true, options: OPTIONS });
    const strange = found.values.part?.split(",").find((part) => !PARTS.includes(part));
    if (strange === undefined) return found;
    throw new Error(`There is no part ${strange}.`);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exit(2);
  }
}

/** All, or those whose names begin with one of these (`--only "Longhaul,keep last"`). */
function wanted(only: string | undefined): (name: string) => boolean {
  const names = only?.split(",").map((name) => name.trim());
  return (name) => names === undefined || names.some((one) => name.startsWith(one));
}

async function measure(run: Run, parts: readonly string[], isSmoke: boolean): Promise<Results> {
  const { segments, isCommon, some } = run;
  const has = (part: string): boolean => parts.includes(part);
  const cuts = has("cuts") ? some(segments.flatMap((one) => cutsOf(one, isCommon))) : [];
  const { atDefaults, atSize } = await onCuts(run, cuts);
  const own = has("own") ? await onOwnCuts(run) : undefined;
  const whole = has("whole") ? await onSessions(run) : [];
  const rounds = has("rounds") ? await inRounds(run) : [];
  const isIn = halvesOf(segments.map(({ session }) => session));
  const ours = atDefaults.get(MEASURE) ?? [];
  const sizes = new Map(ours.map(({ cut, figures }) => [cut, figures]));
  const forKinds = new Map([[MEASURE, ours], ...atSize]);
  return {
    ...machine(),
    isSmoke,
    prices: priceSourcesOf(),
    contestants: contestantsOf(run),
    absent: ABSENT,
    counts: byHalf((half) => {
      const own = cuts.filter(({ segment }) => isIn(segment.session, half));
      const sessions = new Set(own.map(({ segment }) => segment.session)).size;
      const uses = own.reduce((sum, cut) => sum + cut.uses.length, 0);
      return { cuts: own.length, sessions, uses };
    }),
    defaults: byHalf((half) => defaultRows(atDefaults, (one) => isIn(one, half))),
    sized: byHalf((half) => sizedRows(atSize, sizes, (one) => isIn(one, half))),
    whole: byHalf((half) => wholeRows(whole, (one) => isIn(one, half))),
    costs: costRows(whole),
    own: {
      cuts: own?.cuts.length ?? 0,
      sessions: new Set(own?.cuts.map(({ segment }) => segment.session)).size,
      rows: defaultRows(own?.rows ?? new Map(), () => true),
    },
    // Times are only good on a quiet machine: a whole run leaves them to `--times`.
    times: isSmoke && has("times") ? measureTimes(4 * SMOKE) : publishedResults().times,
    kinds: kindRows(forKinds),
    parts: partRows(ours),
    rounds: roundRows(rounds),
  };
}

function contestantsOf({ isWanted }: Run): Results["contestants"] {
  const all = new Map<string, string>();
  for (const { name, does } of [...CONTESTANTS, ...OWN, ...wholePolicies([])]) {
    if (isWanted(name) && !all.has(name)) all.set(name, does);
  }
  return Array.from(all, ([name, does]) => ({ name, does }));
}

interface OnCuts {
  readonly atDefaults: ByName;
  readonly atSize: ByName;
}

async function onCuts(run: Run, cuts: readonly Cut[]): Promise<OnCuts> {
  if (cuts.length > 0) say(`${cuts.length} cuts`);
  const chosen = CONTESTANTS.filter(({ name }) => name === MEASURE || run.isWanted(name));
  const atDefaults = new Map<string, readonly Judged[]>();
  for (const { name, byDefault } of chosen) {
    if (byDefault !== undefined) {
      atDefaults.set(name, await judged(run, cuts, `default ${name}`, byDefault));
    }
  }
  const ours = new Map(
    (atDefaults.get(MEASURE) ?? []).map(({ cut, figures }) => [cut, figures.tokens]),
  );
  const atSize = new Map<string, readonly Judged[]>();
  for (const { name, within } of chosen) {
    if (within === undefined) continue;
    const sized = (cut: Cut): Promise<Kept | undefined> => within(cut, ours.get(cut) ?? 0);
    atSize.set(name, await judged(run, cuts, `sized ${name}`, sized));
  }
  return { atDefaults, atSize };
}

/** At the compactions that agents made by themselves; what their models wrote is everybody's summary. */
async function onOwnCuts(
  run: Run,
): Promise<{ readonly cuts: readonly Cut[]; readonly rows: ByName }> {
  const cuts = run.some(ownCutsOf(run.segments, run.isCommon));
  const rows = new Map<string, readonly Judged[]>();
  for (const { name, byDefault } of [...OWN, ...CONTESTANTS]) {
    if (byDefault === undefined || !run.isWanted(name)) continue;
    rows.set(name, await judged(run, cuts, `own ${name}`, byDefault));
  }
  return { cuts, rows };
}

async function judged(
  { store }: Run,
  cuts: readonly Cut[],
  title: string,
  make: (cut: Cut) => Promise<Kept | undefined>,
): Promise<readonly Judged[]> {
  const all: Judged[] = [];
  const time = stopwatch();
  for (const cut of cuts) {
    const key = `${title} | ${cut.segment.name} | ${cut.kind}`;
    const found = await store.get<Omit<Judged, "cut"> | null>(key, async () => {
      const result = await make(cut);
      return result === undefined ? null : { ...judge(cut, result), parts: partsOf(cut, result) };
    });
    if (found !== null) all.push({ cut, ...found });
  }
  if (cuts.length > 0) say(`${title}: ${all.length} cuts, ${(time() / 1_000).toFixed(1)} s of CPU`);
  return all;
}

async function onSessions(run: Run): Promise<readonly PlayedSession[]> {
  const { segments, isCommon, some, store, isWanted } = run;
  const plays = some(playsOf(segments, isCommon));
  const all: PlayedSession[] = [];
  for (const policy of wholePolicies(PEERS).filter(({ name }) => isWanted(name))) {
    const time = stopwatch();
    for (const play of plays) {
      const { window, segment, requests } = play;
      const key = `whole ${policy.name} | ${segment.name} | ${window}`;
      const figures = await store.get(key, () => playOne(play, policy));
      const { session, name: part } = segment;
      const about = { name: policy.name, session, part, window };
      all.push({ ...about, requests: requests.length, figures });
    }
    say(`whole ${policy.name}: ${plays.length} sessions, ${(time() / 1_000).toFixed(1)} s of CPU`);
  }
  return all;
}

async function inRounds(run: Run): Promise<readonly PlayedRound[]> {
  const { segments, isCommon, some, store, isWanted } = run;
  const all: PlayedRound[] = [];
  const contestants = [OURS, ...[...PEERS, ...EMULATIONS].flatMap(roundsOf)];
  const long = some(segments.filter(isLongEnough));
  for (const rounds of contestants.filter(({ name }) => isWanted(name))) {
    const time = stopwatch();
    for (const segment of long) {
      const key = `rounds ${rounds.name} | ${segment.name}`;
      const verdicts = await store.get<readonly { round: number; figures: Verdict }[]>(key, () =>
        roundsOn(segment, rounds, isCommon),
      );
      const { session } = segment;
      all.push(...verdicts.map((one) => ({ name: rounds.name, session, ...one })));
    }
    say(`rounds ${rounds.name}: ${long.length} sessions, ${(time() / 1_000).toFixed(1)} s of CPU`);
  }
  return all;
}

/** Gives the CPU time since it was made, in ms. */
function stopwatch(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  };
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}

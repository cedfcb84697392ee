/**
 * The retention bench: `npx tsx bench/retention/run.ts [--smoke] [--resume] [--part cuts,whole,rounds]
 * [--only NAMES] [FOLDER or FILE]`. Recorded sessions are played again; what the agent used afterwards
 * is looked for in what each policy left. A whole run writes docs/benchmarks.md.
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
import { BASELINES } from "./baselines.ts";
import type { Contestant } from "./contestants.ts";
import { commonNames, type Cut, cutsOf } from "./cuts.ts";
import { EMULATIONS } from "./emulations.ts";
import { judge, type Verdict } from "./judge.ts";
import { LONGHAUL } from "./longhaul.ts";
import { benchmarksPage } from "./page.ts";
import { partsOf } from "./parts.ts";
import { ABSENT, PEERS } from "./peers/all.ts";
import { publishResults } from "./publish.ts";
import type { Results } from "./results.ts";
import { isLongEnough, OURS, roundsOf, roundsOn } from "./rounds.ts";
import { readSegments, type Segment } from "./segments.ts";
import { openStore, type Store } from "./store.ts";
import { playOne, playsOf, priceSourcesOf, wholePolicies } from "./whole.ts";
import { machine } from "./machine.ts";
import type { IsCommon, Kept } from "../../src/simulate/index.ts";

const CONTESTANTS: readonly Contestant[] = [...LONGHAUL, ...PEERS, ...EMULATIONS, ...BASELINES];
/** Whose size all others get at equal tokens. */
const MEASURE = "Longhaul, compaction forced";
/** Every so many cuts and sessions are taken by `--smoke`. */
const SMOKE = 8;
const PARTS = ["cuts", "whole", "rounds"];

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
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      smoke: { type: "boolean" },
      resume: { type: "boolean" },
      only: { type: "string" },
      part: { type: "string" },
    },
  });
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
    kinds: kindRows(forKinds),
    parts: partRows(ours),
    rounds: roundRows(rounds),
  };
}

function contestantsOf({ isWanted }: Run): Results["contestants"] {
  const all = new Map<string, string>();
  for (const { name, does } of [...CONTESTANTS, ...wholePolicies([])]) {
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
      const own = stopwatch();
      const result = await make(cut);
      const cpuMs = own();
      if (result === undefined) return null;
      return { ...judge(cut, result), cpuMs, parts: partsOf(cut, result) };
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

/** The two tables, of all sessions and of each half of them. */
import { figure, markdownTable } from "../speed/table.ts";
import type { Contestant } from "./contestants.ts";
import type { Cut } from "./cuts.ts";
import type { Verdict } from "./judge.ts";
import { interval, meanOfSessions, type Sample } from "./statistics.ts";

export interface Judged {
  readonly cut: Cut;
  readonly verdict: Verdict;
}

/** What came out, by the name of the contestant. */
export interface Outcome {
  readonly cuts: readonly Cut[];
  readonly contestants: readonly Contestant[];
  readonly atDefaults: ReadonlyMap<string, readonly Judged[]>;
  readonly atSize: ReadonlyMap<string, readonly Judged[]>;
}

/** Whose size all others get in the second table. */
export const MEASURE = "Longhaul, compaction forced";

type Figure = keyof Verdict;

/** The shares of both tables, in their order. */
const COLUMNS: readonly (readonly [Figure, string])[] = [
  ["recall", "kept"],
  ["bound", "with binding"],
  ["soon", "next 10 steps"],
  ["far", "far"],
  ["direct", "+ direct handle"],
  ["hinted", "+ hinted"],
  ["lost", "lost"],
  ["replay", "replay of calls"],
  ["instructions", "instructions"],
  ["todos", "open todos"],
];

/** The verdicts of the contestant that sets the size. */
export function oursByCut(atDefaults: Outcome["atDefaults"]): ReadonlyMap<Cut, Verdict> {
  return new Map((atDefaults.get(MEASURE) ?? []).map(({ cut, verdict }) => [cut, verdict]));
}

export function report(outcome: Outcome): string {
  const { cuts, contestants } = outcome;
  const half = halfOf(cuts);
  return [
    figures(outcome),
    "",
    "The half of the sessions by which a change is chosen:",
    "",
    figures(part(outcome, (cut) => half(cut) === "choosing")),
    "",
    "The other half, which says what the change is worth:",
    "",
    figures(part(outcome, (cut) => half(cut) === "reporting")),
    "",
    ...contestants.map(({ name, does }) => `- **${name}**: ${does}.`),
  ].join("\n");
}

/** Every second session by name, so that both halves have sessions of most agents. */
function halfOf(cuts: readonly Cut[]): (cut: Cut) => "choosing" | "reporting" {
  const names = [...new Set(cuts.map(({ segment }) => segment.session))].toSorted();
  return ({ segment }) => (names.indexOf(segment.session) % 2 === 0 ? "choosing" : "reporting");
}

function part(outcome: Outcome, isIn: (cut: Cut) => boolean): Outcome {
  const only = (all: Outcome["atSize"]): Outcome["atSize"] =>
    new Map(Array.from(all, ([name, some]) => [name, some.filter(({ cut }) => isIn(cut))]));
  const { cuts, atDefaults, atSize } = outcome;
  return {
    ...outcome,
    cuts: cuts.filter(isIn),
    atDefaults: only(atDefaults),
    atSize: only(atSize),
  };
}

function figures({ cuts, atDefaults, atSize }: Outcome): string {
  const sessions = new Set(cuts.map(({ segment }) => segment.session)).size;
  const uses = cuts.reduce((sum, cut) => sum + cut.uses.length, 0);
  return [
    `${cuts.length} cuts of ${sessions} sessions, ${uses} references that were used later.`,
    "Shares in %, means of sessions.",
    "",
    "At defaults:",
    "",
    defaultsTable(atDefaults),
    "",
    `At the tokens of "${MEASURE}", on the cuts that each can do (ours / its; difference with its 95 % interval):`,
    "",
    sizeTable(atSize, oursByCut(atDefaults)),
  ].join("\n");
}

function defaultsTable(atDefaults: Outcome["atDefaults"]): string {
  const head = [
    "",
    "cuts",
    "tokens",
    ...COLUMNS.map(([, title]) => title),
    "used per 1k",
    "violations",
  ];
  const rows = [...atDefaults].map(([name, all]) => [
    name,
    String(all.length),
    tokens(meanOf(all, "tokens")),
    ...COLUMNS.map(([column]) => percent(meanOf(all, column))),
    figure(meanOf(all, "density")),
    String(all.reduce((sum, { verdict }) => sum + verdict.violations, 0)),
  ]);
  return markdownTable(head, rows);
}

function sizeTable(atSize: Outcome["atSize"], ours: ReadonlyMap<Cut, Verdict>): string {
  const head = [
    "",
    "cuts",
    "tokens",
    "kept",
    "difference",
    "with binding",
    "difference",
    "far",
    "replay of calls",
    "instructions",
  ];
  const rows = [...atSize].map(([name, all]) => {
    const pairs = all.map(({ cut, verdict }) => ({
      cut,
      its: verdict,
      own: ours.get(cut) as Verdict,
    }));
    const both = (column: Figure, show: (value: number) => string): string => {
      const of = (side: "own" | "its"): number =>
        meanOfSessions(pairs.map(({ cut, ...pair }) => sample(cut, pair[side][column])));
      return `${show(of("own"))} / ${show(of("its"))}`;
    };
    const difference = (column: Figure): string => {
      const samples = pairs.map(({ cut, own, its }) => sample(cut, own[column] - its[column]));
      const { low, high } = interval(samples);
      return `${signed(meanOfSessions(samples))} (${signed(low)} to ${signed(high)})`;
    };
    return [
      name,
      String(all.length),
      both("tokens", tokens),
      both("recall", percent),
      difference("recall"),
      both("bound", percent),
      difference("bound"),
      both("far", percent),
      both("replay", percent),
      both("instructions", percent),
    ];
  });
  return markdownTable(head, rows);
}

function sample({ segment }: Cut, value: number): Sample {
  return { session: segment.session, value };
}

function meanOf(all: readonly Judged[], column: Figure): number {
  return meanOfSessions(all.map(({ cut, verdict }) => sample(cut, verdict[column])));
}

function percent(value: number): string {
  return Number.isNaN(value) ? "-" : (100 * value).toFixed(1);
}

function signed(value: number): string {
  const text = percent(value);
  return value > 0 ? `+${text}` : text;
}

function tokens(value: number): string {
  return Math.round(value).toLocaleString("en-US");
}

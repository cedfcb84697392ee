/** The figures of a run, as they are stored and published. */
import type { Verdict } from "./judge.ts";
import type { Interval } from "./statistics.ts";

/** All sessions; every second one by name, by which changes are chosen; the others, which report. */
export const HALVES = ["all", "choosing", "reporting"] as const;
export type Half = (typeof HALVES)[number];

/** A mean of sessions; `null` where nothing is known. */
export type Figures<Name extends string> = Readonly<Record<Name, number | null>>;

export interface DefaultRow {
  readonly name: string;
  readonly cuts: number;
  readonly figures: Figures<keyof Verdict>;
}

/** What a contestant takes for one cut, as medians over cuts. */
export interface TimeRow {
  readonly name: string;
  readonly cuts: number;
  /** CPU in ms: of some runs the quickest. */
  readonly cpuMs: number;
  /** Megabytes of the heap that were asked for. */
  readonly heapMb: number;
}

/** Times are measured by themselves, on a quiet machine. */
export interface Times {
  readonly date: string;
  readonly machine: string;
  readonly rows: readonly TimeRow[];
}

export type Compared = "recall" | "bound" | "far" | "replay";

/** A contestant at the size of ours, on the cuts that it can do. */
export interface SizedRow {
  readonly name: string;
  readonly cuts: number;
  readonly own: Figures<keyof Verdict>;
  readonly its: Figures<keyof Verdict>;
  readonly differences: Readonly<Record<Compared, Interval & { readonly mean: number }>>;
}

export type WholeFigure =
  | "tokens"
  | "far"
  | "farDirect"
  | "farHinted"
  | "farBlind"
  | "farLost"
  | "all"
  | "edits"
  | "rebounds"
  | "summaries"
  | "illegal"
  | "over"
  | "cpuMs"
  | `dollars ${string}`;

/** A policy on whole sessions at one window. */
export interface WholeRow {
  readonly window: number;
  readonly name: string;
  readonly sessions: number;
  readonly requests: number;
  readonly figures: Figures<WholeFigure>;
}

/** What the sessions that are large enough for all windows cost at one of them, by Anthropic's rules. */
export interface CostRow {
  readonly window: number;
  readonly name: string;
  readonly dollars: number;
}

/** A contestant after some compactions in a row. */
export interface RoundRow {
  readonly name: string;
  readonly round: number;
  readonly sessions: number;
  readonly figures: Figures<"tokens" | "recall" | "far" | "instructions" | "hinted">;
}

/** A section of our summaries. */
export interface PartRow {
  readonly part: string;
  /** Of all tokens of summaries. */
  readonly share: number;
  /** Of its lines, those that hold something which is used later. */
  readonly used: number;
  /** What is used later and stands nowhere else, for 1,000 of its tokens. */
  readonly onlyHere: number;
}

export interface KindRow {
  readonly name: string;
  /** How many uses there were, and the share that was kept. */
  readonly kinds: Readonly<Record<string, { readonly all: number; readonly kept: number }>>;
}

export interface Results {
  readonly date: string;
  readonly machine: string;
  readonly command: string;
  /** Of the code that was measured. */
  readonly commit: string;
  readonly isSmoke: boolean;
  /** US dollars for a million tokens, by provider, and where they come from. */
  readonly prices: readonly {
    readonly provider: string;
    readonly model: string;
    readonly source: string;
  }[];
  readonly contestants: readonly { readonly name: string; readonly does: string }[];
  readonly absent: readonly { readonly name: string; readonly why: string }[];
  readonly counts: Readonly<
    Record<Half, { readonly cuts: number; readonly sessions: number; readonly uses: number }>
  >;
  readonly defaults: Readonly<Record<Half, readonly DefaultRow[]>>;
  readonly sized: Readonly<Record<Half, readonly SizedRow[]>>;
  readonly whole: Readonly<Record<Half, readonly WholeRow[]>>;
  readonly costs: readonly CostRow[];
  /** At the compactions that agents made by themselves. */
  readonly own: {
    readonly cuts: number;
    readonly sessions: number;
    readonly rows: readonly DefaultRow[];
  };
  readonly times: Times;
  readonly kinds: readonly KindRow[];
  readonly parts: readonly PartRow[];
  readonly rounds: readonly RoundRow[];
}

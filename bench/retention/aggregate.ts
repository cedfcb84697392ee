/** Means over sessions of what was measured, for all of them and for each half. */
import type { Cut } from "./cuts.ts";
import type { Kinds, Verdict } from "./judge.ts";
import type { PartTally } from "./parts.ts";
import {
  type Compared,
  type CostRow,
  type DefaultRow,
  type Figures,
  type Half,
  HALVES,
  type KindRow,
  type PartRow,
  type RoundRow,
  type SizedRow,
  type WholeFigure,
  type WholeRow,
} from "./results.ts";
import { interval, meanOfSessions } from "./statistics.ts";
import type { WholeFigures } from "./whole.ts";

/** A contestant at a cut. */
export interface Judged {
  readonly cut: Cut;
  readonly figures: Verdict;
  readonly kinds: Kinds;
  readonly parts: readonly PartTally[];
}

export type ByName = ReadonlyMap<string, readonly Judged[]>;

/** A policy on a session. */
export interface PlayedSession {
  readonly name: string;
  readonly session: string;
  /** Which part of the session it is. */
  readonly part: string;
  readonly window: number;
  readonly requests: number;
  readonly figures: WholeFigures;
}

export interface PlayedRound {
  readonly name: string;
  readonly session: string;
  readonly round: number;
  readonly figures: Verdict;
}

export type InHalf = (session: string, half: Half) => boolean;

/** Every second session by name, so that both halves have sessions of most agents. */
export function halvesOf(sessions: readonly string[]): InHalf {
  const names = [...new Set(sessions)].toSorted();
  return (session, half) =>
    half === "all" || (half === "choosing") === (names.indexOf(session) % 2 === 0);
}

/** The same for each half. */
export function byHalf<T>(make: (half: Half) => T): Readonly<Record<Half, T>> {
  return Object.fromEntries(HALVES.map((half) => [half, make(half)])) as Record<Half, T>;
}

interface OfSession<Name extends string> {
  readonly session: string;
  readonly figures: Readonly<Record<Name, number>>;
}

function meansOf<Name extends string>(all: readonly OfSession<Name>[]): Figures<Name> {
  const names = Object.keys(all[0]?.figures ?? {}) as Name[];
  const means = names.map((name) => [name, meanOf(all, name)] as const);
  return Object.fromEntries(means) as Record<Name, number | null>;
}

function meanOf<Name extends string>(all: readonly OfSession<Name>[], name: Name): number | null {
  const samples = all.map(({ session, figures }) => ({ session, value: figures[name] }));
  return known(meanOfSessions(samples));
}

function known(value: number): number | null {
  return Number.isFinite(value) ? Number(value.toPrecision(8)) : null;
}

function sessionOf({ cut }: Judged): string {
  return cut.segment.session;
}

export function defaultRows(atDefaults: ByName, isIn: (session: string) => boolean): DefaultRow[] {
  return [...atDefaults].map(([name, every]) => {
    const all = every.filter((one) => isIn(sessionOf(one)));
    const figures = meansOf(all.map((one) => ({ session: sessionOf(one), figures: one.figures })));
    return { name, cuts: all.length, figures };
  });
}

const COMPARED: readonly Compared[] = ["recall", "bound", "far", "replay"];

export function sizedRows(
  atSize: ByName,
  ours: ReadonlyMap<Cut, Verdict>,
  isIn: (session: string) => boolean,
): SizedRow[] {
  return [...atSize].map(([name, every]) => {
    const pairs = every
      .filter((one) => isIn(sessionOf(one)))
      .map((one) => ({
        session: sessionOf(one),
        its: one.figures,
        own: ours.get(one.cut) as Verdict,
      }));
    const side = (of: "own" | "its"): Figures<keyof Verdict> =>
      meansOf(pairs.map((pair) => ({ session: pair.session, figures: pair[of] })));
    const difference = (figure: Compared): SizedRow["differences"][Compared] => {
      const samples = pairs.map(({ session, own, its }) => {
        return { session, value: own[figure] - its[figure] };
      });
      return { mean: meanOfSessions(samples), ...interval(samples) };
    };
    const differences = Object.fromEntries(COMPARED.map((one) => [one, difference(one)]));
    return {
      name,
      cuts: pairs.length,
      own: side("own"),
      its: side("its"),
      differences: differences as SizedRow["differences"],
    };
  });
}

export function wholeRows(
  all: readonly PlayedSession[],
  isIn: (session: string) => boolean,
): WholeRow[] {
  const groups = groupBy(
    all.filter(({ session }) => isIn(session)),
    ({ window, name }) => `${window} ${name}`,
  );
  return groups.map((group): WholeRow => {
    const [{ window, name }] = group as [PlayedSession, ...PlayedSession[]];
    const sessions = new Set(group.map(({ session }) => session)).size;
    const requests = group.reduce((sum, one) => sum + one.requests, 0);
    return { window, name, sessions, requests, figures: meansOf<WholeFigure>(group) };
  });
}

/** Only sessions that are played at every window, so that a line is about the same ones. */
export function costRows(all: readonly PlayedSession[]): CostRow[] {
  const windows = new Set(all.map(({ window }) => window));
  const isEverywhere = ({ part, name }: PlayedSession): boolean =>
    all.filter((one) => one.part === part && one.name === name).length === windows.size;
  const groups = groupBy(all.filter(isEverywhere), ({ window, name }) => `${name} ${window}`);
  return groups.map((group): CostRow => {
    const [{ window, name }] = group as [PlayedSession, ...PlayedSession[]];
    return { window, name, dollars: meanOf(group, "dollars Anthropic") ?? 0 };
  });
}

export function roundRows(all: readonly PlayedRound[]): RoundRow[] {
  return groupBy(all, ({ name, round }) => `${name} ${round}`).map((group): RoundRow => {
    const [{ name, round }] = group as [PlayedRound, ...PlayedRound[]];
    const sessions = new Set(group.map(({ session }) => session)).size;
    const { tokens, recall, far, instructions, hinted } = meansOf(group);
    return { name, round, sessions, figures: { tokens, recall, far, instructions, hinted } };
  });
}

function groupBy<T>(all: readonly T[], keyOf: (one: T) => string): readonly (readonly T[])[] {
  const groups = new Map<string, T[]>();
  for (const one of all) groups.set(keyOf(one), [...(groups.get(keyOf(one)) ?? []), one]);
  return [...groups.values()];
}

export function kindRows(rows: ByName): KindRow[] {
  return [...rows].map(([name, all]): KindRow => {
    const kinds: Record<string, { all: number; kept: number }> = {};
    for (const [kind, { kept, all: count }] of all.flatMap((one) => Object.entries(one.kinds))) {
      const sum = (kinds[kind] ??= { all: 0, kept: 0 });
      sum.all += count;
      sum.kept += kept;
    }
    return { name, kinds };
  });
}

export function partRows(all: readonly Judged[]): PartRow[] {
  const tallies = all.flatMap(({ parts }) => parts);
  const tokens = tallies.reduce((sum, one) => sum + one.tokens, 0);
  return groupBy(tallies, ({ part }) => part).map((group): PartRow => {
    const sum = (of: (one: PartTally) => number): number =>
      group.reduce((total, one) => total + of(one), 0);
    const own = sum((one) => one.tokens);
    return {
      part: group[0]?.part ?? "",
      share: own / tokens,
      used:
        sum((one) => one.usedLines) /
        Math.max(
          1,
          sum((one) => one.lines),
        ),
      onlyHere: (1_000 * sum((one) => one.onlyHere)) / Math.max(1, own),
    };
  });
}

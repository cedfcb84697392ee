import pc from "picocolors";
import type { Price } from "../settings/settings.ts";
import { CACHE_RULES, costOf, FATES, type Fate, type Outcome } from "../simulate/index.ts";
import { clipColumns, tableLine, type TableShape, unbroken } from "./columns.ts";
import { count, money, percent, plural, tokens } from "../core/text/figures.ts";
import { warningLines } from "./figures.ts";
import { type Io, widthOf } from "./io.ts";
import type { Loaded } from "./load.ts";
import { type OwnPrices, priceOf, priceSources } from "./money/spent.ts";
import { type Plot, plotSvg } from "./plot.ts";
import type { ContextBudget } from "../core/overflow/index.ts";

/** A session under every policy. */
export interface SimulatedSession {
  /** As it was given. */
  readonly name: string;
  readonly loaded: Loaded;
  /** Of the whole session, with what every request carries beside it. */
  readonly tokens: number;
  readonly budget: ContextBudget;
  readonly policies: readonly { readonly name: string; readonly does: string }[];
  readonly outcomes: readonly Outcome[];
  readonly warnings: readonly string[];
}

/** The maker whose prices are taken, by the provider whose cache it is. */
const MODELS: Readonly<Record<string, string>> = {
  Anthropic: "claude-sonnet-5",
  OpenAI: "gpt-5.5",
};

/** One policy on all sessions together. */
interface Row {
  readonly policy: string;
  readonly requests: number;
  /** Of a request, in the mean, and of the largest one. */
  readonly tokens: number;
  readonly largest: number;
  readonly over: number;
  readonly illegal: number;
  readonly edits: number;
  readonly rebounds: number;
  readonly summaries: number;
  /** Names that had stood more than 8,000 tokens back. */
  readonly far: Readonly<Record<Fate, number>>;
  readonly all: Readonly<Record<Fate, number>>;
  readonly caches: readonly {
    readonly provider: string;
    readonly model: string;
    readonly fresh: number;
    readonly read: number;
    readonly written: number;
    readonly output: number;
    /** US dollars; absent where the model has no price. */
    readonly cost?: number;
  }[];
}

/** Fields are only ever added. */
export function simulationJson(sessions: readonly SimulatedSession[], prices: OwnPrices): object {
  return {
    currency: "USD",
    prices: priceSources(),
    caches: CACHE_RULES.map(({ name, page, read }) => ({ provider: name, page, read })),
    sessions: sessions.map(
      ({ name, loaded, tokens: held, budget, policies, outcomes, warnings }) => ({
        name,
        format: loaded.transcript.format,
        tokens: Math.round(held),
        window: budget.window,
        usable: budget.usable,
        policies: policies.map(({ name: policy, does }, at) => {
          const outcome = outcomes[at] as Outcome;
          const sizes = outcome.sizes.map(Math.round);
          return { ...rowOf(policy, [outcome], prices), does, sizes, farByKind: outcome.farByKind };
        }),
        warnings,
      }),
    ),
    total: rowsOf(sessions, prices),
  };
}

/** The agents' own ways are one row: each session has that of its agent. */
function rowsOf(sessions: readonly SimulatedSession[], prices: OwnPrices): readonly Row[] {
  const names = sessions[0]?.policies.map(({ name }) => name) ?? [];
  return names.map((name, at) => {
    const outcomes = sessions.map((one) => one.outcomes[at] as Outcome);
    const isOne = outcomes.every(({ policy }) => policy === name);
    return rowOf(isOne ? name : "each agent's own (emulated)", outcomes, prices);
  });
}

function rowOf(policy: string, outcomes: readonly Outcome[], prices: OwnPrices): Row {
  const sum = (of: (one: Outcome) => number): number =>
    outcomes.reduce((total, one) => total + of(one), 0);
  const fates = (of: (one: Outcome) => Outcome["far"]): Row["far"] =>
    Object.fromEntries(FATES.map((fate) => [fate, sum((one) => of(one)[fate])])) as Row["far"];
  const sizes = outcomes.flatMap((one) => one.sizes);
  return {
    policy,
    requests: sizes.length,
    tokens: Math.round(sizes.reduce((total, size) => total + size, 0) / Math.max(1, sizes.length)),
    largest: Math.round(sizes.reduce((most, size) => Math.max(most, size), 0)),
    over: sum((one) => one.over),
    illegal: sum((one) => one.illegal),
    edits: sum((one) => one.edits),
    rebounds: sum((one) => one.rebounds),
    summaries: sum((one) => one.summaries),
    far: fates((one) => one.far),
    all: fates((one) => one.fates),
    caches: CACHE_RULES.map(({ name }, at) => cacheRow(name, outcomes, { at, prices })),
  };
}

function cacheRow(
  provider: string,
  outcomes: readonly Outcome[],
  { at, prices }: { readonly at: number; readonly prices: OwnPrices },
): Row["caches"][number] {
  const totals = outcomes.flatMap((one) => one.caches[at] ?? []);
  const sum = (field: "fresh" | "read" | "written" | "output"): number =>
    Math.round(totals.reduce((total, one) => total + one[field], 0));
  const model = MODELS[provider] ?? "";
  const price: Price | undefined = priceOf({ model, day: today(), band: 0 }, prices);
  const cost = price && totals.reduce((total, one) => total + costOf(one, price), 0);
  const used = { fresh: sum("fresh"), read: sum("read"), written: sum("written") };
  return { provider, model, ...used, output: sum("output"), ...(cost !== undefined && { cost }) };
}

function today(): string {
  return new Date().toISOString().slice(0, 10);
}

interface ViewOptions {
  readonly prices: OwnPrices;
  /** The file of the picture. */
  readonly svg?: string | undefined;
}

/** The tables, for a person. */
export function simulationView(
  io: Io,
  sessions: readonly SimulatedSession[],
  { prices, svg }: ViewOptions,
): string[] {
  const width = widthOf(io);
  const warnings = sessions.flatMap((one) => one.warnings);
  const many = sessions.length > 1;
  return [
    ...sessions.flatMap((one) => [...sessionView(one, { prices, width }), ""]),
    ...(many ? [pc.bold("All sessions"), ...table(rowsOf(sessions, prices), width), ""] : []),
    ...explained(sessions).map(pc.dim),
    ...warningLines([...new Set(warnings)]),
    ...(svg === undefined ? [] : [`Picture   ${unbroken(svg)}`]),
  ];
}

function sessionView(
  { name, loaded, tokens: held, budget, outcomes }: SimulatedSession,
  { prices, width }: { readonly prices: OwnPrices; readonly width: number },
): string[] {
  const { requests = 0 } = outcomes[0] ?? {};
  const far = outcomes[0] === undefined ? 0 : sumOf(outcomes[0].far);
  const facts = `${plural(requests, "request")}, ${count(held)} tokens in all; window ${count(budget.window)}, of which ${count(budget.usable)} usable; ${plural(far, "name")} used from far back`;
  const rows = outcomes.map((one) => rowOf(one.policy, [one], prices));
  const isFull = rows.some((row) => row.largest >= budget.usable);
  return [
    pc.bold(clipColumns(`${loaded.title}: ${name}`, width)),
    facts,
    ...(isFull
      ? []
      : ["No request was ever full: all policies do the same. Try a smaller --window."]),
    "",
    ...table(rows, width),
  ];
}

const HEADINGS = ["Tokens", "Kept", "+handle", "+hint", "Lost", "Edits", "Over"];
const SHAPE: TableShape = { widths: [7, 6, 8, 6, 6, 6, 5, 10, 9], gap: "", most: 27 };

function table(rows: readonly Row[], width: number): string[] {
  const providers = CACHE_RULES.map(({ name }) => name);
  return [
    pc.dim(tableLine(["", ...HEADINGS, ...providers], width, SHAPE)),
    ...rows.map((row) => tableLine(cells(row), width, SHAPE)),
  ];
}

function cells(row: Row): string[] {
  const { far } = row;
  const share = (...fates: Fate[]): string =>
    percent(
      fates.reduce((sum, fate) => sum + far[fate], 0),
      sumOf(far),
    );
  return [
    row.policy,
    tokens(row.tokens),
    share("bound", "kept"),
    share("bound", "kept", "direct"),
    share("bound", "kept", "direct", "hinted"),
    share("lost"),
    count(row.edits),
    count(row.over),
    ...row.caches.map(({ cost }) => (cost === undefined ? "–" : money(cost))),
  ];
}

function sumOf(fates: Readonly<Record<Fate, number>>): number {
  return FATES.reduce((sum, fate) => sum + fates[fate], 0);
}

function explained(sessions: readonly SimulatedSession[]): readonly string[] {
  const policies = new Map(
    sessions.flatMap((one) => one.policies.map((own) => [own.name, own.does])),
  );
  const models = CACHE_RULES.map(({ name }) => `${name} ${MODELS[name] ?? ""}`).join(", ");
  return [
    "Tokens: of a request, in the mean. Kept: of the names that the agent used and that had stood more than 8,000 tokens back, those still in the request; + those behind a handle that names just that output; + those in an archived head, where the context names their file. Lost: nowhere. Edits: each makes a cached prompt worthless. Over: requests that no provider would answer.",
    `Money: prompts and summaries at list prices (${models}), with their prompt caches simulated; the agent's answers cost the same everywhere. Reasoning and images are left out.`,
    ...Array.from(policies, ([name, does]) => `${name}: ${does.replaceAll("`", "")}.`),
  ];
}

/** The size of each request, in the session with the most; and what is kept for how many tokens. */
export function simulationSvg(sessions: readonly SimulatedSession[]): string {
  const longest = sessions.toSorted((a, b) => b.tokens - a.tokens)[0];
  const rows = rowsOf(sessions, {});
  const kept = rows.flatMap((row) => {
    const all = sumOf(row.far);
    const share = (row.far.bound + row.far.kept) / all;
    return all === 0 ? [] : [{ name: row.policy, points: [[row.tokens, share] as const] }];
  });
  return plotSvg([
    ...(longest === undefined ? [] : [sizesPlot(longest)]),
    {
      title: "What is still there of what was used from far back",
      x: { title: "tokens of a request, in the mean", show: tokens },
      y: { title: "kept", show: (value) => percent(value, 1), most: 1 },
      series: kept,
      marks: "dots",
    },
  ]);
}

function sizesPlot({ loaded, outcomes, budget }: SimulatedSession): Plot {
  const { title } = loaded;
  return {
    title: `Tokens of each request, ${title}`,
    x: { title: "requests", show: count },
    // Requests that no provider would answer go on above the picture.
    y: { title: "tokens", show: tokens, most: budget.window * 1.25 },
    series: outcomes.map(({ policy, sizes }) => ({
      name: policy,
      points: sizes.map((size, at) => [at + 1, size] as const),
    })),
    marks: "line",
    limit: { name: "usable", y: budget.usable },
  };
}

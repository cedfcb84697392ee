/** Whole sessions, request by request: every policy plays every long enough session at every window. */
import { priceOf } from "../../src/cli/money/spent.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import {
  CACHE_RULES,
  costOf,
  emulation,
  EMULATED,
  FATES,
  type Fate,
  type Fates,
  type IsCommon,
  type Outcome,
  policiesFor,
  type Policy,
  type RecordedRequest,
  requestsOf,
  type Sent,
  type Setting,
  simulate,
  type TokenPrice,
  unknownSummary,
  whenFull,
} from "../../src/simulate/index.ts";
import type { Contestant } from "./contestants.ts";
import type { Results, WholeFigure } from "./results.ts";
import { type Segment, tokensOf } from "./segments.ts";

const WHOLE_WINDOWS: readonly number[] = [32_000, 64_000, 128_000];
/** A session that ends soon after its first overflow, or has few requests, says nothing about a policy. */
const LEAST_BEYOND = 24_000;
const LEAST_REQUESTS = 20;

/** A session at a window. */
export interface Play {
  readonly segment: Segment;
  readonly window: number;
  readonly requests: readonly RecordedRequest[];
}

/** The sessions that are large enough for a window, at that window. */
export function playsOf(segments: readonly Segment[], isCommon: IsCommon): readonly Play[] {
  const requests = new Map<Segment, readonly RecordedRequest[]>();
  const plays = WHOLE_WINDOWS.flatMap((window) => {
    const least = contextBudget({ window }).usable + LEAST_BEYOND;
    const long = segments.filter(({ messages }) => tokensOf(messages) >= least);
    return long.map((segment): Play => {
      const sizeOf = (message: Segment["messages"][number]): number => tokensOf([message]);
      const known = requests.get(segment) ?? requestsOf(segment.messages, sizeOf, isCommon);
      requests.set(segment, known);
      return { segment, window, requests: known };
    });
  });
  return plays.filter((play) => play.requests.length >= LEAST_REQUESTS);
}

/** What is paid, by the name of the provider whose cache is simulated. */
const MODELS: Readonly<Record<string, string>> = {
  Anthropic: "claude-sonnet-5",
  OpenAI: "gpt-5.5",
};

function priceAt(provider: string): TokenPrice {
  const model = MODELS[provider] ?? "";
  const price = priceOf({ model, day: "2026-11-23", band: 0 });
  if (price === undefined) throw new Error(`No price is known for ${model}.`);
  return price;
}

/** Where prices and rules come from. */
export function priceSourcesOf(): Results["prices"] {
  return CACHE_RULES.map(({ name, page, read }) => {
    const { input, cacheRead, cacheWrite = input, output } = priceAt(name);
    const source = `$${input} for a million tokens of input, $${cacheRead} read from the cache, $${cacheWrite} written to it, $${output} of output; rules of the cache from ${page}, ${read}`;
    return { provider: name, model: MODELS[name] ?? "", source };
  });
}

/** Ours, the simple ones, every emulation, and the peers, which are asked when the request is full. */
export function wholePolicies(peers: readonly Contestant[]): readonly Policy[] {
  const [first] = EMULATED;
  const simple = policiesFor(first ?? "").filter(({ name }) => !name.endsWith("(emulated)"));
  const emulations = EMULATED.map((format) => emulation(format));
  return [...simple, ...emulations, ...peers.flatMap(asPolicy)];
}

/** A contestant at its defaults, whenever the request is full. */
function asPolicy({ name, does, asksModel, byDefault }: Contestant): readonly Policy[] {
  if (byDefault === undefined) return [];
  const edit = async (list: Segment["messages"], { budget, context }: Setting): Promise<Sent> => {
    const { window } = budget;
    const segment = { name, format: "", session: "", messages: list, cwd: context.cwd };
    const kept = await byDefault({ past: list, window, segment });
    if (kept === undefined) return { messages: list };
    return asksModel === true ? { ...kept, asked: unknownSummary(list).asked } : kept;
  };
  return [whenFull(name, `${does}; asked whenever the request is full`, edit)];
}

export type WholeFigures = Readonly<Record<WholeFigure, number>>;

/** Plays one session; the figures of it. */
export async function playOne(play: Play, policy: Policy): Promise<WholeFigures> {
  const { window, segment, requests } = play;
  const setting: Setting = {
    budget: contextBudget({ window }),
    sizeOf: tokensOf,
    fixed: 0,
    context: { window, cwd: segment.cwd },
  };
  const before = process.cpuUsage();
  const { messages, cwd } = segment;
  const outcome = await simulate({ messages, requests, cwd }, policy, setting, CACHE_RULES);
  const { user, system } = process.cpuUsage(before);
  return { ...figuresOf(outcome), cpuMs: (user + system) / 1_000 };
}

function figuresOf(outcome: Outcome): Omit<WholeFigures, "cpuMs"> {
  const { sizes, far, fates, caches, edits, rebounds, summaries, illegal, over } = outcome;
  const dollars = caches.map((total) => {
    const { name } = total.rules;
    return [`dollars ${name}`, costOf(total, priceAt(name))] as const;
  });
  return {
    tokens: sizes.reduce((sum, size) => sum + size, 0) / sizes.length,
    far: shareOf(far, ["bound", "kept"]),
    farDirect: shareOf(far, ["bound", "kept", "direct"]),
    farHinted: shareOf(far, ["bound", "kept", "direct", "hinted"]),
    farBlind: shareOf(far, ["blind"]),
    farLost: shareOf(far, ["lost"]),
    all: shareOf(fates, ["bound", "kept"]),
    edits,
    rebounds,
    summaries,
    illegal,
    over,
    ...Object.fromEntries(dollars),
  };
}

function shareOf(fates: Fates, fine: readonly Fate[]): number {
  const sum = (some: readonly Fate[]): number =>
    some.reduce((total, fate) => total + fates[fate], 0);
  const all = sum(FATES);
  return all === 0 ? NaN : sum(fine) / all;
}

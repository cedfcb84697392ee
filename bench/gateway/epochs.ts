/**
 * What it is worth to prune before the window is full: `npx tsx bench/gateway/epochs.ts [SESSIONS]
 * [FOLDER]`. Recorded sessions, request by request, under one rule after the other, with the caches and
 * the oracle of `src/simulate` and the prices of `longhaul cost`. docs/decisions/0023 says what follows.
 */
import { memoryArchive } from "../../src/archive/index.ts";
import { priceOf } from "../../src/cli/money/spent.ts";
import { createContext, type EarlyPrune } from "../../src/context/index.ts";
import { pruneToolOutputs } from "../../src/context/prune-tool-outputs.ts";
import type { Message } from "../../src/core/message/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import {
  CACHE_RULES,
  type CacheRules,
  costOf,
  handlesIn,
  type Outcome,
  type Policy,
  readAll,
  requestsOf,
  simulate,
  type TokenPrice,
} from "../../src/simulate/index.ts";
import { gainOf } from "../../src/gateway/epochs.ts";
import { markdownTable, publish } from "../speed/table.ts";
import { longestSessions } from "./sessions.ts";

const WINDOWS: readonly number[] = [200_000, 100_000, 64_000];
const meter = createMessageMeter(estimator);

/** What a rule sees before a request: what would be pruned, and what came before. */
interface Moment extends EarlyPrune {
  readonly isNearlyFull: boolean;
  /** Since the request before, in ms. */
  readonly idle: number;
  readonly rules: CacheRules;
  readonly price: Required<TokenPrice>;
  /** Requests until now, and how many come. */
  readonly done: number;
  readonly left: number;
}

type Rule = (moment: Moment) => boolean;

/** What the gateway reckons, if so many requests follow. */
function gain({ price, rules, idle, ...prune }: Moment, expected: number): number {
  return gainOf({ ...prune, broken: idle > rules.lifeMs ? 0 : prune.broken, expected }, price);
}

/** The gateway waits longer than the caches of `src/simulate` live. */
const GATEWAY_WAITS: Readonly<Record<string, number>> = { Anthropic: 20, OpenAI: 75 };
const isCold: Rule = ({ idle, rules }) => idle > (GATEWAY_WAITS[rules.name] ?? 0) * 60_000;
const isLooked: Rule = ({ done }) => done % 8 === 7;

const RULES: readonly (readonly [string, Rule | undefined])[] = [
  ["`full`", undefined],
  ["`cold`", isCold],
  ["cold as soon as the cache forgets", ({ idle, rules }) => idle > rules.lifeMs],
  ["`gain`", (at) => isCold(at) || (isLooked(at) && gain(at, at.done / 4) > 0)],
  [
    "gain, three quarters full",
    (at) => isCold(at) || (at.isNearlyFull && gain(at, at.done / 4) > 0),
  ],
  ["gain, by all that really follow", (at) => isCold(at) || gain(at, at.left) > 0],
];

interface Setup {
  readonly rule: Rule | undefined;
  readonly rules: CacheRules;
  readonly price: Required<TokenPrice>;
  readonly requests: number;
  readonly onEpoch: () => void;
}

function policyOf({ rule, rules, price, requests, onEpoch }: Setup): Policy {
  return {
    name: "rule",
    does: "a context at its defaults that also prunes when the rule says so",
    start({ budget, context: options }) {
      const archive = memoryArchive();
      const context = createContext({ ...options, archive, now: () => 0 });
      const known = new Map<string, string>();
      let [done, time, before] = [0, 0, 0];
      return async ({ history }) => {
        let { messages, report } = await context.prepare(history);
        const now = history.at(-1)?.time ?? time;
        if (rule !== undefined && report.action === "none") {
          const { messages: pruned } = pruneToolOutputs(messages, options);
          const first = messages.findIndex((message, at) => message !== pruned[at]);
          const size = meter.total(messages);
          const saved = size - meter.total(pruned);
          const broken = meter.total(messages.slice(Math.max(0, first), before));
          const [idle, left] = [now - (time || now), requests - done - 1];
          const isNearlyFull = size > 0.75 * budget.usable;
          const moment = { saved, broken, isNearlyFull, idle, rules, price, done, left };
          if (first >= 0 && rule(moment)) {
            ({ messages, report } = await context.prepare(history, {
              force: true,
              pruneOnly: true,
            }));
            if (report.action !== "none") onEpoch();
          }
        }
        done += 1;
        time = now;
        before = messages.length;
        if (report.action !== "none") await readAll(archive, messages, known);
        return { messages, handlesIn, read: (handle) => known.get(handle) };
      };
    },
  };
}

interface Played {
  readonly dollars: number;
  readonly epochs: number;
  readonly outcome: Outcome;
}

const sessions = (await longestSessions(Number(process.argv[2] ?? 30), process.argv[3])).map(
  ({ messages }) => ({ messages, requests: requestsOf(messages, (one) => meter.tokens(one)) }),
);

async function playAll(window: number, { rules, model }: Provider, rule: Rule | undefined) {
  const found = priceOf({ model, day: "2026-11-23", band: 0 });
  if (found === undefined) throw new Error(`No price is known for ${model}.`);
  const price = { ...found, cacheWrite: found.cacheWrite ?? found.input };
  const played: Played[] = [];
  for (const { messages, requests } of sessions) {
    let epochs = 0;
    const own = { rules, price, requests: requests.length, onEpoch: () => (epochs += 1) };
    const policy = policyOf({ ...own, rule });
    const sizeOf = (list: readonly Message[]): number => meter.total(list);
    const setting = { budget: contextBudget({ window }), sizeOf, fixed: 0, context: { window } };
    const outcome = await simulate({ messages, requests }, policy, setting, [rules]);
    const [total] = outcome.caches;
    played.push({ dollars: total === undefined ? 0 : costOf(total, price), epochs, outcome });
  }
  return played;
}

interface Provider {
  readonly rules: CacheRules;
  readonly model: string;
}

const [anthropic, openai] = CACHE_RULES;
const providers: readonly Provider[] = [
  { rules: anthropic, model: "claude-sonnet-5" },
  { rules: openai, model: "gpt-5.5" },
];

function sum(played: readonly Played[], pick: (one: Played) => number): number {
  return played.reduce((all, one) => all + pick(one), 0);
}

/** How many sessions are dearer than they were, and by how much the worst. */
function dearer(played: readonly Played[], before: readonly Played[]): string {
  const shares = played.map(({ dollars }, at) => dollars / (before[at]?.dollars || dollars) - 1);
  const worse = shares.filter((share) => share > 0.0005);
  const most = `${(100 * Math.max(...worse)).toFixed(1)} %`;
  return worse.length === 0 ? "0" : `${worse.length}, ${most}`;
}

/** Names that an agent used again, of those that stood more than 8,000 tokens back. */
function inSight(played: readonly Played[]): string {
  const all = sum(played, ({ outcome }) => Object.values(outcome.far).reduce((a, b) => a + b, 0));
  const seen = sum(played, ({ outcome: { far } }) => far.bound + far.kept);
  return `${((100 * seen) / all).toFixed(1)} %`;
}

const rows: string[][] = [];
for (const provider of providers) {
  for (const window of WINDOWS) {
    let before: readonly Played[] = [];
    for (const [name, rule] of RULES) {
      const played = await playAll(window, provider, rule);
      if (rule === undefined) before = played;
      rows.push([
        `${provider.rules.name}, ${window / 1_000}k: ${name}`,
        `$${sum(played, ({ dollars }) => dollars).toFixed(2)}`,
        String(sum(played, ({ epochs }) => epochs)),
        dearer(played, before),
        inSight(played),
      ]);
      console.error(rows.at(-1)?.join(" | "));
    }
  }
}
const head = [
  "cache, window, rule",
  "bill",
  "early edits",
  "sessions dearer than by `full`, most",
  "names used again that are in sight",
];
publish("gateway-epochs", markdownTable(head, rows));

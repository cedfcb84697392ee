import { type Usage, withoutUsage } from "../core/message/message.ts";
import { contextBudget } from "../core/overflow/index.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { createMessageMeter } from "../core/tokens/meter.ts";
import {
  CACHE_RULES,
  costOf,
  LONGHAUL_POLICY,
  nothingPolicy,
  type Outcome,
  type Setting,
  simulate,
  type TokenPrice,
} from "../simulate/index.ts";
import type { Bill, Replay } from "./data.ts";
import type { Page } from "./page-data.ts";

interface ReplayOptions {
  readonly window: number;
  readonly cwd?: string;
  /** Of the session's model, where it is known. */
  readonly price?: TokenPrice;
}

/**
 * The session as a context at its defaults would have kept it in a window, without a model, beside
 * what the session was without any edit and what its agent was reported to send.
 */
export async function replayOf(
  { data, messages }: Page,
  { window, cwd, price }: ReplayOptions,
): Promise<Replay> {
  const { scale, outside, about } = data;
  const beside = data.system + data.schemas;
  const own = [...data.messages.keys()].filter((number) => {
    const { instead, kind } = data.messages[number] ?? {};
    return instead === undefined && kind !== "summary";
  });
  const places = new Map(own.map((number, place) => [number, place]));
  // Reports are about lists that were not edited like this.
  const history = own.flatMap((number) => messages[number] ?? []).map(withoutUsage);
  const requests = data.steps.map(({ answer }) => {
    const length = answer === undefined ? history.length : (places.get(answer) ?? 0);
    return { length, uses: [], time: messages[answer ?? -1]?.time };
  });
  const meter = createMessageMeter(estimator);
  const setting: Setting = {
    budget: contextBudget({ window }),
    sizeOf: (list) => meter.total(list) * scale,
    fixed: outside + beside * scale,
    context: {
      window,
      tokenFactor: scale,
      fixedTokens: outside / scale + beside,
      cwd,
    },
  };
  const [anthropic, openai] = CACHE_RULES;
  const rules = /claude/i.test(about.model ?? "") ? anthropic : openai;
  const play = (policy: typeof LONGHAUL_POLICY): Promise<Outcome> =>
    simulate({ messages: history, requests, cwd }, policy, setting, [rules]);
  const ours = await play(LONGHAUL_POLICY);
  const nothing = await play(nothingPolicy);
  const usages = data.messages.map(({ usage }) => usage);
  const reported = reportedBill(usages, window, price);
  return {
    window,
    usable: setting.budget.usable,
    sizes: ours.sizes.map(Math.round),
    edits: ours.edits,
    bills: [
      billOf("longhaul", ours, price),
      billOf("nothing", nothing, price),
      ...(reported === undefined ? [] : [reported]),
    ],
    note: `Cached by the rules of ${rules.name} as of ${rules.read}. Without a model; answers are not in the bill.`,
  };
}

function billOf(name: Bill["name"], outcome: Outcome, price: TokenPrice | undefined): Bill {
  const [total] = outcome.caches;
  return {
    name,
    tokens: Math.round(outcome.sizes.reduce((sum, size) => sum + size, 0)),
    cached: Math.round(total?.read ?? 0),
    over: outcome.over,
    cost: total && price && costOf(total, price),
  };
}

function reportedBill(
  usages: readonly (Usage | undefined)[],
  window: number,
  price: TokenPrice | undefined,
): Bill | undefined {
  let [tokens, cached, cost, over] = [0, 0, 0, 0];
  for (const usage of usages) {
    if (usage === undefined) continue;
    const { input, cacheRead = 0, cacheWrite = 0 } = usage;
    tokens += input + cacheRead + cacheWrite;
    cached += cacheRead;
    if (input + cacheRead + cacheWrite > window) over += 1;
    const use = { fresh: input, read: cacheRead, written: cacheWrite, output: 0 };
    cost += price === undefined ? 0 : costOf(use, price);
  }
  if (tokens === 0) return undefined;
  return { name: "reported", tokens, cached, over, cost: price && cost };
}

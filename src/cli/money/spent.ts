import { localDay } from "../../core/text/figures.ts";
import type { Price } from "../../settings/settings.ts";
import { PRICE_LISTS, type PriceRow, PROMPT_BANDS } from "./prices.ts";
import type { RequestUsage } from "../../transcripts/index.ts";

/** Prices that a person set, by the name of the model. */
export type OwnPrices = Readonly<Record<string, Price>>;

/** All requests to one model on one day, in tokens. */
export interface DayUse {
  /** In the local time zone, e.g. `2026-11-20`; empty where nobody recorded the time. */
  readonly day: string;
  readonly model: string;
  /** The size of the prompts: the band of prices that they are in. */
  readonly band: number;
  readonly requests: number;
  /** Neither read from a cache nor written to one. */
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** Of `cacheWrite`. */
  readonly cacheWriteHour: number;
  readonly output: number;
  /** US dollars that the agent itself has reckoned; 0 where it has not. */
  readonly cost: number;
}

/** The day of a time (ms since the epoch) in the local time zone. */
export function dayOf(time: number | undefined): string {
  return time === undefined ? "" : localDay(time);
}

/** A key that a request and every copy of it share; `undefined` where nothing tells it from others. */
export function requestKey({ id, time, model, usage }: RequestUsage): string | undefined {
  return id ?? (time === undefined ? undefined : JSON.stringify([time, model, usage]));
}

/** Adds requests up by day, model and price band. */
export function usesOf(requests: readonly RequestUsage[]): DayUse[] {
  const uses = new Map<string, DayUse>();
  for (const { time, model = "", usage, requests: times = 1, ...rest } of requests) {
    const { cacheWriteHour = 0, cost = 0 } = rest;
    const { input, output, cacheRead = 0, cacheWrite = 0 } = usage;
    const prompt = input + cacheRead + cacheWrite;
    const band = bandOf(prompt / times);
    const [day, isReckoned] = [dayOf(time), cost > 0];
    // Money that the agent reckoned must not share a row with money that it did not.
    const key = [day, model, band, isReckoned].join("\0");
    const before = uses.get(key);
    uses.set(key, {
      day,
      model,
      band,
      requests: (before?.requests ?? 0) + times,
      input: (before?.input ?? 0) + input,
      cacheRead: (before?.cacheRead ?? 0) + cacheRead,
      cacheWrite: (before?.cacheWrite ?? 0) + cacheWrite,
      cacheWriteHour: (before?.cacheWriteHour ?? 0) + cacheWriteHour,
      output: (before?.output ?? 0) + output,
      cost: (before?.cost ?? 0) + cost,
    });
  }
  return [...uses.values()];
}

/** Spent tokens and money, added up. */
export interface Spent {
  readonly requests: number;
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  /** US dollars of what has a price; `undefined` where nothing has. */
  readonly cost: number | undefined;
  /** Tokens of models without a known price, and those models. */
  readonly unpriced: number;
  readonly unpricedModels: readonly string[];
}

/** Adds up what was spent, with money where the agent reckoned it or the model has a price. */
export function spentIn(uses: readonly DayUse[], own: OwnPrices = {}): Spent {
  let [requests, input, cacheRead, cacheWrite, output, unpriced] = [0, 0, 0, 0, 0, 0];
  let cost: number | undefined;
  const models = new Set<string>();
  for (const use of uses) {
    requests += use.requests;
    input += use.input;
    cacheRead += use.cacheRead;
    cacheWrite += use.cacheWrite;
    output += use.output;
    const money = costOf(use, own);
    if (money !== undefined) cost = (cost ?? 0) + money;
    else {
      unpriced += tokensOf(use);
      models.add(use.model);
    }
  }
  const unpricedModels = [...models].sort();
  return { requests, input, cacheRead, cacheWrite, output, cost, unpriced, unpricedModels };
}

/** All tokens, of prompts and answers. */
export function tokensOf(
  use: Pick<Spent, "input" | "cacheRead" | "cacheWrite" | "output">,
): number {
  return use.input + use.cacheRead + use.cacheWrite + use.output;
}

/** The share of all prompts that came from a cache, from 0 to 1; `undefined` without prompts. */
export function cacheShare({
  input,
  cacheRead,
  cacheWrite,
}: Pick<Spent, "input" | "cacheRead" | "cacheWrite">): number | undefined {
  const prompt = input + cacheRead + cacheWrite;
  return prompt === 0 ? undefined : cacheRead / prompt;
}

const MILLION = 1_000_000;

function costOf(use: DayUse, own: OwnPrices): number | undefined {
  if (use.cost > 0) return use.cost;
  const price = priceOf(use, own);
  if (price === undefined) return undefined;
  const { cacheWrite = price.input } = price;
  const { cacheWriteHour = cacheWrite } = price;
  const dollars =
    use.input * price.input +
    use.output * price.output +
    use.cacheRead * price.cacheRead +
    (use.cacheWrite - use.cacheWriteHour) * cacheWrite +
    use.cacheWriteHour * cacheWriteHour;
  return dollars / MILLION;
}

/** The price of a model on a day; the person's own first. */
export function priceOf(
  { model, day, band }: Pick<DayUse, "model" | "day" | "band">,
  own: OwnPrices = {},
): Price | undefined {
  const name = model.toLowerCase();
  const bare = name.slice(name.lastIndexOf("/") + 1);
  const set = own[model] ?? own[name] ?? own[bare];
  if (set !== undefined) return set;
  const row = rowsOf(bare).find(({ from }) => from === undefined || day >= from);
  return row?.long !== undefined && band >= row.long.above ? row.long.price : row?.price;
}

/** The price of a model today, by the size of a prompt; a person's own prices first. */
export function pricesOfNow(
  own?: OwnPrices,
): (model: string, promptTokens: number) => Price | undefined {
  return (model, promptTokens) => {
    const band = bandOf(promptTokens);
    return priceOf({ model, day: dayOf(Date.now()), band }, own);
  };
}

function bandOf(promptTokens: number): number {
  return PROMPT_BANDS.findLast((from) => promptTokens > from) ?? 0;
}

/** Thousands of sessions name a few models. */
const KNOWN_ROWS = new Map<string, readonly PriceRow[]>();

function rowsOf(model: string): readonly PriceRow[] {
  const known = KNOWN_ROWS.get(model);
  if (known !== undefined) return known;
  const rows = PRICE_LISTS.flatMap((list) => list.rows).filter((row) => row.model.test(model));
  KNOWN_ROWS.set(model, rows);
  return rows;
}

/** The sources of the prices, for people. */
export function priceSources(): string[] {
  return PRICE_LISTS.map(({ page, read }) => `${page}, read ${read}`);
}

/*
 * List prices of models: dated data, from copies of lists rather than the makers' live pages,
 * so a price may be out of date. Nothing here is exact to a bill (batches, priority, subscriptions and
 * regions have prices of their own); a model that is not here is counted in tokens only. `prices` in the settings adds models and replaces what stands here.
 */
import type { Price } from "../../settings/settings.ts";

/** A price, for which models, since when, and above which size of a request. */
export interface PriceRow {
  readonly model: RegExp;
  readonly price: Price;
  /** The first day (`2026-10-07`) on which it holds; the newest row that has begun counts. */
  readonly from?: string;
  /** A request with a longer prompt than so many tokens costs this in all its parts. */
  readonly long?: { readonly above: number; readonly price: Price };
}

/** Prices that come from one place. */
export interface PriceList {
  /** The page to check them on. */
  readonly page: string;
  /** The day of the copy that they were taken from, as far as it is known; else when it was read. */
  readonly read: string;
  readonly rows: readonly PriceRow[];
}

/** A request is put into one of these by its prompt, in tokens: some prices change there. */
export const PROMPT_BANDS: readonly number[] = [0, 100_000, 200_000, 272_000];

export const PRICE_LISTS: readonly PriceList[] = [
  {
    // From release notes that repeat this page; what writing to the cache costs follows its rule.
    page: "https://platform.claude.com/docs/en/about-claude/pricing",
    read: "2026-10-24",
    rows: [
      { model: /claude-(?:fable|mythos)-5[-.]1(?!\d)/, price: claude(10, 50, 0.25) },
      { model: /claude-(?:fable|mythos)-5/, price: claude(10, 50, 1) },
      { model: /claude-opus-5[-.]5(?!\d)/, price: claude(4, 20, 0.2) },
      { model: /claude-opus-(?:5|4[-.][5-8](?!\d))/, price: claude(5, 25, 0.5) },
      { model: /claude-(?:opus-[34]|3-opus)/, price: claude(15, 75, 1.5) },
      { model: /claude-sonnet-5[-.]5(?!\d)/, price: claude(2, 10, 0.1), from: "2026-10-07" },
      { model: /claude-sonnet-5/, price: claude(2, 10, 0.2) },
      { model: /claude-(?:sonnet-[34]|3-[57]-sonnet)/, price: claude(3, 15, 0.3) },
      {
        model: /claude-haiku-5[-.]5(?!\d)/,
        price: claude(0.1, 0.5, 0.01),
        long: { above: 100_000, price: claude(0.5, 2.5, 0.05) },
      },
      { model: /claude-haiku-4/, price: claude(1, 5, 0.1) },
      { model: /claude-(?:haiku-3[-.]5|3-5-haiku)/, price: claude(0.8, 4, 0.08) },
      {
        model: /claude-(?:haiku-3|3-haiku)/,
        price: { input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3, cacheWriteHour: 0.5 },
      },
    ],
  },
  {
    page: "https://developers.openai.com/api/docs/models/gpt-5-codex",
    read: "2026-11-23",
    rows: [
      {
        model: /gpt-5(?:\.1)?(?:-codex(?:-max)?|-chat[\w-]*)?(?:-\d{4}-\d\d-\d\d)?$/,
        price: plain(1.25, 10, 0.125),
      },
    ],
  },
  {
    // GitHub's list of other makers' models; the newest in that copy are of July 2026, and
    // gpt-4.1 and gpt-5.2 stood in an older one.
    page: "https://github.com/github/docs/blob/main/data/tables/copilot/models-and-pricing.yml",
    read: "2026-11-23",
    rows: [
      {
        model: /gpt-5\.6-luna/,
        price: { ...plain(0.2, 1.2, 0.02), cacheWrite: 0.25 },
        long: { above: 200_000, price: { ...plain(0.4, 1.8, 0.04), cacheWrite: 0.5 } },
      },
      {
        model: /gpt-5\.6-terra/,
        price: { ...plain(2, 12, 0.2), cacheWrite: 2.5 },
        long: { above: 272_000, price: { ...plain(4, 18, 0.4), cacheWrite: 5 } },
      },
      {
        model: /gpt-5\.5(?!-pro)/,
        price: plain(5, 30, 0.5),
        long: { above: 272_000, price: plain(10, 45, 1) },
      },
      { model: /gpt-5\.4-mini/, price: plain(0.75, 4.5, 0.075) },
      { model: /gpt-5\.4-nano/, price: plain(0.2, 1.25, 0.02) },
      {
        model: /gpt-5\.4(?!-pro)/,
        price: plain(2.5, 15, 0.25),
        long: { above: 272_000, price: plain(5, 22.5, 0.5) },
      },
      { model: /gpt-5\.[23](?!-pro)/, price: plain(1.75, 14, 0.175) },
      { model: /gpt-5-mini/, price: plain(0.25, 2, 0.025) },
      { model: /gpt-4\.1(?!-(?:mini|nano))/, price: plain(2, 8, 0.5) },
      { model: /gemini-3\.[67]-flash(?!-lite)/, price: plain(0.75, 3.75, 0.075) },
      { model: /gemini-3\.5-flash(?!-lite)/, price: plain(1.5, 9, 0.15) },
      {
        model: /gemini-3\.1-pro/,
        price: plain(2, 12, 0.2),
        long: { above: 200_000, price: plain(4, 18, 0.4) },
      },
    ],
  },
];

/** Writing to the cache costs a quarter more than input, for an hour twice as much. */
function claude(input: number, output: number, cacheRead: number): Price {
  return { input, output, cacheRead, cacheWrite: input * 1.25, cacheWriteHour: input * 2 };
}

function plain(input: number, output: number, cacheRead: number): Price {
  return { input, output, cacheRead };
}

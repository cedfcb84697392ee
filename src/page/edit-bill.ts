import { costOf, type TokenPrice } from "../simulate/index.ts";
import type { EditBill, PageEdit, PageStep } from "./data.ts";
import type { Pool, PoolView } from "./views.ts";

interface BillInput {
  readonly pool: Pool;
  readonly steps: readonly PageStep[];
  readonly price: TokenPrice | undefined;
  /** The provider's tokens of messages. */
  readonly sizeOf: (list: readonly number[]) => number;
  /** The same of what every request has beside them. */
  readonly beside: number;
}

/** What an edit cost, and what it spared until the next compaction. */
export function billOf(
  edit: Omit<PageEdit, "bill">,
  next: number | undefined,
  { pool, steps, price, sizeOf, beside }: BillInput,
): EditBill | undefined {
  const { view = 0, step, saved, usage, summary } = edit;
  const [before, after] = [pool.views[view - 1], pool.views[view]];
  if (before === undefined || after === undefined) return undefined;
  const made = after.list.slice(0, after.start);
  const same = made.findIndex((number, at) => number !== before.list[at]);
  const rewritten = same < 0 ? 0 : Math.round(sizeOf(made.slice(same)));
  const requests = Math.max(0, (next ?? steps.length - 1) - step);
  const isWritten = summary?.lines.some(({ by }) => by === "model") === true;
  const model = usage ?? (isWritten ? asked(before, summary?.message, { sizeOf, beside }) : none);
  const isEstimated = usage === undefined && isWritten;
  const bill = { rewritten, requests, model, ...(isEstimated && { isEstimated }) } as const;
  if (price === undefined) return bill;
  const { input, cached, output } = model;
  const rules = { fresh: input - cached, read: cached, written: 0, output };
  // What was in the cache is written to it once more.
  const again = { fresh: 0, read: -rewritten, written: rewritten, output: 0 };
  const spared = { fresh: 0, read: saved * requests, written: 0, output: 0 };
  const dollars = (use: typeof rules): number => costOf(use, price);
  return { ...bill, spent: dollars(rules) + dollars(again), spared: dollars(spared) };
}

const none = { input: 0, cached: 0, output: 0 };

/** A model that was asked for a summary read the window; no file says what of it was in a cache. */
function asked(
  { list }: PoolView,
  summary: number | undefined,
  { sizeOf, beside }: Pick<BillInput, "sizeOf" | "beside">,
): typeof none {
  const output = summary === undefined ? 0 : Math.round(sizeOf([summary]));
  return { input: Math.round(sizeOf(list) + beside), cached: 0, output };
}

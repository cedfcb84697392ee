import type { Ledger } from "../core/ledger/index.ts";
import { isPruned } from "../core/message/edit.ts";
import { messageText, resultText } from "../core/message/message.ts";
import { findTruncation } from "../core/truncate/marker.ts";
import type { TokenPrice } from "../simulate/index.ts";
import type { PageEdit, PageStep } from "./data.ts";
import { billOf } from "./edit-bill.ts";
import { summaryLines } from "./summary-lines.ts";
import type { Pool, PoolView } from "./views.ts";

interface EditsInput {
  readonly pool: Pool;
  readonly steps: readonly PageStep[];
  /** Of each message, estimated. */
  readonly tokens: readonly number[];
  readonly scale: number;
  readonly ledger: Ledger;
  readonly price?: TokenPrice;
  /** The provider's tokens of what every request has beside the messages. */
  readonly beside: number;
}

/** What each view but the first began with. */
export function editsOf(input: EditsInput): PageEdit[] {
  const { pool, steps, tokens, scale, ledger, price, beside } = input;
  const sizeOf = (list: readonly number[]): number =>
    list.reduce((total, number) => total + (tokens[number] ?? 0), 0) * scale;
  const edits = pool.views.slice(1).map((after, at): PageEdit => {
    const view = at + 1;
    const before = pool.views[at] as PoolView;
    const made = after.list.slice(0, after.start);
    const inBefore = new Set(before.list);
    const isSummary = (number: number): boolean => pool.messages[number]?.kind === "summary";
    const summary = made.find((number) => !inBefore.has(number) && isSummary(number));
    const rootOf = (number: number): number => pool.instead.get(number) ?? number;
    // What stood there before may have been a placeholder already.
    const stood = new Map(before.list.map((number) => [rootOf(number), number]));
    const replaced = made.flatMap((number) => {
      const earlier = inBefore.has(number) ? undefined : stood.get(rootOf(number));
      return earlier === undefined ? [] : [earlier, number];
    });
    const still = new Set(made.map(rootOf));
    const dropped = before.list.filter((number) => !still.has(rootOf(number))).length;
    const firstStep = steps.findIndex((one) => one.view >= view);
    return {
      type: summary !== undefined || dropped > 0 ? "compact" : "prune",
      by: "agent",
      step: firstStep < 0 ? steps.length - 1 : firstStep,
      view,
      saved: Math.max(0, Math.round(sizeOf(before.list) - sizeOf(made))),
      dropped,
      replaced,
      ...(summary !== undefined && { summary: summaryOf(pool, summary, ledger) }),
      ...after.made,
    };
  });
  return edits.map((edit, at) => {
    const next = edits.slice(at + 1).find(({ type }) => type === "compact")?.step;
    const bill = billOf(edit, next, { pool, steps, price, sizeOf, beside });
    return { ...edit, ...(bill && { bill }) };
  });
}

function summaryOf({ messages }: Pool, number: number, ledger: Ledger): PageEdit["summary"] {
  const message = messages[number];
  return { message: number, lines: summaryLines(message ? messageText(message) : "", ledger) };
}

interface TruncationsInput extends Pick<EditsInput, "pool" | "steps"> {
  readonly own: readonly number[];
}

/** Outputs that were cut on arrival, by us or by the agent: a mark for each request that saw new ones. */
export function truncationsOf({ pool, steps, own }: TruncationsInput): PageEdit[] {
  const byStep = new Map<number, { ours: boolean; messages: number[] }>();
  let step = 0;
  for (const number of own) {
    while (step < steps.length - 1 && (steps[step]?.answer ?? Infinity) < number) step += 1;
    const cut = cutBy(pool, number);
    if (cut === undefined) continue;
    const mark = byStep.get(step) ?? { ours: false, messages: [] };
    mark.messages.push(number);
    byStep.set(step, { ...mark, ours: mark.ours || cut === "longhaul" });
  }
  return [...byStep].map(([at, { ours, messages }]) => ({
    type: "truncate",
    by: ours ? "longhaul" : "agent",
    step: at,
    saved: 0,
    dropped: 0,
    replaced: messages.flatMap((number) => [number, number]),
  }));
}

function cutBy({ messages }: Pool, number: number): "agent" | "longhaul" | undefined {
  for (const part of messages[number]?.parts ?? []) {
    if (part.type !== "tool-result" || isPruned(part)) continue;
    const by = findTruncation(resultText(part))?.by ?? (part.original && "agent");
    if (by !== undefined) return by === "longhaul" ? by : "agent";
  }
  return undefined;
}

import type { Ledger } from "../core/ledger/index.ts";
import { isPruned } from "../core/message/edit.ts";
import { messageText, resultText } from "../core/message/message.ts";
import { isFrame } from "../core/summary/frame.ts";
import { findTruncation } from "../core/truncate/marker.ts";
import { costOf, type TokenPrice } from "../simulate/index.ts";
import type { EditBill, PageEdit, PageStep, SummaryLine } from "./data.ts";
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

/** The edit that each view but the first began with. */
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
    // A placeholder may have stood there before.
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
      summary: summary === undefined ? undefined : summaryOf(pool, summary, ledger),
      ...after.made,
    };
  });
  return edits.map((edit, at) => {
    const next = edits.slice(at + 1).find(({ type }) => type === "compact")?.step;
    return { ...edit, bill: billOf(edit, next, { pool, steps, price, sizeOf, beside }) };
  });
}

function summaryOf({ messages }: Pool, number: number, ledger: Ledger): PageEdit["summary"] {
  const message = messages[number];
  return { message: number, lines: summaryLines(message ? messageText(message) : "", ledger) };
}

/** Shorter texts are in many lines by chance. */
const TELLING = 6;

/**
 * The lines of a summary with their writers: in ours, quoted lines are a model's words and listed
 * ones facts, with their message where the ledger has it; in any other, all are a model's.
 */
function summaryLines(text: string, facts: Ledger): SummaryLine[] {
  const isOurs = isFrame(text);
  const known = placesOf(facts);
  return text.split("\n").map((line) => {
    const trimmed = line.trim();
    if (trimmed === "" || /^(?:#|<)/.test(trimmed)) return { text: line, by: "frame" };
    if (!isOurs || trimmed.startsWith(">")) return { text: line, by: "model" };
    if (!trimmed.startsWith("-")) return { text: line, by: "frame" };
    const from = known.findLast(([fact]) => line.includes(fact))?.[1];
    return { text: line, by: "record", ...(from !== undefined && { from }) };
  });
}

/** The recorded facts, each with its message: the longest last, because it says the most. */
function placesOf(facts: Ledger): (readonly [string, number])[] {
  const places: (readonly [string, number])[] = [
    ...facts.files.map(({ path, last }) => [path, last] as const),
    ...facts.commands.map(({ command, at }) => [firstLine(command), at] as const),
    ...facts.instructions.map(({ text, at }) => [firstLine(text), at] as const),
    ...facts.errors.map(({ subject, at }) => [firstLine(subject), at] as const),
    ...facts.statements.map(({ text, at }) => [firstLine(text), at] as const),
  ];
  const telling = places.filter(([text]) => text.length >= TELLING);
  return telling.toSorted(([one], [other]) => one.length - other.length);
}

function firstLine(text: string): string {
  return (text.trim().split("\n", 1)[0] ?? "").slice(0, 80);
}

interface BillInput extends Pick<EditsInput, "pool" | "steps" | "price" | "beside"> {
  /** The provider's tokens of messages. */
  readonly sizeOf: (list: readonly number[]) => number;
}

/** The cost of an edit, and what it spared until the next compaction. */
function billOf(
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
  // The rest of the window was in the cache, and is written to it once more.
  const again = { fresh: 0, read: -rewritten, written: rewritten, output: 0 };
  const spared = { fresh: 0, read: saved * requests, written: 0, output: 0 };
  const spent = costOf(rules, price) + costOf(again, price);
  return { ...bill, spent, spared: costOf(spared, price) };
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

/** Outputs that were cut on arrival, by us or by the agent: a mark for each request that saw new ones. */
export function truncationsOf({
  pool,
  steps,
  own,
}: Pick<EditsInput, "pool" | "steps"> & { readonly own: readonly number[] }): PageEdit[] {
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

import { plural } from "../../core/text/figures.ts";
import type { PageData, PageEdit, PageMessage, PageStep } from "../data.ts";

/** The drawn and listed figures, worked out once from the data of a page. */
export interface Model {
  readonly data: PageData;
  /** By area, then by step: the provider's tokens. */
  readonly series: readonly Float64Array[];
  /** By step. */
  readonly totals: Float64Array;
  /** By message: the first request that it was part of. */
  readonly firstStep: Int32Array;
  /** By step: the edits before its request. */
  readonly editsAt: ReadonlyMap<number, readonly PageEdit[]>;
  /** The messages as they came, without what stands for others; in order. */
  readonly said: readonly number[];
  readonly top: number;
}

export function modelOf(data: PageData): Model {
  const { steps, areas } = data;
  const series = areas.map(() => new Float64Array(steps.length));
  const totals = new Float64Array(steps.length);
  const firstStep = new Int32Array(data.messages.length).fill(steps.length - 1);
  const isFirst = new Uint8Array(data.messages.length);
  const sums = new Float64Array(areas.length);
  const base = basis(data);
  let view = -1;
  let list: readonly number[] = [];
  let at = 0;
  steps.forEach((step, number) => {
    if (step.view !== view) {
      view = step.view;
      list = viewList(data, view);
      sums.set(base);
      at = 0;
    }
    for (; at < step.length; at += 1) {
      const message = list[at] ?? 0;
      addShares(sums, data.messages[message]?.shares ?? [], data.scale);
      if (isFirst[message] === 0) {
        isFirst[message] = 1;
        firstStep[message] = number;
      }
    }
    sums.forEach((value, area) => {
      const values = series[area];
      if (values !== undefined) values[number] = value;
      totals[number] = (totals[number] ?? 0) + value;
    });
  });
  const reported = steps.reduce((most, step) => Math.max(most, step.reported ?? 0), 0);
  const top = totals.reduce((most, value) => Math.max(most, value), reported);
  const said = data.messages.flatMap((message, number) =>
    message.instead === undefined ? [number] : [],
  );
  return { data, series, totals, firstStep, editsAt: editsByStep(data.edits), said, top };
}

/** The content of every request beside the messages. */
function basis({ areas, outside, system, schemas, scale }: PageData): Float64Array {
  const known: Readonly<Record<string, number>> = {
    "kind outside": outside,
    "kind system": system * scale,
    "kind schemas": schemas * scale,
  };
  return Float64Array.from(areas, ({ id }) => known[id] ?? 0);
}

function addShares(sums: Float64Array, shares: readonly number[], scale: number): void {
  for (let at = 0; at < shares.length; at += 2) {
    const area = shares[at] ?? 0;
    sums[area] = (sums[area] ?? 0) + (shares[at + 1] ?? 0) * scale;
  }
}

function editsByStep(edits: readonly PageEdit[]): Map<number, readonly PageEdit[]> {
  const byStep = new Map<number, PageEdit[]>();
  for (const edit of edits) byStep.set(edit.step, [...(byStep.get(edit.step) ?? []), edit]);
  return byStep;
}

/** The numbers of all messages of a view. */
export function viewList({ views }: PageData, view: number): number[] {
  const { ranges = [] } = views[view] ?? {};
  const list: number[] = [];
  for (let at = 0; at < ranges.length; at += 2) {
    const [from, to] = [ranges[at] ?? 0, ranges[at + 1] ?? 0];
    for (let number = from; number < to; number += 1) list.push(number);
  }
  return list;
}

export function seenAt(data: PageData, step: number): number[] {
  const { view = 0, length = 0 } = data.steps[step] ?? {};
  return viewList(data, view).slice(0, length);
}

/** The provider's tokens of a message. */
export function tokensOf({ shares }: Pick<PageMessage, "shares">, scale: number): number {
  let sum = 0;
  for (let at = 1; at < shares.length; at += 2) sum += shares[at] ?? 0;
  return sum * scale;
}

export function timeOf(data: PageData, step: PageStep | undefined): number | undefined {
  return step?.answer === undefined ? undefined : data.messages[step.answer]?.time;
}

export function roleOf({ role, kind, tools }: PageMessage): string {
  if (kind !== undefined) return kind;
  if (role === "tool") return tools?.[0] ?? "tool";
  return role;
}

export function editTitle({ type, by, replaced, dropped }: PageEdit): string {
  const who = by === "longhaul" ? "Longhaul" : "The agent";
  const pieces = replaced.length / 2;
  if (type === "truncate") return `${plural(pieces, "output")} cut on arrival`;
  if (type === "prune") return `${who} pruned ${plural(pieces, "piece")}`;
  return `${who} compacted ${plural(dropped, "message")}`;
}

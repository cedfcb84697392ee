import { splitUnits, startsTurn } from "../message/structure.ts";
import type { Message } from "../message/index.ts";
import type { MessageMeter } from "../tokens/index.ts";

/** T8: tail budget = min(8,000, max(2,000, a quarter of usable)), in tokens. */
const MAX_TAIL_TOKENS = 8_000;
const MIN_TAIL_TOKENS = 2_000;
const TAIL_SHARE = 0.25;

/** A tail of one unit would hold a tool result without what led to it. */
const MIN_TAIL_UNITS = 2;

/** How many tokens of the newest messages are kept verbatim. */
export function tailBudget(usable: number): number {
  return Math.min(MAX_TAIL_TOKENS, Math.max(MIN_TAIL_TOKENS, Math.floor(usable * TAIL_SHARE)));
}

export interface TailOptions {
  readonly meter: MessageMeter;
  /** Tokens to reach. */
  readonly budget: number;
  /** Units to keep at the least. @default 2 */
  readonly minUnits?: number;
  /** The tail never starts before this index (the end of the leading system messages). */
  readonly floor: number;
}

/**
 * The index at which the tail starts (T8): whole units are taken from the end until the budget is
 * reached and at least `minUnits` are kept. A unit is never split, so a call keeps its results.
 */
export function tailStart(messages: readonly Message[], options: TailOptions): number {
  const { meter, budget, floor, minUnits = MIN_TAIL_UNITS } = options;
  const units = splitUnits(messages);
  let held = 0;
  let kept = 0;
  let start = messages.length;
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined || unit.from < floor) break;
    if (held >= budget && kept >= minUnits) break;
    held += meter.total(messages.slice(unit.from, unit.to));
    kept++;
    start = unit.from;
  }
  return Math.max(start, Math.min(floor, messages.length));
}

/** The newest message that the person typed, or -1. */
export function newestUserMessage(messages: readonly Message[]): number {
  return messages.findLastIndex(startsTurn);
}

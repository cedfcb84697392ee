import { splitUnits, startsTurn } from "../message/structure.ts";
import type { Message } from "../message/index.ts";
import type { MessageMeter } from "../tokens/index.ts";

export interface TailOptions {
  readonly meter: MessageMeter;
  /** Tokens to reach. */
  readonly budget: number;
  /** Units to keep at the least. */
  readonly minUnits: number;
  /** The tail never starts before this index (the end of the leading system messages). */
  readonly floor: number;
}

/**
 * The index at which the tail starts (T8): whole units are taken from the end until the budget is
 * reached and at least `minUnits` are kept. A unit is never split, so a call keeps its results.
 */
export function tailStart(messages: readonly Message[], options: TailOptions): number {
  const { meter, budget, floor, minUnits } = options;
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

import { type Message, splitUnits, turnStarts } from "../message/index.ts";
import type { MessageMeter } from "../tokens/index.ts";

/** The last two user turns are never pruned. */
const PROTECTED_TURNS = 2;

/** The original's size of the protected newest steps, in tokens, where turns give no boundary. */
const DEFAULT_PROTECTED_TOKENS = 40_000;

/** Share of usable that the protected steps may take, so that small windows can be pruned too. */
const MAX_PROTECTED_SHARE = 0.4;

export interface BoundaryOptions {
  readonly meter: MessageMeter;
  /** In the meter's tokens. */
  readonly usable: number;
  /** @default 40000, at most 40 % of usable */
  readonly protectedTokens?: number;
}

/**
 * The index before which tool outputs may be pruned (T9): the start of the second-last user turn.
 * With fewer than two turns, or when what it protects would overflow by itself, the newest steps
 * that hold 40,000 tokens are protected instead, so that one long autonomous turn can be pruned.
 */
export function pruneBoundary(messages: readonly Message[], options: BoundaryOptions): number {
  const starts = turnStarts(messages);
  const byTurn = starts.at(-PROTECTED_TURNS);
  if (starts.length >= PROTECTED_TURNS && byTurn !== undefined) {
    if (options.meter.total(messages.slice(byTurn)) < options.usable) return byTurn;
  }
  const wanted = options.protectedTokens ?? DEFAULT_PROTECTED_TOKENS;
  const keep = Math.min(wanted, Math.floor(options.usable * MAX_PROTECTED_SHARE));
  return newestHolding(messages, keep, options.meter);
}

function newestHolding(messages: readonly Message[], keep: number, meter: MessageMeter): number {
  const units = splitUnits(messages);
  let held = 0;
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined) break;
    held += meter.total(messages.slice(unit.from, unit.to));
    if (held >= keep) return unit.from;
  }
  return 0;
}

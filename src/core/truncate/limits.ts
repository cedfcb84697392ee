import { ContextError } from "../error.ts";

/** How much of an output a context keeps. Both limits hold at the same time. */
export interface Limits {
  /** Lines, as `wc -l` and `sed` count them; a last line without a line end counts. */
  readonly maxLines: number;
  /** Bytes of UTF-8. */
  readonly maxBytes: number;
}

/** What stays of an output that is too large: its end, its start, or some of each. */
export type Direction = "tail" | "head" | "both";

/** The limits of T15: some 12,000 tokens of log, and the 2,000 lines that most read tools show. */
export const DEFAULT_LIMITS: Limits = { maxLines: 2_000, maxBytes: 50_000 };

/** The smallest limit on bytes: room for any one code point. */
const LEAST_BYTES = 4;

/** So much more is looked at, so that a cut never falls into an escape sequence seen by half. */
const SLACK = 4_096;

/**
 * How many bytes of an end a caller holds so that the preview is as full as it can be: twice the
 * limit, because colours and overwritten lines are taken out before anything is measured.
 */
export function windowBytes(limits: Limits = DEFAULT_LIMITS): number {
  return 2 * limits.maxBytes + SLACK;
}

/** Limits with the defaults filled in. Throws `invalid-options` for a limit that leaves nothing. */
export function completeLimits(limits: Partial<Limits> = {}): Limits {
  const { maxLines = DEFAULT_LIMITS.maxLines, maxBytes = DEFAULT_LIMITS.maxBytes } = limits;
  check("maxLines", maxLines, 1);
  check("maxBytes", maxBytes, LEAST_BYTES);
  return { maxLines, maxBytes };
}

const DIRECTIONS: ReadonlySet<unknown> = new Set<Direction>(["tail", "head", "both"]);

/** A direction that there is. Throws `invalid-options` for any other value. */
export function checkedDirection(direction: Direction): Direction {
  if (DIRECTIONS.has(direction)) return direction;
  throw new ContextError(
    "invalid-options",
    `The direction is ${direction}; it must be "tail", "head" or "both".`,
    { details: { direction } },
  );
}

function check(name: keyof Limits, value: number, least: number): void {
  if (Number.isSafeInteger(value) && value >= least) return;
  throw new ContextError(
    "invalid-options",
    `The limit ${name} is ${value}; it must be a whole number of at least ${least}.`,
    { details: { [name]: value } },
  );
}

/** A summary may take this share of the usable budget … */
const SHARE = 0.12;
/** … but never less than five sections need to say anything … */
const SMALLEST = 800;
/** … and never more than a reader of the next step can use. */
const LARGEST = 12_000;

/**
 * How many tokens a summary may have, from the usable budget in tokens: 12 % of it, at least 800
 * and at most 12,000.
 */
export function summaryCap(usable: number): number {
  return Math.min(LARGEST, Math.max(SMALLEST, Math.floor(usable * SHARE)));
}

import { LEAST_SUMMARY } from "../overflow/budget-options.ts";
import type { PlanOptions } from "./options.ts";
import type { SummaryPlan } from "./plan.ts";
import { addedSize, addedTo, countedLimit, excessOver, requestSize, roomOf } from "./size.ts";
import type { Message } from "../message/index.ts";
import type { MessageSize } from "../tokens/index.ts";

/** The most that a summary may have. */
export type SummaryRoom = Omit<SummaryPlan, "role">;

/** The least of it. */
export const LEAST_ROOM: SummaryRoom = { cap: LEAST_SUMMARY };

/** The most of a limit on bytes that a summary may take. */
const BYTES_SHARE = 0.25;
/** So many tokens of any text: JSON writes some characters as six bytes. */
const LEAST_BYTES = 8 * LEAST_SUMMARY;

/** A share of the budget's room. */
export function summaryRoom(share: number, { budget, requestLimits }: PlanOptions): SummaryRoom {
  const cap = Math.max(LEAST_SUMMARY, Math.floor(budget.summary * share));
  const maxBytes = Math.floor((requestLimits?.maxBytes ?? 0) * BYTES_SHARE * share);
  return { cap, ...(maxBytes > 0 && { maxBytes }) };
}

/** The room for a summary and what is added with it. */
export function reserveOf({ cap, maxBytes = 0 }: SummaryRoom, options: PlanOptions): MessageSize {
  return addedTo(addedSize(options), { tokens: cap, bytes: maxBytes, images: 0 });
}

/** The room that the kept messages leave, up to the wanted; `undefined` where it is too little. */
export function roomBeside(
  kept: readonly Message[],
  { cap, maxBytes }: SummaryRoom,
  options: PlanOptions,
): SummaryRoom | undefined {
  const size = addedTo(requestSize(kept, options), addedSize(options));
  const left = excessOver(roomOf(countedLimit(options) - 1, options), size);
  const tokens = Math.min(cap, Math.floor(left.tokens));
  if (tokens < LEAST_SUMMARY || left.images < 0) return undefined;
  if (left.bytes < Math.min(maxBytes ?? 0, LEAST_BYTES)) return undefined;
  return {
    cap: tokens,
    ...(maxBytes !== undefined && { maxBytes: Math.min(maxBytes, left.bytes) }),
  };
}

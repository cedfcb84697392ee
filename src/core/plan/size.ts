import { ESTIMATE_MARGIN, estimateLimit, isOverflow } from "../overflow/budget.ts";
import { isEstimator } from "../tokens/count.ts";
import type { PlanOptions } from "./options.ts";
import type { Message } from "../message/index.ts";
import type { MessageSize } from "../tokens/index.ts";

/**
 * The size of a whole request: its messages and what stands beside them. `usedTokens` are those
 * of all of it, where they are known better.
 */
export function requestSize(
  messages: readonly Message[],
  options: PlanOptions,
  usedTokens?: number,
): MessageSize {
  const { requestLimits, meter, fixedTokens = 0 } = options;
  if (requestLimits?.maxBytes === undefined && requestLimits?.maxImages === undefined) {
    const tokens = usedTokens ?? fixedTokens + meter.total(messages);
    return { tokens, bytes: 0, images: 0 };
  }
  const size = meter.totalSize(messages);
  return { ...size, tokens: usedTokens ?? size.tokens + fixedTokens };
}

/** The tokens at which a request overflows whose size was counted and not reported. */
export function countedLimit({ budget, counter, margin }: PlanOptions): number {
  return estimateLimit(budget.usable, margin ?? (isEstimator(counter) ? ESTIMATE_MARGIN : 0));
}

/** T7 over all three limits of a request. */
export function isOver(size: MessageSize, options: PlanOptions): boolean {
  const { budget, requestLimits, usedTokens } = options;
  const usable = usedTokens === undefined ? countedLimit(options) : budget.usable;
  return (
    isOverflow(size.tokens, { usable }) ||
    size.bytes > (requestLimits?.maxBytes ?? Infinity) ||
    size.images > (requestLimits?.maxImages ?? Infinity)
  );
}

/** Whether a request fits into so many tokens, and under the other limits. */
export function fitsInto(
  tokens: number,
  size: MessageSize,
  { requestLimits }: PlanOptions,
): boolean {
  return (
    size.tokens <= tokens &&
    size.bytes <= (requestLimits?.maxBytes ?? Infinity) &&
    size.images <= (requestLimits?.maxImages ?? Infinity)
  );
}

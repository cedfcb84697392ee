import type { Message } from "../message/index.ts";
import { ESTIMATE_MARGIN, estimateLimit, isOverflow } from "../overflow/index.ts";
import { isEstimator, type MessageSize } from "../tokens/index.ts";
import type { PlanOptions } from "./options.ts";

/**
 * The size of a whole request: its messages and what stands beside them. `counted` are the tokens of
 * the messages, where they are known already.
 */
export function requestSize(
  messages: readonly Message[],
  options: PlanOptions,
  counted?: number,
): MessageSize {
  const { requestLimits, meter, fixedTokens = 0 } = options;
  if (requestLimits?.maxBytes === undefined && requestLimits?.maxImages === undefined) {
    return { tokens: fixedTokens + (counted ?? meter.total(messages)), bytes: 0, images: 0 };
  }
  const size = meter.totalSize(messages);
  return { ...size, tokens: size.tokens + fixedTokens };
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

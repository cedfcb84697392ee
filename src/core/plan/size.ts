import type { Message } from "../message/index.ts";
import { isOverflow } from "../overflow/index.ts";
import type { MessageSize } from "../tokens/index.ts";
import type { PlanOptions } from "./options.ts";

/** The size of a whole request: its messages and what stands beside them. */
export function requestSize(messages: readonly Message[], options: PlanOptions): MessageSize {
  const { limits, meter, fixedTokens = 0 } = options;
  if (limits?.maxBytes === undefined && limits?.maxImages === undefined) {
    return { tokens: fixedTokens + meter.total(messages), bytes: 0, images: 0 };
  }
  const size = meter.totalSize(messages);
  return { ...size, tokens: size.tokens + fixedTokens };
}

/** T7 over all three limits of a request. */
export function isOver(size: MessageSize, { budget, limits }: PlanOptions): boolean {
  return (
    isOverflow(size.tokens, budget) ||
    size.bytes > (limits?.maxBytes ?? Infinity) ||
    size.images > (limits?.maxImages ?? Infinity)
  );
}

/** Whether a request fits into so many tokens, and under the other limits. */
export function fitsInto(tokens: number, size: MessageSize, { limits }: PlanOptions): boolean {
  return (
    size.tokens <= tokens &&
    size.bytes <= (limits?.maxBytes ?? Infinity) &&
    size.images <= (limits?.maxImages ?? Infinity)
  );
}

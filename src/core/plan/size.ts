import { CONTINUE_TEXT } from "../continuation/continuation.ts";
import { frameSummary, QUOTED } from "../summary/frame.ts";
import { ESTIMATE_MARGIN, estimateLimit, isOverflow, wholeTokens } from "../overflow/budget.ts";
import { isEstimator } from "../tokens/count.ts";
import type { PlanOptions } from "./options.ts";
import type { Message } from "../message/index.ts";
import type { MessageSize } from "../tokens/index.ts";

/**
 * The tokens of a whole request: its messages and what stands beside them. The one place where they
 * are counted, so that a plan, the record of it and its report never say more or less than each other.
 */
export function requestTokens(
  messages: readonly Message[],
  { meter, fixedTokens = 0 }: Pick<PlanOptions, "meter" | "fixedTokens">,
): number {
  return wholeTokens(fixedTokens + meter.total(messages));
}

/**
 * The size of a whole request. `usedTokens` are those of all of it, where they are known better. Bytes
 * and images are only counted where there is a limit.
 */
export function requestSize(
  messages: readonly Message[],
  options: PlanOptions,
  usedTokens?: number,
): MessageSize {
  return sizeOf(messages, usedTokens ?? requestTokens(messages, options), options);
}

function sizeOf(
  messages: readonly Message[],
  tokens: number,
  { requestLimits, meter }: PlanOptions,
): MessageSize {
  const { maxBytes, maxImages } = requestLimits ?? {};
  if (maxBytes === undefined && maxImages === undefined) return { tokens, bytes: 0, images: 0 };
  return { ...meter.totalSize(messages), tokens };
}

/** The additions of a compaction beside the text of its summary: the longest frame, and a continuation. */
const ADDED: readonly Message[] = [
  frameSummary("", { headHandle: `head_${"0".repeat(16)}`, headMessages: 99_999, note: QUOTED }),
  CONTINUE_TEXT,
].map((text) => ({ role: "user", parts: [{ type: "text", text }] }));

/** Their size, as the provider counts it. */
export function addedSize(options: PlanOptions): MessageSize {
  return sizeOf(ADDED, options.meter.total(ADDED), options);
}

/** The tokens at which a request overflows whose size was counted and not reported. */
export function countedLimit({ budget, counter, margin }: PlanOptions): number {
  return estimateLimit(budget.usable, margin ?? (isEstimator(counter) ? ESTIMATE_MARGIN : 0));
}

/** The most that a request may hold: so many tokens, and a share of the other limits. */
export function roomOf(tokens: number, { requestLimits }: PlanOptions, share = 1): MessageSize {
  return {
    tokens,
    bytes: (requestLimits?.maxBytes ?? Infinity) * share,
    images: Math.ceil((requestLimits?.maxImages ?? Infinity) * share),
  };
}

/** By how much a size is above a room; at most 0 where it is not. */
export function excessOver(size: MessageSize, room: MessageSize): MessageSize {
  return {
    tokens: size.tokens - room.tokens,
    bytes: size.bytes - room.bytes,
    images: size.images - room.images,
  };
}

export function addedTo(size: MessageSize, { tokens, bytes, images }: MessageSize): MessageSize {
  return {
    tokens: size.tokens + tokens,
    bytes: size.bytes + bytes,
    images: size.images + images,
  };
}

export function fitsInto(size: MessageSize, room: MessageSize): boolean {
  return size.tokens <= room.tokens && size.bytes <= room.bytes && size.images <= room.images;
}

/** T7 over all three limits of a request. */
export function isOver(size: MessageSize, options: PlanOptions): boolean {
  const { budget, usedTokens } = options;
  const usable = usedTokens === undefined ? countedLimit(options) : budget.usable;
  return (
    isOverflow(size.tokens, { usable }) || !fitsInto({ ...size, tokens: 0 }, roomOf(0, options))
  );
}

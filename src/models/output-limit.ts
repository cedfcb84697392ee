/** Beside the summary: a model's thinking counts as output too. */
const THINKING = 8_000;
/** The least that models of the last years write in one answer. */
const USUAL_MAX_OUTPUT = 16_000;
/** Our tokens are not the provider's: a summary that is a little too long is cut by us, not by it. */
const HEADROOM = 1.25;
/** How far the estimate of a whole request may be off. */
const ESTIMATE_MARGIN = 1.05;

export interface OutputRoom {
  /** The most tokens that the summary may have. */
  readonly cap: number;
  /** What the caller set. */
  readonly maxTokens?: number;
  /** The model's window. */
  readonly window: number;
  /** An estimate of the request. */
  readonly inputTokens: number;
}

/** How many tokens to allow for an answer: the summary, and thinking as far as there is room. */
export function outputLimit({ cap, maxTokens, window, inputTokens }: OutputRoom): number {
  if (maxTokens !== undefined) return maxTokens;
  const wanted = Math.min(2 * cap + THINKING, Math.max(USUAL_MAX_OUTPUT, HEADROOM * cap));
  const room = window - inputTokens * ESTIMATE_MARGIN;
  return Math.max(cap, Math.floor(Math.min(wanted, room)));
}

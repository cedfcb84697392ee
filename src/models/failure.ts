import { clipLine } from "../core/text/index.ts";
import { ContextError, isContextError } from "../core/error.ts";
import type { SummaryUsage } from "./summarizer.ts";

/** `details` of a {@link ContextError} with the code `summarizer-failed`. */
export interface SummarizerFailure {
  /** Name of the summarizer. */
  readonly summarizer: string;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** How long the provider asks to wait, in ms. */
  readonly retryAfterMs?: number;
  /** What the provider had counted before its answer broke off. */
  readonly usage?: SummaryUsage;
}

/** How much of a provider's own words goes into a message. */
const MAX_WORDS = 400;

/** `problem` goes on after the summarizer's name, e.g. "did not answer: …". */
export function summarizerFailed(problem: string, details: SummarizerFailure): ContextError {
  // What others threw is no `cause`: it may hold the request with its key.
  return new ContextError("summarizer-failed", `${details.summarizer} ${problem}`, {
    details: { ...details },
  });
}

/** An answer that ended before it was whole. */
export function brokenOff(summarizer: string): ContextError {
  return summarizerFailed("broke off before its answer was complete.", { summarizer });
}

/** What ended an answer, with what the provider had counted of it by then. */
export function withUsage(error: unknown, usage: SummaryUsage | undefined): unknown {
  if (usage === undefined || !isContextError(error)) return error;
  const { code, message, details } = error;
  return new ContextError(code, message, { details: { ...details, usage } });
}

/** Foreign words as part of a sentence. */
export function quoted(words: string): string {
  return clipLine(words.trim().replace(/[.\s]+$/, ""), MAX_WORDS);
}

/** What the headers say about when to ask again, in ms; `undefined` when they say nothing. */
export function retryAfterMs(headers: Pick<Headers, "get">, now: number): number | undefined {
  const exact = headers.get("retry-after-ms");
  if (exact !== null && isNumber(exact)) return Number(exact);
  const value = headers.get("retry-after");
  if (value === null) return undefined;
  if (isNumber(value)) return Math.round(Number(value) * 1_000);
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(0, at - now);
}

function isNumber(text: string): boolean {
  return /^\s*\d+(?:\.\d+)?\s*$/.test(text);
}

import { ContextError } from "../../core/error.ts";
import { clipLine } from "../../core/tools/index.ts";

/** `details` of a {@link ContextError} with the code `summarizer-failed`. */
export interface SummarizerFailure {
  /** Name of the summarizer. */
  readonly summarizer: string;
  /** HTTP status, if there was an answer. */
  readonly status?: number;
  /** How long the provider asks to wait, in ms. */
  readonly retryAfterMs?: number;
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

/** Foreign words as part of a sentence. */
export function quoted(words: string): string {
  return clipLine(words.trim().replace(/[.\s]+$/, ""), MAX_WORDS);
}

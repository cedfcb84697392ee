import { ContextError } from "../error.ts";
import type { Message } from "../message/index.ts";
import { shapeProblem } from "../message/shape.ts";
import { messageTokens } from "./count.ts";
import { estimator } from "./estimator.ts";

/**
 * Estimates the tokens of a text, with the o200k vocabulary as the measure: an integer, at least 1
 * for any text and 0 for "". On text of the usual kinds (prose in two dozen languages, code, tool
 * output, JSON, base64) the mean error is 1 to 5 % and the bias about 1 %; on whole conversations
 * the error is within 3 %, rarely up to 5. `bench/tokens/accuracy.ts` and `recordings.ts` print it. Linear time, over 200 MB/s, on every input.
 *
 * A message, or a list of them, counts with the framing around it. Throws `ContextError` code
 * `invalid-options` for anything else, e.g. a message in a provider's form.
 */
export function estimateTokens(value: string | Message | readonly Message[]): number {
  if (typeof value === "string") return estimator.count(value);
  const messages: readonly unknown[] = Array.isArray(value) ? value : [value];
  return messages.reduce<number>((total, message) => {
    const problem = shapeProblem(message);
    if (problem !== undefined) throw uncountable(problem);
    return total + messageTokens(message as Message, estimator);
  }, 0);
}

function uncountable(problem: string): ContextError {
  return new ContextError(
    "invalid-options",
    `estimateTokens counts a text, or neutral messages, and what it was given ${problem}. Decode a provider's message first, e.g. with openaiChat.decode(messages) of longhaul/dialects.`,
  );
}

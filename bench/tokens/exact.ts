import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { guardedCounter, type TokenCounter } from "../../src/core/tokens/count.ts";

/** Exact tokens of o200k, the vocabulary that the estimator is fitted to. */

const disallowedSpecial = new Set<string>();

export const exact = guardedCounter("o200k_base", (text) =>
  countTokens(text, { disallowedSpecial }),
);

/** A counter for recordings: they share many texts, so each is counted once. */
export function remembering(counter: TokenCounter): TokenCounter {
  const known = new Map<string, number>();
  const count = (text: string): number => {
    const tokens = known.get(text) ?? counter.count(text);
    known.set(text, tokens);
    return tokens;
  };
  return { name: counter.name, count };
}

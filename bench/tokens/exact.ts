/** Exact tokens of o200k, the vocabulary that the estimator is fitted to. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { guardedCounter } from "../../src/core/tokens/exact.ts";

const disallowedSpecial = new Set<string>();

export const exact = guardedCounter("o200k_base", (text) =>
  countTokens(text, { disallowedSpecial }),
);

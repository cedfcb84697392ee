import type { TokenCounter } from "./count.ts";

/**
 * The longest run without a boundary that a tokenizer is given at once. Merging is quadratic in the
 * length of a run in every common JS tokenizer (1 MB of one letter takes minutes); slices of 1,024
 * units keep it linear and change the count by at most 0.04 %.
 */
const MAX_RUN = 1_024;

/** Longer texts are handed over in chunks of about this many units, cut where it changes nothing. */
const MAX_CHUNK = 65_536;

/**
 * Makes a counter from an exact tokenizer that the caller brings along, safe on every input. `encode`
 * gives the number of tokens of a text; it must not throw on the names of special tokens.
 *
 * ```ts
 * import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
 *
 * const disallowedSpecial = new Set<string>(); // else a text with "<|endoftext|>" throws
 * const counter = guardedCounter("o200k_base", (text) => countTokens(text, { disallowedSpecial }));
 * ```
 */
export function guardedCounter(name: string, encode: (text: string) => number): TokenCounter {
  return { name, count: (text) => countInSlices(text, encode) };
}

function countInSlices(text: string, encode: (text: string) => number): number {
  if (text.length <= MAX_RUN) return text === "" ? 0 : encode(text);
  let tokens = 0;
  let start = 0;
  let boundary = 0;
  for (let i = 1; i < text.length; i++) {
    const safe = isBoundary(text.charCodeAt(i - 1), text.charCodeAt(i));
    if (safe) boundary = i;
    const due = safe ? i - start >= MAX_CHUNK : i - boundary >= MAX_RUN;
    if (!due) continue;
    const end = splitsPair(text, i) ? i - 1 : i;
    tokens += encode(text.slice(start, end));
    start = end;
    boundary = end;
  }
  return tokens + encode(text.slice(start));
}

/**
 * Whether the pre-tokenizers of o200k and cl100k always part two units here, so that a cut changes
 * no count: after an ASCII letter or digit, before any other ASCII character. The apostrophe is not
 * one, since `don't` is one piece.
 */
function isBoundary(left: number, right: number): boolean {
  return isAlphanumeric(left) && right < 0x80 && right !== 0x27 && !isAlphanumeric(right);
}

function isAlphanumeric(unit: number): boolean {
  const letter = unit | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (unit >= 0x30 && unit <= 0x39);
}

function splitsPair(text: string, at: number): boolean {
  return (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00;
}

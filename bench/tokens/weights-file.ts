/** Writes `src/core/tokens/weights.ts`; `weight-codec.ts` there reads what is encoded here. */
import { writeFileSync } from "node:fs";
import { DIGITS, RATE_STEPS, WEIGHT_OFFSET, ZEROS } from "../../src/core/tokens/weight-codec.ts";
import type { RateRange } from "../../src/core/tokens/weight-codec.ts";

export interface Weights {
  readonly hanSingle: string;
  readonly hanJoined: string;
  readonly marks: readonly (readonly number[])[];
  readonly trails: readonly (readonly number[])[];
  readonly rates: readonly RateRange[];
  readonly position: string;
  readonly pair: string;
  readonly run: string;
}

const path = new URL("../../src/core/tokens/weights.ts", import.meta.url);

export function writeWeights(weights: Weights): void {
  const rates = weights.rates.map(
    ({ first, rates }) => `  { first: ${first}, rates: "${rates}" },\n`,
  );
  const text = `/** The estimator's weights, written by \`bench/tokens/train.ts\`: change that, not this. */
import type { RateRange } from "./weight-codec.ts";

/** Han characters that are one token each. */
export const HAN_SINGLE: string =
  "${weights.hanSingle}";

/** Han characters that are mostly part of a longer token. */
export const HAN_JOINED: string =
  "${weights.hanJoined}";

/** Marks beyond ASCII: for each class, first and last of the ranges of units in it. */
export const MARK_RANGES: readonly (readonly number[])[] = [
${rows(weights.marks)}];

/** Trailing surrogates in the same form. */
export const TRAIL_RANGES: readonly (readonly number[])[] = [
${rows(weights.trails)}];

/** Tokens for each unit of an endless run of one unit. */
export const RUN_RATES: readonly RateRange[] = [
${rates.join("")}];

/** By state and group. */
export const POSITION_WEIGHTS: string =
  "${weights.position}";

/** By class and the class before. */
export const PAIR_WEIGHTS: string =
  "${weights.pair}";

/** By class of a long run: for each size of its remainder, then for each unit. */
export const RUN_WEIGHTS: string =
  "${weights.run}";
`;
  writeFileSync(path, text);
}

function rows(classes: readonly (readonly number[])[]): string {
  return classes.map((ranges) => `  [${ranges.join(", ")}],\n`).join("");
}

export function encodeWeights(weights: ArrayLike<number>): string {
  let text = "";
  for (let i = 0; i < weights.length; i++) {
    let zeros = 0;
    while (zeros < 64 && weights[i + zeros] === 0) zeros += 1;
    if (zeros > 0) {
      text += ZEROS + DIGITS.charAt(zeros - 1);
      i += zeros - 1;
    } else {
      const value = Math.min(4_095, Math.max(0, weights[i]! + WEIGHT_OFFSET));
      text += DIGITS.charAt(value >> 6) + DIGITS.charAt(value & 63);
    }
  }
  return text;
}

export function encodeRates(first: number, rates: readonly number[]): RateRange {
  const steps = rates.map((rate) => Math.round(RATE_STEPS * (1 - Math.log2(rate))));
  const digits = steps.map((step) => DIGITS.charAt(Math.min(63, Math.max(0, step))));
  return { first, rates: digits.join("") };
}

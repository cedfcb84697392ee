/** Writes `src/core/tokens/weights.ts`; `weight-codec.ts` there reads what is encoded here. */
import { writeFileSync } from "node:fs";
import { DIGITS, RATE_STEPS, WEIGHT_OFFSET, ZEROS } from "../../src/core/tokens/weight-codec.ts";
import type { RateRange, Weights } from "../../src/core/tokens/weight-codec.ts";

const path = new URL("../../src/core/tokens/weights.ts", import.meta.url);

export function writeWeights(weights: Weights): void {
  const rates = weights.rates.map(
    ({ first, rates }) => `    { first: ${first}, rates: "${rates}" },\n`,
  );
  const text = `/** The estimator's weights, written by \`bench/tokens/train.ts\`: change that, not this. */
import type { Weights } from "./weight-codec.ts";

export const WEIGHTS: Weights = {
  hanSingle:
    "${weights.hanSingle}",
  hanJoined:
    "${weights.hanJoined}",
  marks: [
${rows(weights.marks)}  ],
  trails: [
${rows(weights.trails)}  ],
  rates: [
${rates.join("")}  ],
  position:
    "${weights.position}",
  pair:
    "${weights.pair}",
  run:
    "${weights.run}",
};
`;
  writeFileSync(path, text);
}

function rows(classes: readonly (readonly number[])[]): string {
  return classes.map((ranges) => `    [${ranges.join(", ")}],\n`).join("");
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

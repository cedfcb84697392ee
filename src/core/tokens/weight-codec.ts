/** How the numbers in `weights.ts` are written: as text, so that they stay small and diffable. */

/** Weights are whole numbers of this part of a token. */
export const WEIGHT_SCALE = 256;

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const ZEROS = "~";
const HALF = 2_048;

/** Each weight is two characters (12 bits); `~` and a character stand for 1 to 64 zeros. */
export function encodeWeights(weights: ArrayLike<number>): string {
  let text = "";
  for (let i = 0; i < weights.length; i++) {
    let zeros = 0;
    while (zeros < 64 && i + zeros < weights.length && weights[i + zeros] === 0) zeros += 1;
    if (zeros > 0) {
      text += ZEROS + ALPHABET[zeros - 1]!;
      i += zeros - 1;
    } else {
      const value = Math.min(HALF - 1, Math.max(-HALF, weights[i]!)) + HALF;
      text += ALPHABET[value >> 6]! + ALPHABET[value & 63]!;
    }
  }
  return text;
}

/** The inverse of {@link encodeWeights}. */
export function decodeWeights(text: string): Int16Array {
  const weights: number[] = [];
  for (let i = 0; i < text.length; i += 2) {
    const low = ALPHABET.indexOf(text[i + 1]!);
    if (text[i] === ZEROS) weights.push(...new Array<number>(low + 1).fill(0));
    else weights.push(ALPHABET.indexOf(text[i]!) * 64 + low - HALF);
  }
  return Int16Array.from(weights);
}

/** Rates of consecutive units, from `first` on: tokens for each unit of an endless run. */
export interface RateRange {
  readonly first: number;
  /** One character for each unit. */
  readonly rates: string;
}

/** Rates lie between 2 and 1/128 tokens a unit: steps of a fifth of a power of two. */
export function encodeRates(first: number, rates: readonly number[]): RateRange {
  const steps = rates.map((rate) =>
    Math.round(Math.min(63, Math.max(0, 5 * (1 - Math.log2(rate))))),
  );
  return { first, rates: steps.map((step) => ALPHABET[step]!).join("") };
}

/** The inverse of {@link encodeRates}, for all ranges together, as weights. */
export function decodeRates(ranges: readonly RateRange[]): ReadonlyMap<number, number> {
  const all = new Map<number, number>();
  for (const { first, rates } of ranges) {
    for (let i = 0; i < rates.length; i++) {
      const rate = 2 ** (1 - ALPHABET.indexOf(rates[i]!) / 5);
      all.set(first + i, Math.round(rate * WEIGHT_SCALE));
    }
  }
  return all;
}

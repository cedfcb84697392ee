/** The numbers in `weights.ts` are written as text, so that they stay small. */

/** Weights are whole numbers of this part of a token. */
export const WEIGHT_SCALE = 256;

/** The digits, by value. */
export const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
/** Stands before a digit that counts zeros. */
export const ZEROS = "~";
/** Added to a weight so that it is never negative. */
export const WEIGHT_OFFSET = 2_048;
/** Steps of a rate for one power of two. */
export const RATE_STEPS = 5;

/** All that training finds. */
export interface Weights {
  /** Han characters that are one token each. */
  readonly hanSingle: string;
  /** Han characters that are mostly part of a longer token. */
  readonly hanJoined: string;
  /** Marks beyond ASCII: for each class, first and last of the ranges of units in it. */
  readonly marks: readonly (readonly number[])[];
  /** Trailing surrogates in the same form. */
  readonly trails: readonly (readonly number[])[];
  /** Tokens for each unit of an endless run of one unit. */
  readonly rates: readonly RateRange[];
  /** By state and group; see {@link decodeWeights}, as for the next two. */
  readonly position: string;
  /** By class and the class before. */
  readonly pair: string;
  /** By class of a long run: for each size of its remainder, then for each unit. */
  readonly run: string;
}

/** Each weight is two digits; `~` and a digit stand for 1 to 64 zeros. */
export function decodeWeights(text: string): Int16Array {
  const values = digitValues();
  const weights: number[] = [];
  for (let i = 0; i < text.length; i += 2) {
    const low = values[text.charCodeAt(i + 1)] ?? 0;
    if (text.charAt(i) === ZEROS) for (let n = 0; n <= low; n++) weights.push(0);
    else weights.push((values[text.charCodeAt(i)] ?? 0) * 64 + low - WEIGHT_OFFSET);
  }
  return Int16Array.from(weights);
}

/** Rates of consecutive units, from `first` on: tokens for each unit of an endless run. */
export interface RateRange {
  readonly first: number;
  /** One digit for each unit: 2 tokens a unit, halved once for every five. */
  readonly rates: string;
}

/** The rates of all ranges, as weights by unit. */
export function decodeRates(ranges: readonly RateRange[]): ReadonlyMap<number, number> {
  const values = digitValues();
  const all = new Map<number, number>();
  for (const { first, rates } of ranges) {
    for (let i = 0; i < rates.length; i++) {
      const rate = 2 ** (1 - (values[rates.charCodeAt(i)] ?? 0) / RATE_STEPS);
      all.set(first + i, Math.round(rate * WEIGHT_SCALE));
    }
  }
  return all;
}

/** The value of each digit, by its character code. */
function digitValues(): Uint8Array {
  const values = new Uint8Array(128);
  for (let i = 0; i < DIGITS.length; i++) values[DIGITS.charCodeAt(i)] = i;
  return values;
}

/** A sample as the numbers that the weights are multiplied with: the estimator's walk, written down. */
import { CLASS_COUNT, CLASS_OF, GROUP_COUNT, GROUP_OF } from "../../src/core/tokens/classes.ts";
import {
  FIRST_CLASS,
  nextLongRun,
  runEnd,
  RUN_ROW,
  runSize,
} from "../../src/core/tokens/estimate.ts";
import { NEXT_STATE, ROW, STATE_AFTER_RUN, STATE_COUNT } from "../../src/core/tokens/states.ts";
import { decodeRates, WEIGHT_SCALE } from "../../src/core/tokens/weight-codec.ts";
import { RUN_RATES } from "../../src/core/tokens/weights.ts";
import type { Sample } from "./corpus.ts";
import type { Row } from "./fit.ts";

const PAIRS_FROM = STATE_COUNT * GROUP_COUNT;
const RUNS_FROM = PAIRS_FROM + CLASS_COUNT * CLASS_COUNT;
const SIZE = RUNS_FROM + CLASS_COUNT * RUN_ROW;

export interface Features {
  readonly size: number;
  row(sample: Sample): Row;
  /** The parts of a weight vector, as the estimator stores them. */
  split(weights: Float64Array): { position: Float64Array; pair: Float64Array; run: Float64Array };
}

export function createFeatures(): Features {
  const counts = new Float64Array(SIZE);
  const rates = decodeRates(RUN_RATES);
  return {
    size: SIZE,
    row: (sample) => rowOf(sample, counts, rates),
    split: (weights) => ({
      position: weights.slice(0, PAIRS_FROM),
      pair: weights.slice(PAIRS_FROM, RUNS_FROM),
      run: weights.slice(RUNS_FROM),
    }),
  };
}

function rowOf(sample: Sample, counts: Float64Array, rates: ReadonlyMap<number, number>): Row {
  const touched: number[] = [];
  const add = (feature: number, amount: number): void => {
    if (counts[feature] === 0) touched.push(feature);
    counts[feature]! += amount;
  };
  const known = walk(sample.text, rates, add);
  const features = Int32Array.from(touched);
  // Everything is divided by the true count, so that errors are relative.
  const values = Float32Array.from(touched, (feature) => counts[feature]! / sample.tokens);
  for (const feature of touched) counts[feature] = 0;
  return { features, values, target: 1 - known / sample.tokens };
}

/** Gives the features of a text to `add`; returns the tokens that need no weight. */
function walk(
  text: string,
  rates: ReadonlyMap<number, number>,
  add: (feature: number, amount: number) => void,
): number {
  let known = 0;
  let before = FIRST_CLASS;
  for (let i = 0; i < text.length;) {
    let state = STATE_AFTER_RUN[before]!;
    for (const stop = nextLongRun(text, i); i < stop; i++) {
      const unitClass = CLASS_OF[text.charCodeAt(i)]!;
      add((state / ROW) * GROUP_COUNT + GROUP_OF[unitClass]!, 1);
      add(PAIRS_FROM + before * CLASS_COUNT + unitClass, 1);
      state = NEXT_STATE[state + unitClass]!;
      before = unitClass;
    }
    if (i === text.length) break;
    const length = runEnd(text, i) - i;
    before = CLASS_OF[text.charCodeAt(i)]!;
    const row = RUNS_FROM + before * RUN_ROW;
    const rate = rates.get(text.charCodeAt(i));
    add(row + runSize(length), 1);
    if (rate === undefined) add(row + RUN_ROW - 1, length);
    else known += (rate * length) / WEIGHT_SCALE;
    i += length;
  }
  return known;
}

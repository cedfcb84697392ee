/** A sample as the numbers that the weights are multiplied with: the estimator's walk, written down. */
import {
  FIRST_CLASS,
  nextLongRun,
  runEnd,
  RUN_ROW,
  runSize,
} from "../../src/core/tokens/estimator.ts";
import {
  characterClasses,
  GROUP_COUNT,
  ROW,
  runStates,
} from "../../src/core/tokens/scan-tables.ts";
import type { Classes, States } from "../../src/core/tokens/scan-tables.ts";
import { decodeRates, WEIGHT_SCALE, type Weights } from "../../src/core/tokens/weight-codec.ts";
import type { Sample } from "./corpus.ts";
import type { Row } from "./fit.ts";

export interface Features {
  readonly size: number;
  row(sample: Sample): Row;
  /** The parts of a weight vector, as the estimator stores them. */
  split(weights: Float64Array): { position: Float64Array; pair: Float64Array; run: Float64Array };
}

/** The features by the classes of `weights`; their position, pair and run weights play no part. */
export function createFeatures(weights: Weights): Features {
  const classes = characterClasses(weights);
  const states = runStates(classes);
  const pairsFrom = states.count * GROUP_COUNT;
  const runsFrom = pairsFrom + classes.count * classes.count;
  const size = runsFrom + classes.count * RUN_ROW;
  const counts = new Float64Array(size);
  const tables = { ...classes, ...states, pairsFrom, runsFrom, rates: decodeRates(weights.rates) };
  return {
    size,
    row: (sample) => rowOf(sample, counts, { ...tables, count: classes.count }),
    split: (fitted) => ({
      position: fitted.slice(0, pairsFrom),
      pair: fitted.slice(pairsFrom, runsFrom),
      run: fitted.slice(runsFrom),
    }),
  };
}

interface Tables extends Classes, Pick<States, "next" | "afterRun"> {
  readonly pairsFrom: number;
  readonly runsFrom: number;
  readonly rates: ReadonlyMap<number, number>;
}

function rowOf(sample: Sample, counts: Float64Array, tables: Tables): Row {
  const touched: number[] = [];
  const add = (feature: number, amount: number): void => {
    if (counts[feature] === 0) touched.push(feature);
    counts[feature]! += amount;
  };
  const known = walk(sample.text, tables, add);
  const features = Int32Array.from(touched);
  // Everything is divided by the true count, so that errors are relative.
  const values = Float32Array.from(touched, (feature) => counts[feature]! / sample.tokens);
  for (const feature of touched) counts[feature] = 0;
  return { features, values, target: 1 - known / sample.tokens };
}

/** Gives the features of a text to `add`; returns the tokens that need no weight. */
function walk(
  text: string,
  { classOf, groupOf, count, next, afterRun, pairsFrom, runsFrom, rates }: Tables,
  add: (feature: number, amount: number) => void,
): number {
  let known = 0;
  let before = FIRST_CLASS;
  for (let i = 0; i < text.length;) {
    let state = afterRun[before]!;
    for (const stop = nextLongRun(text, i); i < stop; i++) {
      const unitClass = classOf[text.charCodeAt(i)]!;
      add((state / ROW) * GROUP_COUNT + groupOf[unitClass]!, 1);
      add(pairsFrom + before * count + unitClass, 1);
      state = next[state + unitClass]!;
      before = unitClass;
    }
    if (i === text.length) break;
    const length = runEnd(text, i) - i;
    before = classOf[text.charCodeAt(i)]!;
    const row = runsFrom + before * RUN_ROW;
    const rate = rates.get(text.charCodeAt(i));
    add(row + runSize(length), 1);
    if (rate === undefined) add(row + RUN_ROW - 1, length);
    else known += (rate * length) / WEIGHT_SCALE;
    i += length;
  }
  return known;
}

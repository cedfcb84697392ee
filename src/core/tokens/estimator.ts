/**
 * The estimator: one pass that adds a weight for each unit, by what it is (its class), what stands
 * before it, and how far it is into its run. The weights were fitted to exact o200k counts of some
 * sixty kinds of text (`bench/tokens/train.ts`), so a language or a format needs no detection.
 *
 * The room's index leaves this file out: it carries the weights, which are loaded when needed.
 */
import { ESTIMATOR_NAME, type TokenCounter } from "./count.ts";
import { characterClasses, GROUP_COUNT, ROW, ROW_BITS, runStates } from "./scan-tables.ts";
import type { Classes, States } from "./scan-tables.ts";
import { decodeRates, decodeWeights, WEIGHT_SCALE, type Weights } from "./weight-codec.ts";
import { WEIGHTS } from "./weights.ts";

/**
 * From this many equal units in a row on, a run is counted by its length: `=====…` is one token for
 * 64 units, which no weight per unit can know.
 */
const LONG_RUN = 6;
const STRIDE = LONG_RUN / 2;

/** Lengths up to which the remainder of a long run is of one size; beyond the last one is another. */
const RUN_SIZES: readonly number[] = [8, 24, 56, 120];

/** Entries of `RUN_WEIGHTS` per class: one for each size, and the weight of each unit. */
export const RUN_ROW: number = RUN_SIZES.length + 2;

/** The class before the first unit: a text starts as if after blank lines. */
export const FIRST_CLASS = 1;

/** No text but a long run costs less a unit, whatever its weights add up to. */
const LEAST = WEIGHT_SCALE / 8;

const STATE_BITS = 16;
const STATE_MASK = 0xffff;
/** Everything the scan looks up. */
interface Tables {
  readonly classOf: Readonly<Uint8Array>;
  readonly afterRun: Readonly<Uint16Array>;
  /** For each state and class the weight, and below it the state that follows: one look-up, not two. */
  readonly steps: Readonly<Int32Array>;
  /** Weight of a class after another class: entry `before × ROW + class`. */
  readonly pairs: Readonly<Int16Array>;
  readonly runs: Readonly<Int16Array>;
  /** Weight of each unit of an endless run of it; absent where only its class is known. */
  readonly rates: ReadonlyMap<number, number>;
}

/** The default counter: needs no vocabulary and is about 3 % off, whatever the text is. */
export const estimator: TokenCounter = createEstimator(WEIGHTS);

/** A counter by other weights; its tables are built when it counts first. */
function createEstimator(weights: Weights): TokenCounter {
  const tables = once(() => buildTables(weights));
  return { name: ESTIMATOR_NAME, count: (text) => (text === "" ? 0 : estimate(text, tables())) };
}

function once<T>(build: () => T): () => T {
  let built: { readonly value: T } | undefined;
  return () => (built ??= { value: build() }).value;
}

function estimate(text: string, tables: Tables): number {
  let sum = 0;
  let before = FIRST_CLASS;
  for (let i = 0; i < text.length;) {
    const stop = nextLongRun(text, i);
    sum += scan({ text, from: i, to: stop }, before, tables);
    if (stop === text.length) break;
    i = runEnd(text, stop);
    const unit = text.charCodeAt(stop);
    sum += runWeight(unit, i - stop, tables);
    before = tables.classOf[unit] ?? 0;
  }
  return Math.max(1, Math.round(sum / WEIGHT_SCALE));
}

interface Range {
  readonly text: string;
  readonly from: number;
  readonly to: number;
}

/** The weight of the units of a range that follows a run of a class. */
function scan({ text, from, to }: Range, runClass: number, tables: Tables): number {
  const { classOf, steps, pairs } = tables;
  let sum = 0;
  let state = tables.afterRun[runClass] ?? 0;
  let before = runClass << ROW_BITS;
  for (let i = from; i < to; i++) {
    const unitClass = classOf[text.charCodeAt(i)] ?? 0;
    const step = steps[state + unitClass] ?? 0;
    sum += (step >> STATE_BITS) + (pairs[before + unitClass] ?? 0);
    state = step & STATE_MASK;
    before = unitClass << ROW_BITS;
  }
  return Math.max(sum, (to - from) * LEAST);
}

/**
 * The start of the next long run's remainder, at its unit number {@link LONG_RUN}; the length of
 * the text if there is none. It looks at every third unit only: a run of six holds two of them.
 */
export function nextLongRun(text: string, from: number): number {
  let last = text.charCodeAt(from);
  for (let i = from + STRIDE; i < text.length; i += STRIDE) {
    const unit = text.charCodeAt(i);
    if (unit === last && text.charCodeAt(i - 1) === unit) {
      const start = runStart(text, from, i);
      if (start + STRIDE <= i && runEnd(text, i) - start >= LONG_RUN) return start + LONG_RUN - 1;
    }
    last = unit;
  }
  return text.length;
}

function runStart(text: string, from: number, at: number): number {
  const unit = text.charCodeAt(at);
  let start = at;
  while (start > from && text.charCodeAt(start - 1) === unit) start -= 1;
  return start;
}

/** The end of the run that goes through `at`: the index of the first other unit. */
export function runEnd(text: string, at: number): number {
  const unit = text.charCodeAt(at);
  let end = at + 1;
  while (end < text.length && text.charCodeAt(end) === unit) end += 1;
  return end;
}

function runWeight(unit: number, length: number, { classOf, runs, rates }: Tables): number {
  const row = (classOf[unit] ?? 0) * RUN_ROW;
  const perUnit = rates.get(unit) ?? runs[row + RUN_ROW - 1] ?? 0;
  return (runs[row + runSize(length)] ?? 0) + perUnit * length;
}

/** Which of the sizes a long run is of, by the units after its first ones. */
export function runSize(length: number): number {
  const size = RUN_SIZES.findIndex((limit) => length <= limit);
  return size < 0 ? RUN_SIZES.length : size;
}

function buildTables(weights: Weights): Tables {
  const classes = characterClasses(weights);
  const states = runStates(classes);
  return {
    classOf: classes.classOf,
    afterRun: states.afterRun,
    steps: stepTable(decodeWeights(weights.position), classes, states),
    pairs: pairTable(decodeWeights(weights.pair), classes),
    runs: decodeWeights(weights.run),
    rates: decodeRates(weights.rates),
  };
}

/** Weights are stored by group, which is compact, and looked up by class, which is fast. */
function stepTable(weights: Int16Array, { groupOf, count }: Classes, states: States): Int32Array {
  const steps = new Int32Array(states.count * ROW);
  for (let state = 0; state < states.count; state++) {
    for (let unitClass = 0; unitClass < count; unitClass++) {
      const at = state * ROW + unitClass;
      const weight = weights[state * GROUP_COUNT + (groupOf[unitClass] ?? 0)] ?? 0;
      steps[at] = (weight << STATE_BITS) | (states.next[at] ?? 0);
    }
  }
  return steps;
}

/**
 * Pairs are stored without the unused end of a row. A pair beyond ASCII that training never saw
 * costs a token: what odd texts are made of (UTF-16 read as bytes, look-alike letters) is not joined.
 */
function pairTable(weights: Int16Array, { count, ascii }: Classes): Int16Array {
  const table = new Int16Array(count * ROW);
  for (let before = 0; before < count; before++) {
    for (let unit = 0; unit < count; unit++) {
      const weight = weights[before * count + unit] ?? 0;
      const unknown = weight === 0 && Math.max(before, unit) >= ascii;
      table[before * ROW + unit] = unknown ? WEIGHT_SCALE : weight;
    }
  }
  return table;
}

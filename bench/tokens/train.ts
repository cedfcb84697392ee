/**
 * Fits the estimator's weights: `npx tsx bench/tokens/train.ts [FOLDER]`, after `collect.ts` with the
 * same folder. Least squares on the relative error against exact o200k counts, with a small ridge,
 * solved by conjugate gradients; some three minutes. It writes `src/core/tokens/weights.ts`.
 */
import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import { characterClasses } from "../../src/core/tokens/scan-tables.ts";
import { WEIGHT_SCALE } from "../../src/core/tokens/weight-codec.ts";
import type { RateRange } from "../../src/core/tokens/weight-codec.ts";
import { WEIGHTS } from "../../src/core/tokens/weights.ts";
import { DEFAULT_FOLDER, documents, kinds, samplesOf } from "./corpus.ts";
import type { Sample } from "./corpus.ts";
import { exact } from "./exact.ts";
import { createFeatures } from "./features.ts";
import { fit } from "./fit.ts";
import type { Row } from "./fit.ts";
import { encodeRates, encodeWeights, writeWeights } from "./weights-file.ts";

const SAMPLES_PER_KIND = 1_000;
const UNITS_PER_CLASS = 4;

/** What agents read and write most of the time; its errors count more. */
const FREQUENT = new Set(
  `app assistant chat code diff edits en escaped go grep guide json log md numbered py rust tabbed terminal
  ts typographic`.split(/\s+/),
);
const FREQUENT_WEIGHT = 2.2;
/** Too high is better than too low: the fit aims this much above the exact count. */
const LIFT = 0.007;

const folder = process.argv[2] ?? DEFAULT_FOLDER;

/**
 * Han characters by what they cost in running text: joined with others into a token, a token each,
 * or (all others) two or three tokens each.
 */
function hanCharacters(texts: readonly string[]): { single: string; joined: string } {
  const cost = new Map<string, { tokens: number; count: number }>();
  const note = (character: string, tokens: number): void => {
    const known = cost.get(character) ?? { tokens: 0, count: 0 };
    cost.set(character, { tokens: known.tokens + tokens, count: known.count + 1 });
  };
  for (let unit = 0x3400; unit < 0xa000; unit++) {
    const character = String.fromCharCode(unit);
    note(character, exact.count(character));
  }
  for (const text of texts) {
    for (const clause of text.match(/[\u2e80-\u9fff]{1,200}/g) ?? []) noteClause(clause, note);
  }
  const mean = [...cost].map(
    ([character, { tokens, count }]) => [character, tokens / count] as const,
  );
  const between = (low: number, high: number): string => {
    const chosen = mean.filter(([, value]) => value >= low && value < high);
    return chosen.map(([character]) => character).join("");
  };
  return { single: between(0.72, 1.3), joined: between(0, 0.72) };
}

/** Shares out the tokens of a clause over the characters that they are made of. */
function noteClause(clause: string, note: (character: string, tokens: number) => void): void {
  let held: number[] = [];
  for (const token of encode(clause)) {
    held.push(token);
    const text = decode(held);
    if (text.includes("\uFFFD")) continue; // ends inside a character
    for (const character of text) note(character, held.length / text.length);
    held = [];
  }
}

/** Units with the same costs: ranges of them, first and last, for each class. */
function costClasses(units: readonly number[], cost: (unit: number) => string): number[][] {
  const classes = new Map<string, number[]>();
  for (const unit of units) {
    const key = cost(unit);
    const ranges = classes.get(key) ?? [];
    classes.set(key, ranges);
    if (ranges.at(-1) === unit - 1) ranges[ranges.length - 1] = unit;
    else ranges.push(unit, unit);
  }
  return [...classes].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, ranges]) => ranges);
}

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

/** Marks by their tokens alone, whether a space before them is joined, and whether they join. */
function markClasses(): number[][] {
  const units = [...range(0x80, 0xbf), 0xd7, 0xf7, ...range(0x2010, 0x2bff)];
  const marks = units.filter((unit) => !/\s/.test(String.fromCharCode(unit)));
  return costClasses(marks, (unit) => {
    const mark = String.fromCharCode(unit);
    const alone = exact.count(mark);
    const joins = alone === 1 && exact.count(mark.repeat(4)) < 4;
    const joinsSpace = exact.count(` ${mark}`) === alone;
    return `${alone}${joins ? "joins" : joinsSpace}`;
  });
}

/** Trailing surrogates by the tokens of the three usual pairs that they are part of. */
function trailClasses(): number[][] {
  return costClasses(range(0xdc00, 0xdfff), (trail) =>
    [0xd83c, 0xd83d, 0xd83e]
      .map((lead) => Math.max(2, exact.count(String.fromCharCode(lead, trail))))
      .join(","),
  );
}

/** Exact rates of endless runs, for the units that runs are made of. */
function runRates(): readonly RateRange[] {
  const ranges = [
    [0x00, 0xff],
    [0x2010, 0x203f],
    [0x2500, 0x25ff],
    [0x3000, 0x3003],
  ] as const;
  return ranges.map(([first, last]) => {
    const units = Array.from({ length: last - first + 1 }, (_, i) =>
      String.fromCharCode(first + i),
    );
    // 960 units: below the limit at which the guard slices a run.
    return encodeRates(
      first,
      units.map((unit) => exact.count(unit.repeat(960)) / 960),
    );
  });
}

/** Long runs of some units of every class, since no corpus holds them all. */
function classRuns(classOf: ArrayLike<number>): readonly Sample[] {
  const units = new Map<number, number[]>();
  for (let unit = 0; unit < classOf.length; unit++) {
    const known = units.get(classOf[unit]!) ?? [];
    units.set(classOf[unit]!, [...known.slice(0, UNITS_PER_CLASS - 1), unit]);
  }
  return [...units.values()].flat().flatMap((unit) =>
    [20, 120, 900].map((length) => {
      const text = String.fromCharCode(unit).repeat(length);
      return { kind: "class-runs", text, tokens: exact.count(text) };
    }),
  );
}

function weighted(row: Row, frequent: boolean): Row {
  const weight = frequent ? FREQUENT_WEIGHT : 1;
  return {
    features: row.features,
    values: row.values.map((value) => value * weight),
    target: (row.target + LIFT) * weight,
  };
}

const all = kinds(folder);
const texts = new Map(all.map((kind) => [kind, documents(folder, kind, false)]));
const han = hanCharacters(["zh", "ja"].flatMap((kind) => texts.get(kind) ?? []));
const rates = runRates();
const start = {
  hanSingle: han.single,
  hanJoined: han.joined,
  marks: markClasses(),
  trails: trailClasses(),
  rates,
};
// The old weights stay until the new ones are known, so that the file works at any time.
writeWeights({ ...WEIGHTS, ...start });

const { classOf: CLASS_OF } = characterClasses({ ...WEIGHTS, ...start });
const features = createFeatures({ ...WEIGHTS, ...start });
const samples: Sample[] = [
  ...all.flatMap((kind) => samplesOf(texts.get(kind)!, kind, SAMPLES_PER_KIND)),
  ...classRuns(CLASS_OF),
];
console.log(`${samples.length} samples of ${all.length} kinds, ${features.size} features`);
const weights = fit(
  features.size,
  samples.map((sample) => weighted(features.row(sample), FREQUENT.has(sample.kind))),
);
const whole = weights.map((weight) => Math.round(weight * WEIGHT_SCALE));
const { position, pair, run } = features.split(whole);
writeWeights({
  ...start,
  position: encodeWeights(position),
  pair: encodeWeights(pair),
  run: encodeWeights(run),
});

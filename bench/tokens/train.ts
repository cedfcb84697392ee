/**
 * Fits the estimator's weights: `npx tsx bench/tokens/train.ts [FOLDER]`, after `collect.ts` with the
 * same folder. Least squares on the relative error against exact o200k counts, with a small ridge,
 * solved by conjugate gradients; about a minute. It writes `src/core/tokens/weights.ts`.
 */
import { decode, encode } from "gpt-tokenizer/encoding/o200k_base";
import { WEIGHT_SCALE } from "../../src/core/tokens/weight-codec.ts";
import type { RateRange } from "../../src/core/tokens/weight-codec.ts";
import { DEFAULT_FOLDER, documents, exact, kinds, samplesOf } from "./corpus.ts";
import type { Sample } from "./corpus.ts";
import { fit } from "./fit.ts";
import { encodeRates, encodeWeights, writeWeights } from "./weights-file.ts";

const SAMPLES_PER_KIND = 1_000;
const UNITS_PER_CLASS = 4;

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

const all = kinds(folder);
const texts = new Map(all.map((kind) => [kind, documents(folder, kind, false)]));
const han = hanCharacters(["zh", "ja"].flatMap((kind) => texts.get(kind) ?? []));
const rates = runRates();
const none = encodeWeights([]);
const start = { hanSingle: han.single, hanJoined: han.joined, rates };
writeWeights({ ...start, position: none, pair: none, run: none });

// The classes read the characters just written, so they are loaded only now.
const { createFeatures } = await import("./features.ts");
const { CLASS_OF } = await import("../../src/core/tokens/classes.ts");
const features = createFeatures();
const samples: Sample[] = [
  ...all.flatMap((kind) => samplesOf(texts.get(kind)!, kind, SAMPLES_PER_KIND)),
  ...classRuns(CLASS_OF),
];
console.log(`${samples.length} samples of ${all.length} kinds, ${features.size} features`);
const weights = fit(
  features.size,
  samples.map((sample) => features.row(sample)),
);
const whole = weights.map((weight) => Math.round(weight * WEIGHT_SCALE));
const { position, pair, run } = features.split(whole);
writeWeights({
  ...start,
  position: encodeWeights(position),
  pair: encodeWeights(pair),
  run: encodeWeights(run),
});

/**
 * How far estimates are from exact o200k counts, by kind of text, on documents that training never
 * saw: `npx tsx bench/tokens/accuracy.ts [FOLDER]`, after `collect.ts` with the same folder. Each
 * cell is mean |error| / 95th percentile of |error| / bias, in %; then the speed, as medians.
 */
import { estimateTokenCount } from "tokenx";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { DEFAULT_FOLDER, documents, exact, kinds, samplesOf } from "./corpus.ts";
import type { Sample } from "./corpus.ts";

const SAMPLES_PER_KIND = 400;
const ROUNDS = 9;

const folder = process.argv[2] ?? DEFAULT_FOLDER;

const estimators: Readonly<Record<string, (text: string) => number>> = {
  longhaul: estimateTokens,
  "chars/4": (text) => Math.ceil(text.length / 4),
  tokenx: estimateTokenCount,
};

function errorsOf(samples: readonly Sample[], estimate: (text: string) => number): number[] {
  return samples.map(({ text, tokens }) => estimate(text) / tokens - 1);
}

function summary(errors: readonly number[]): string {
  const sizes = errors.map(Math.abs).toSorted((a, b) => a - b);
  const mean = sizes.reduce((sum, size) => sum + size, 0) / sizes.length;
  const bias = errors.reduce((sum, error) => sum + error, 0) / errors.length;
  const p95 = sizes[Math.floor(sizes.length * 0.95)] ?? 0;
  const percent = (value: number, digits: number): string => (value * 100).toFixed(digits);
  return `${percent(mean, 1)} / ${percent(p95, 0)} / ${percent(bias, 1)}`;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

/** UTF-8 megabytes a second, each estimator in turn in every round. */
function speeds(texts: readonly string[]): Record<string, number> {
  const megabytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) / 1e6;
  const times: Record<string, number[]> = {};
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, estimate] of Object.entries(estimators)) {
      const start = performance.now();
      for (const text of texts) estimate(text);
      (times[name] ??= []).push(performance.now() - start);
    }
  }
  const rows = Object.entries(times).map(([name, all]) => [
    name,
    Math.round((megabytes * 1e3) / median(all)),
  ]);
  return Object.fromEntries(rows) as Record<string, number>;
}

const accuracy: Record<string, Record<string, string>> = {};
const whole: Record<string, Record<string, string>> = {};
const speed: Record<string, Record<string, number>> = {};
for (const kind of kinds(folder)) {
  const texts = documents(folder, kind, true);
  const samples = samplesOf(texts, kind, SAMPLES_PER_KIND);
  const joined = texts.join("\n").slice(0, 800_000);
  const tokens = exact.count(joined);
  const cells = Object.entries(estimators);
  accuracy[kind] = Object.fromEntries(
    cells.map(([name, f]) => [name, summary(errorsOf(samples, f))]),
  );
  whole[kind] = Object.fromEntries(
    cells.map(([name, f]) => [name, `${((f(joined) / tokens - 1) * 100).toFixed(1)} %`]),
  );
  speed[kind] = speeds(texts.slice(0, 60));
}
console.log("samples of 100 to 12,000 units: mean |error| % / p95 % / bias %");
console.table(accuracy);
console.log("one context of up to 800,000 units: error");
console.table(whole);
console.log("MB/s, medians");
console.table(speed);

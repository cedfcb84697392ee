/**
 * How far estimates are from exact o200k counts, by kind of text, on documents that training never
 * saw: `npx tsx bench/tokens/accuracy.ts [FOLDER]`, after `collect.ts` with the same folder. Each
 * cell is mean |error| / 95th percentile of |error| / bias, in %; the last columns are the error on
 * one long context of the kind, and the speed in UTF-8 megabytes a second of CPU time (medians).
 */
import { estimateTokenCount } from "tokenx";
import { estimateTokens } from "../../src/core/tokens/estimate-tokens.ts";
import { DEFAULT_FOLDER, documents, kinds, samplesOf } from "./corpus.ts";
import type { Sample } from "./corpus.ts";
import { exact } from "./exact.ts";

const SAMPLES_PER_KIND = 400;
const ROUNDS = 9;
/** Documents of a kind that speed is measured on, and the size of one long context. */
const SPEED_TEXTS = 60;
const CONTEXT_UNITS = 800_000;

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

/** The estimators that read the text; the length of a string costs nothing. */
const readers = [estimateTokens, estimateTokenCount];

/** UTF-8 megabytes for each second of CPU time, each estimator in turn in every round. */
function speeds(texts: readonly string[]): readonly string[] {
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
  const times = readers.map((): number[] => []);
  for (let round = 0; round < ROUNDS; round++) {
    for (const [index, estimate] of readers.entries()) {
      const start = process.cpuUsage();
      for (const text of texts) estimate(text);
      const { user, system } = process.cpuUsage(start);
      times[index]?.push(user + system);
    }
  }
  return times.map((all) => (bytes / median(all)).toFixed(0));
}

function line(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function kindLine(kind: string): string {
  const texts = documents(folder, kind, true);
  const samples = samplesOf(texts, kind, SAMPLES_PER_KIND);
  const joined = texts.join("\n").slice(0, CONTEXT_UNITS);
  const whole = estimateTokens(joined) / exact.count(joined) - 1;
  const errors = Object.values(estimators).map((estimate) => summary(errorsOf(samples, estimate)));
  const sample = texts.slice(0, SPEED_TEXTS);
  return line([kind, ...errors, `${(whole * 100).toFixed(1)} %`, speeds(sample).join(" / ")]);
}

const names = Object.keys(estimators);
console.log(line(["kind", ...names, "longhaul, one context", "MB/s: longhaul / tokenx"]));
console.log(line(["---", ...names.map(() => "---:"), "---:", "---:"]));
for (const kind of kinds(folder)) console.log(kindLine(kind));

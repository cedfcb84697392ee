/**
 * How near the predicted size of a request is once a provider has reported usage:
 * `npx tsx bench/tokens/calibration.ts [FOLDER or FILE]`. Each cell is the median / 95th percentile /
 * largest |error| of whole requests, in %, on every conversation of a format.
 */
import { contextOf, readSessions, sessionFiles } from "../quality/sessions.ts";
import { replay, SCENARIOS } from "./replay.ts";
import type { Predictions, Scenario } from "./replay.ts";

/** The same with the tokenizer of another vendor, which no report has shown yet. */
const OTHER_TOKENIZER: readonly Scenario[] = [
  { name: "1.3 tokens for one, told", fixed: 8_000, told: 8_000, scale: 1.3 },
  { name: "1.3 tokens for one, told nothing", fixed: 8_000, told: 0, scale: 1.3 },
];

const scenarios = [...SCENARIOS, ...OTHER_TOKENIZER];

/** By format, then by scenario. */
const byFormat = new Map<string, Predictions[][]>();

function cell(errors: readonly number[]): string {
  if (errors.length === 0) return "-";
  const sizes = errors.map(Math.abs).toSorted((a, b) => a - b);
  const at = (share: number): string => {
    const index = Math.min(sizes.length - 1, Math.floor(sizes.length * share));
    return (100 * (sizes[index] ?? 0)).toFixed(1);
  };
  return [at(0.5), at(0.95), at(1)].join(" / ");
}

function line(cells: readonly (string | number)[]): string {
  return `| ${cells.join(" | ")} |`;
}

function printTable(title: string, of: (predictions: Predictions) => readonly number[]): void {
  console.log(`\n${title}\n`);
  console.log(line(["format", "requests", ...scenarios.map(({ name }) => name)]));
  console.log(line(["---", "---:", ...scenarios.map(() => "---:")]));
  for (const [format, all] of byFormat) {
    const errors = all.map((predictions) => predictions.flatMap(of));
    console.log(line([format, errors[0]?.length ?? 0, ...errors.map(cell)]));
  }
}

for (const file of sessionFiles(process.argv[2])) {
  for (const { format, conversation } of await readSessions(file)) {
    const all = byFormat.get(format) ?? scenarios.map((): Predictions[] => []);
    byFormat.set(format, all);
    const messages = contextOf(conversation);
    for (const [index, scenario] of scenarios.entries()) {
      all[index]?.push(replay(messages, scenario));
    }
  }
}
printTable("The next request", ({ next }) => next);
printTable("The first request after an edit", ({ edited }) => edited);

/**
 * What becomes of recorded sessions when the model that writes their summaries misbehaves:
 * `npx tsx bench/quality/misbehaviours.ts [FOLDER or FILE]`. Every session that needs a summary is
 * compacted by a driver over HTTP, with each misbehaviour every time and on the first try only, and
 * everything that the engine promises is checked on the result. Prints two tables and one line per
 * failure; exit 1 when there is any. Two files are worked on at a time.
 */
import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { MISBEHAVIOURS } from "../../test/provider/index.ts";
import {
  emptyTrials,
  mergedTrials,
  trialsOf,
  type TrialTallies,
  type TrialTally,
} from "./misbehaviour-tally.ts";
import { sessionFiles } from "./sessions.ts";

const JOBS = 2;
const self = fileURLToPath(import.meta.url);

if (process.send !== undefined) {
  const tallies = await trialsOf(process.argv[2] ?? "");
  process.send(tallies, () => process.disconnect?.());
} else {
  await main();
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const files = sessionFiles(process.argv[2]);
  const found = await inChildren(files);
  const byFile = files.map((file, index): Row => [
    nameOf(file),
    sum(Object.values(found[index] ?? {})),
  ]);
  const byKind = MISBEHAVIOURS.map((kind): Row => {
    return [kind, sum(found.flatMap((tallies) => tallies[kind] ?? []))];
  });
  const all = sum(byKind.map(([, tally]) => tally));
  printTable("misbehaviour", [...byKind, ["**all**", all]]);
  printTable("session file", [...byFile.filter(([, { runs }]) => runs > 0), ["**all**", all]]);
  const bad = [...all.exceptions, ...all.invalid, ...all.over, ...all.missing];
  for (const failure of bad) console.log(`FAIL ${failure}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${all.runs} runs in ${seconds} s, ${all.facts} facts, ${bad.length} failures`);
  if (bad.length > 0) process.exitCode = 1;
}

type Row = readonly [name: string, tally: TrialTally];

function sum(tallies: readonly TrialTally[]): TrialTally {
  return tallies.reduce(mergedTrials, emptyTrials());
}

function nameOf(file: string): string {
  return file.split("/").at(-1) ?? file;
}

async function inChildren(files: readonly string[]): Promise<readonly TrialTallies[]> {
  const found: TrialTallies[] = files.map(() => ({}));
  const open = files.entries();
  const work = async (): Promise<void> => {
    for (const [index, file] of open) found[index] = await inChild(file);
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  return found;
}

async function inChild(file: string): Promise<TrialTallies> {
  const child = fork(self, [file], { execArgv: process.execArgv });
  let tallies: TrialTallies | undefined;
  child.on("message", (message) => (tallies = message as TrialTallies));
  const [code] = (await once(child, "exit")) as [number | null];
  const exceptions = [`${file}: the process ended with ${String(code)}`];
  return tallies ?? { empty: { ...emptyTrials(), runs: 1, exceptions } };
}

function printTable(what: string, rows: readonly Row[]): void {
  const columns = [
    what,
    "runs",
    "model / repaired / extractive",
    "most calls (for chunks and merges)",
    "exceptions",
    "invalid",
    "over usable",
    "facts",
    "missing facts",
  ];
  console.log(`| ${columns.join(" | ")} |`);
  console.log(`| --- ${"| ---: ".repeat(columns.length - 1)}|`);
  for (const [name, tally] of rows) {
    const { model, repaired, extractive } = tally.sources;
    const cells = [
      name,
      tally.runs,
      `${model} / ${repaired} / ${extractive}`,
      String(tally.calls),
      tally.exceptions.length,
      tally.invalid.length,
      tally.over.length,
      tally.facts,
      tally.missing.length,
    ];
    console.log(`| ${cells.join(" | ")} |`);
  }
  console.log();
}

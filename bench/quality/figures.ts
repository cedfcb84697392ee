/**
 * What compaction makes of recorded sessions: `npx tsx bench/quality/figures.ts [FOLDER or FILE]`, by
 * default the recordings beside the checkout and our own. Every conversation is compacted for every
 * window and dialect, and everything that the engine promises is checked on the result; then every
 * long conversation is fed step by step, as its agent made it. Prints a table and one line per
 * failure; exit 1 when there is any. Two files are worked on at a time.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { DIALECTS, emptyTally, figuresOf, growthOf, merged, type Tally, WINDOWS } from "./tally.ts";
import { sessionFiles } from "./sessions.ts";

const JOBS = 2;
/** Windows of growing sessions. */
const GROWING = [16_000, 64_000];
const self = fileURLToPath(import.meta.url);

if (process.send !== undefined) {
  const file = process.argv[2] ?? "";
  const single = await figuresOf(file, { windows: WINDOWS, dialects: DIALECTS });
  const growing = await growthOf(file, { windows: GROWING, dialects: DIALECTS });
  process.send?.(merged(single, growing), () => process.disconnect?.());
} else {
  await main();
}

async function main(): Promise<void> {
  const startedAt = performance.now();
  const files = sessionFiles(process.argv[2]);
  const tallies = await inChildren(files);
  printTable(files, tallies);
  const all = tallies.reduce(merged, emptyTally());
  for (const failure of [...all.failures, ...all.misjudged, ...all.indirect])
    console.log(`FAIL ${failure}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  const bad = all.failures.length + all.misjudged.length + all.indirect.length;
  console.log(`\n${all.runs} runs and ${all.requests} requests in ${seconds} s, ${bad} failures`);
  if (bad > 0) process.exitCode = 1;
}

async function inChildren(files: readonly string[]): Promise<readonly Tally[]> {
  const tallies: Tally[] = files.map(() => emptyTally());
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < files.length) {
      const index = next++;
      tallies[index] = await inChild(files[index] ?? "");
    }
  };
  await Promise.all(Array.from({ length: JOBS }, work));
  return tallies;
}

async function inChild(file: string): Promise<Tally> {
  const child: ChildProcess = fork(self, [file], { execArgv: process.execArgv });
  let tally: Tally | undefined;
  child.on("message", (message) => (tally = message as Tally));
  const [code] = (await once(child, "exit")) as [number | null];
  if (tally !== undefined) return tally;
  return { ...emptyTally(), failures: [`${file}: the process ended with ${String(code)}`] };
}

function printTable(files: readonly string[], tallies: readonly Tally[]): void {
  const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;
  const row = (name: string, tally: Tally): string => {
    const { actions, fill, instructions } = tally;
    return `| ${[
      name,
      tally.conversations,
      tally.runs,
      `${actions.none} / ${actions.prune} / ${actions.compact} / ${actions.refused}`,
      percent(fill.estimated),
      percent(fill.exact),
      tally.handles,
      `${instructions.verbatim} + ${instructions.recalled}`,
      tally.requests,
      tally.misjudged.length,
      tally.indirect.length,
      tally.failures.length,
    ].join(" | ")} |`;
  };
  console.log(
    "| session file | conversations | runs | none / prune / compact / refused | worst fill, estimated | worst fill, o200k | handles recovered | instructions verbatim + recalled | requests while growing | misjudged | cut twice | other failures |",
  );
  console.log(`| --- ${"| ---: ".repeat(11)}|`);
  for (const [index, file] of files.entries()) {
    console.log(row(file.split("/").at(-1) ?? file, tallies[index] ?? emptyTally()));
  }
  console.log(row("**all**", tallies.reduce(merged, emptyTally())));
  console.log();
}

/**
 * How complete and how true the ledger is on recorded sessions, by an independent reading of the same
 * tool calls: `npx tsx bench/quality/checker.ts [FOLDER or FILE] [--all]`. Prints recall and precision
 * per format, then the differences. Exit 1 when one is below its goal.
 */
import { compareSession, type Comparison, type Difference, type Kind, KINDS } from "./compare.ts";
import { readSessions, RECORDINGS, sessionFiles } from "./sessions.ts";

/** Least share, in per cent. */
const RECALL_GOALS: Readonly<Record<Kind, number>> = {
  created: 100,
  modified: 100,
  deleted: 100,
  read: 99,
  commands: 100,
  outcomes: 100,
  instructions: 100,
};
const PRECISION_GOAL = 98;
const SHOWN = 20;

const args = process.argv.slice(2);
const isAll = args.includes("--all");
const files = sessionFiles(args.find((arg) => !arg.startsWith("-")) ?? RECORDINGS);

const comparisons: Comparison[] = [];
for (const file of files) {
  const sessions = await readSessions(file);
  for (const session of sessions) comparisons.push(compareSession(session));
}

interface Line {
  readonly name: string;
  readonly comparisons: readonly Comparison[];
}

const formats = [...new Set(comparisons.map(({ session }) => session.format))];
const lines: Line[] = [
  ...formats.map((name) => ({
    name,
    comparisons: comparisons.filter(({ session }) => session.format === name),
  })),
  { name: "all", comparisons },
];

function totalOf(
  list: readonly Comparison[],
  side: "recall" | "precision",
  kind: Kind,
): [number, number] {
  return list.reduce(
    ([found, of], one) => [found + one[side][kind].found, of + one[side][kind].of],
    [0, 0],
  );
}

function percent([found, of]: readonly [number, number]): string {
  if (of === 0) return "-";
  return `${((100 * found) / of).toFixed(found === of ? 0 : 1)} % of ${of}`;
}

function printTable(side: "recall" | "precision"): void {
  const header = ["format", "sessions", ...KINDS];
  const rows = lines.map(({ name, comparisons: list }) => [
    name,
    String(list.length),
    ...KINDS.map((kind) => percent(totalOf(list, side, kind))),
  ]);
  console.log(`\n${side}\n`);
  for (const row of [header, header.map(() => "---"), ...rows])
    console.log(`| ${row.join(" | ")} |`);
}

function printDifference({ session }: Comparison, { kind, side, text, place }: Difference): void {
  const where = `${session.file.split("/").at(-1)} [${session.part}] message ${place.at}`;
  console.log(
    `${side} ${kind}: ${text}\n    ${where}, ${place.tool}: ${place.input.slice(0, isAll ? 2000 : 300)}`,
  );
}

printTable("recall");
printTable("precision");
const refutable = comparisons.reduce((sum, one) => sum + one.refutable.found, 0);
const invented = comparisons.reduce((sum, one) => sum + one.refutable.of, 0);
console.log(
  `\nHad the ledger claimed every other operation on its files as well, ${percent([refutable, invented])} claims would have been refuted.`,
);
const differences = comparisons.flatMap((one) => one.differences.map((two) => [one, two] as const));
const facts = differences.filter(([, { side }]) => side !== "name");
const names = differences.filter(([, { side }]) => side === "name");
console.log(
  `\n${facts.length} differences${facts.length > SHOWN && !isAll ? `, the first ${SHOWN}` : ""}`,
);
for (const [one, two] of isAll ? facts : facts.slice(0, SHOWN)) printDifference(one, two);
console.log(
  `\n${names.length} names that differ${names.length > SHOWN && !isAll ? `, the first ${SHOWN}` : ""}`,
);
for (const [one, two] of isAll ? names : names.slice(0, SHOWN)) printDifference(one, two);

const isBelow = (pair: readonly [number, number], goal: number): boolean => {
  return pair[1] > 0 && (100 * pair[0]) / pair[1] < goal;
};
const failed = KINDS.filter(
  (kind) =>
    isBelow(totalOf(comparisons, "recall", kind), RECALL_GOALS[kind]) ||
    isBelow(totalOf(comparisons, "precision", kind), PRECISION_GOAL),
);
if (failed.length > 0) {
  console.log(`\nbelow the goal: ${failed.join(", ")}`);
  process.exitCode = 1;
}

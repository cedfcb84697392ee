import pc from "picocolors";
import type { ContextReport, SummaryReport } from "../../context/index.ts";
import { clipEnd, count, plural } from "./figures.ts";

/** How many problems are shown; `--json` has them all. */
const SHOWN_PROBLEMS = 4;
const PROBLEM_WIDTH = 160;

/** What a model had to do with the summary; nothing if none was asked. */
export function modelLines({ summary }: ContextReport): string[] {
  const name = summary?.calls[0]?.summarizer;
  if (summary === undefined || name === undefined) return [];
  const problems = problemsOf(summary);
  const more = problems.length - SHOWN_PROBLEMS;
  return [
    `Model     ${name} ${PART[summary.source]}`,
    `          ${effort(summary)}`,
    ...problems.slice(0, SHOWN_PROBLEMS).map((problem) => pc.dim(`          ${problem}`)),
    ...(more > 0
      ? [pc.dim(`          … ${plural(more, "more problem")}; --json has them all`)]
      : []),
  ];
}

/** What came of the model's part. */
const PART: Readonly<Record<SummaryReport["source"], string>> = {
  model: "wrote the summary",
  repaired: "wrote the summary, the ledger filled its gaps",
  extractive: "was asked, and the summary was made without it",
};

function effort({ calls, usage, waitedMs }: SummaryReport): string {
  const asked = `${plural(calls.length, "call")} in ${(waitedMs / 1_000).toFixed(1)} s`;
  if (calls.every((call) => call.usage === undefined)) return `${asked}, tokens not reported`;
  return `${asked}, ${count(usage.input)} tokens in (${count(usage.cached)} cached), ${count(usage.output)} out`;
}

function problemsOf({ calls }: SummaryReport): string[] {
  return calls.flatMap(({ problems }, at) =>
    problems.map((problem) => clipEnd(`call ${at + 1}: ${problem}`, PROBLEM_WIDTH)),
  );
}

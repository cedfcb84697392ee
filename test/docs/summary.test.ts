import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createContext } from "../../src/index.ts";
import type { ContextReport, Message } from "../../src/index.ts";
import type { SummaryProblem } from "../../src/core/summary/index.ts";
import { judgeSummary, summaryCap } from "../../src/core/summary/index.ts";
import { assistant, step, user } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";

const page = readFileSync("docs/summary.md", "utf8");

test("the example of the page runs, and every level has its say in what is sent", async () => {
  const code = /```ts\n([^]*?)```/.exec(page)?.[1] ?? "";
  expect(code.match(/^import .*$/gm)).toEqual(['import { createContext } from "longhaul";']);
  const history: Message[] = [user("Close ticket 12, please.")];
  for (let at = 0; at < 60; at++) {
    history.push(...step(`c${at}`, "Bash", { command: `make part-${at}` }, "fine\n".repeat(60)));
  }
  history.push(assistant("Half of it is done."), user("Go on, please."));
  const body = code.replace(/^import .*$/gm, "");
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(
    "createContext",
    "summarizer",
    "history",
    `return (async () => { ${body}; return { report, sent }; })()`,
  ) as (...values: unknown[]) => Promise<{ report: ContextReport; sent: string }>;
  const { report, sent } = await run(createContext, goodSummary, history);
  const headings = sent.match(/^## .*$/gm);
  expect(headings).toEqual([
    "## Goal",
    "## Instructions",
    "## Findings",
    "## Accomplished",
    "## Relevant files",
    "## Deployments",
  ]);
  expect(sent).toContain("## Goal\nThe ticket's number and what would close it. No history.");
  expect(sent).toContain("## Deployments\nEach environment that was touched");
  expect(report.summary?.source).toBe("model");
  expect(report.summary?.sections["goal"]).toContain("A model wrote this");
  expect(report.summary?.sections["instructions"]).toContain("Close ticket 12, please.");
});

test("the page tells of every problem what becomes of it", () => {
  const becomes: Readonly<Record<SummaryProblem["code"], "refused" | "gap">> = {
    empty: "refused",
    "tool-call": "refused",
    "chat-answer": "refused",
    "error-text": "refused",
    "no-sections": "refused",
    "cut-off": "refused",
    "not-smaller": "refused",
    "over-cap": "gap",
    "missing-sections": "gap",
    "translated-headings": "gap",
    "unnamed-files": "gap",
    contradiction: "gap",
    "wrong-language": "gap",
  };
  const rows = Object.fromEntries(
    [...page.matchAll(/^\| `([a-z-]+)` \| .* \| (refused|gap) \|$/gm)].map((row) => row.slice(1)),
  );
  expect(rows).toEqual(becomes);
});

test("the page names the numbers that hold", () => {
  expect(page).toContain("12 % of usable, 800 to 12,000 tokens");
  expect([0, 50_000, 1_000_000].map(summaryCap)).toEqual([800, 6_000, 12_000]);
  const whole =
    "## Goal\nx\n## Instructions\nx\n## Discoveries\nx\n## Accomplished\nx\n## Relevant files\nx";
  const ledger = {
    files: [],
    commands: [],
    instructions: [],
    todos: [],
    errors: [],
    statements: [],
  };
  const isFatal = (cap: number): boolean =>
    judgeSummary({ text: whole }, { cap, replaces: 1_000, ledger, count: () => 100 }).isFatal;
  expect(page).toContain("refused only at more than twice the cap");
  expect([isFatal(50), isFatal(49)]).toEqual([false, true]);
});

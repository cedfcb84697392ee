import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { createContext } from "../../src/index.ts";
import type { ContextReport, Message } from "../../src/index.ts";
import type { SummaryProblem } from "../../src/core/summary/gate.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { assistant, step, user } from "../build-messages.ts";
import * as core from "../../src/core.ts";
import { estimateTokens } from "../../src/tokens.ts";
import { programsOf, runnable } from "./page-code.ts";
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

test("the page tells of every problem for which an answer is refused", () => {
  const refused: Readonly<Record<SummaryProblem["code"], true>> = {
    empty: true,
    "tool-call": true,
    "chat-answer": true,
    "error-text": true,
    "no-sections": true,
    "cut-off": true,
    "not-smaller": true,
  };
  const rows = [...page.matchAll(/^\| `([a-z-]+)` \| [a-z][^|]* \|$/gm)].map(([, code]) => code);
  expect(rows.filter((code) => !/^(?:model|repaired|extractive)$/.test(code ?? ""))).toEqual(
    Object.keys(refused),
  );
});

test("the page names the numbers that hold", () => {
  expect(page).toContain("25 % of usable, 800 to 12,000 tokens");
  const caps = [3_000, 40_000, 1_000_000].map((maxInput) => {
    return contextBudget({ window: 2_000_000, maxInput, reserved: 0 }).summary;
  });
  expect(caps).toEqual([800, 10_000, 12_000]);
});

test("T11 and T12 work alone, as the page shows", () => {
  const code = programsOf("docs/summary.md").at(-1) ?? "";
  const history = [
    user("Close ticket 12, please."),
    ...step("a", "Bash", { command: "make" }, "x"),
  ];
  const given = { ...core, estimateTokens, history };
  // What the page shows is what runs.
  // oxlint-disable-next-line typescript/no-implied-eval
  const run = new Function(
    ...Object.keys(given),
    `${runnable(code)}; return { valid, missingSections, instruction, text, state, next }`,
  ) as (...values: unknown[]) => Readonly<Record<string, unknown>>;
  const { next, ...made } = run(...Object.values(given));
  expect(made).toMatchObject({ valid: true, missingSections: [], state: "mid-task" });
  expect(made["text"]).toContain("Close ticket 12, please.");
  expect(made["instruction"]).toContain("## Relevant files");
  expect((next as Message[]).map(({ role, kind }) => kind ?? role)).toEqual([
    "summary",
    "assistant",
    "tool",
    "continuation",
  ]);
});

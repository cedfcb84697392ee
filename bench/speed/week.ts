/**
 * One conversation that goes on and on: `npx tsx bench/speed/week.ts [MESSAGES]`. A window of 32k,
 * originals and journal on disk, either habit of callers. Every tenth of the way: what a step and an
 * edit cost, what is held, and whether all of it still holds; at the end, how long another process
 * takes to go on. Exit 1 when a view is illegal or too large.
 */
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { directoryArchive } from "../../src/archive/directory.ts";
import { checkMessages } from "../../src/core.ts";
import { type Context, createContext, type Message } from "../../src/index.ts";
import { makeEntries, neutralMessage, toMessages } from "./history.ts";
import { quantile } from "./measure.ts";

const WINDOW = 32_000;
const TENTHS = 10;
const messages = Number(process.argv[2] ?? 40_000);

for (const habit of ["whole history", "returned list"] as const) await work(habit);

async function work(habit: "whole history" | "returned list"): Promise<void> {
  const folder = mkdtempSync(path.join(tmpdir(), "longhaul-week-"));
  try {
    await workIn(folder, habit);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function workIn(folder: string, habit: string): Promise<void> {
  const open = (): Context =>
    createContext({ window: WINDOW, archive: directoryArchive(folder), conversation: "week" });
  const context = open();
  const steps: number[] = [];
  const edits: number[] = [];
  let list: Message[] = [];
  console.log(
    `\n| ${habit}: messages | edits so far | step, median µs | edit, median ms | p95 | RSS, MB |`,
  );
  console.log("| ---: | ---: | ---: | ---: | ---: | ---: |");
  for (const [index, message] of toMessages(makeEntries(messages), neutralMessage).entries()) {
    list.push(message);
    // A request goes out after the person's message and after each result.
    if (message.role === "user" || message.role === "tool") {
      const from = performance.now();
      const { messages: view, report } = await context.prepare(list);
      (report.action === "none" ? steps : edits).push(performance.now() - from);
      if (report.tokens.after >= report.usable) fail(`message ${index}: over usable`);
      if (report.action !== "none" && checkMessages(view).length > 0) fail(`message ${index}`);
      if (habit === "returned list") list = [...view];
    }
    if ((index + 1) % (messages / TENTHS) === 0) {
      const rss = process.memoryUsage.rss() / 1_000_000;
      const step = quantile(steps.splice(0), 0.5) * 1_000;
      const tenth = edits.splice(0);
      const edit = [0.5, 0.95].map((share) => quantile(tenth, share).toFixed(1)).join(" | ");
      const done = context.journal().length;
      console.log(`| ${index + 1} | ${done} | ${step.toFixed(0)} | ${edit} | ${rss.toFixed(0)} |`);
    }
  }
  await goOn(open(), list, folder);
}

async function goOn(other: Context, list: readonly Message[], folder: string): Promise<void> {
  const from = performance.now();
  const { report } = await other.prepare(list);
  const ms = (performance.now() - from).toFixed(0);
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" });
  const journal = path.join(folder, files.find((one) => one.endsWith("journal.jsonl")) ?? "");
  const size = (statSync(journal).size / 1_000_000).toFixed(1);
  console.log(`\nAnother process goes on after ${ms} ms (${report.action}); journal ${size} MB.`);
}

function fail(what: string): void {
  console.log(`FAIL ${what}`);
  process.exitCode = 1;
}

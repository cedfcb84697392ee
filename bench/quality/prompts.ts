/**
 * What a model is asked for a summary: tokens of the prompt about each recorded session, of its head
 * as it is and as pruning leaves it, and of the result of the compaction.
 */
import { planDefaults } from "../../src/core.ts";
import { extractLedger } from "../../src/core/ledger/extract.ts";
import { repairMessages } from "../../src/core/message/repair.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { applyPlan, planContext, type PlanOptions } from "../../src/core/plan/index.ts";
import { prunedView } from "../../src/core/prune/prune.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import { summaryPrompt, type SummaryTask } from "../../src/core/summary/prompt.ts";
import { estimateTokens } from "../../src/tokens.ts";
import type { Message } from "../../src/core/message/index.ts";
import { readSessions, sessionFiles } from "./sessions.ts";

const WINDOWS = [32_000, 64_000, 128_000];
/** Of a model with a window of 200k. */
const ROOM = 170_000;

interface Sizes {
  head: number;
  whole: number;
  pruned: number;
  after: number;
}

function sizesOf(messages: readonly Message[], window: number): Sizes | undefined {
  const budget = contextBudget({ window });
  const options: PlanOptions = { ...planDefaults(), budget, now: 0 };
  const plan = planContext(messages, options);
  if (plan.compaction === undefined) return undefined;
  const { system, tailStart, summary } = plan.compaction;
  const head = messages.slice(system, tailStart);
  const pruned = prunedView(messages, { ...options, excess: Infinity }).slice(system, tailStart);
  const promptOf = (own: Pick<SummaryTask, "head" | "unpruned">): number => {
    const task = { template: DEFAULT_COMPACTION_TEMPLATE, cap: summary.cap };
    const asked = { ...task, ledger: extractLedger(head), ...own };
    const prompt = summaryPrompt(asked, { room: ROOM, count: estimateTokens });
    return estimateTokens(`${prompt?.system ?? ""}\n${prompt?.user ?? ""}`);
  };
  return {
    head: options.meter.total(head),
    whole: promptOf({ head }),
    pruned: promptOf({ head: pruned, unpruned: head }),
    after: options.meter.total(applyPlan(messages, plan, { summary: "" })) + summary.cap,
  };
}

const all: Sizes = { head: 0, whole: 0, pruned: 0, after: 0 };
const row = (name: string, { head, whole, pruned, after }: Sizes): void => {
  const figures = [head, whole, pruned, after].map((tokens) =>
    Math.round(tokens).toLocaleString("en"),
  );
  const saved = `${Math.round(100 - (100 * pruned) / whole)} %`;
  console.log(`| ${[name, ...figures, saved].join(" | ")} |`);
};
console.log(
  "| session, window | head | prompt about it as it is | pruned | result at the most | saved |",
);
console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
let count = 0;
for (const file of sessionFiles(process.argv[2])) {
  for (const { conversation, part } of await readSessions(file)) {
    for (const window of WINDOWS) {
      const sizes = sizesOf(repairMessages(conversation.messages).messages, window);
      if (sizes === undefined) continue;
      count++;
      for (const name of Object.keys(all) as (keyof Sizes)[]) all[name] += sizes[name];
      if (sizes.head > 20_000) row(`${file.split("/").at(-1)}, ${part}, ${window / 1_000}k`, sizes);
    }
  }
}
row(`**all ${count}**`, all);

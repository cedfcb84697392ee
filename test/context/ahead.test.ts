import { setTimeout } from "node:timers/promises";
import { expect, it } from "vitest";
import { type ContextReport, createContext } from "../../src/context/index.ts";
import { createAhead } from "../../src/context/ahead.ts";
import type { Message } from "../../src/core/message/index.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../src/core/summary/index.ts";
import type { SummaryRequest } from "../../src/models/summarizer.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";
import { sample } from "../property/runs.ts";

const list = [system("todo 1"), user("do the work"), assistant("done"), user("and now?")];

it.each<[name: string, messages: readonly Message[], isKept: boolean]>([
  ["the same", list, true],
  ["more", [...list, assistant("yes")], true],
  ["another system prompt", [system("todo 2"), ...list.slice(1)], true],
  ["one system message more", [system("date"), ...list], false],
  ["another head", [list[0]!, user("do nothing"), ...list.slice(2)], false],
  ["less", list.slice(0, 2), false],
])("a summary is kept for a list that begins as what it was written about: %s", (...row) => {
  const [, messages, isKept] = row;
  const ahead = createAhead();
  const head = { messages: list, tailStart: 3, template: DEFAULT_COMPACTION_TEMPLATE };
  ahead.begin(head, () => Promise.resolve(undefined));
  expect(ahead.match(messages) !== undefined).toBe(isKept);
  expect(ahead.discarded).toBe(isKept ? 0 : 1);
});

const WINDOWS = [30_000, 64_000, 200_000];
/** How much of a step an agent says itself; the rest is a tool's output, which can be pruned. */
const SAID = { "tools alone": 0, "half of each": 1_000, "words alone": 2_000 };
const RUNS = WINDOWS.flatMap((window) =>
  Object.entries(SAID).map(([name, said]) => ({ window, name, said })),
);

it.each(sample(RUNS, 3))(
  "no summary is written for nothing: $window, $name",
  async ({ window, said }) => {
    let asked = 0;
    const summarizer = async (request: SummaryRequest): Promise<string> => {
      asked += 1;
      return goodSummary(request);
    };
    const context = createContext({ window, summarizer, counter: quarter });
    const reports: ContextReport[] = [];
    context.on("prepared", (report) => void reports.push(report));
    const history = [system("rules"), user("Do the work.")];
    for (let n = 0; n < 120; n += 1) {
      const output = words(2_100 - said, `output ${n}`);
      history.push(...step(`c${n}`, "bash", { command: `run ${n}` }, output));
      if (said > 0) history.push(assistant(words(said, `said ${n}`)));
      await context.prepare(history);
      // The model answers while the agent works.
      await setTimeout();
    }
    await context.close();
    const used = reports.filter(({ action }) => action === "compact");
    expect(asked).toBeLessThanOrEqual(used.length + 1);
    expect(reports.at(-1)?.discardedSummaries).toBe(0);
    if (said > 0) expect(used.some(({ summary }) => summary?.ahead === "ready")).toBe(true);
  },
);

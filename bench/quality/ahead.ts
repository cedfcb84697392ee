/**
 * Summaries ahead of need on recorded sessions: how many are asked for, used in time, waited for and
 * thrown away, with a model that answers some steps later.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createContext } from "../../src/context/index.ts";
import { repairMessages } from "../../src/core/message/repair.ts";
import type { Message } from "../../src/core/message/index.ts";
import type { SummaryRequest } from "../../src/models/summarizer.ts";
import { goodSummary } from "../../test/good-summary.ts";
import { contextOf, readSessions, sessionFiles } from "./sessions.ts";

const WINDOWS = [30_000, 64_000];
/** After so many steps the model has answered. */
const ANSWERS_AFTER = [2, 5];
const MOST_MESSAGES = 700;

const counts = { asked: 0, ready: 0, waited: 0, "asked at the limit": 0, discarded: 0 };
type Counts = Record<keyof typeof counts, number>;

interface SlowModel {
  readonly summarizer: (request: SummaryRequest) => Promise<string>;
  /** A step begins. */
  readonly next: () => void;
  readonly answerAll: () => void;
  readonly asked: () => number;
  /** Whether the newest answer is there by now, however long the steps take here. */
  readonly isReady: () => boolean;
}

/** Answers that come after some steps, or when somebody waits for them. */
function slowModel(after: number): SlowModel {
  let step = 0;
  let asked = 0;
  const due: { readonly at: number; readonly answer: () => void }[] = [];
  const answer = (until: number): void => {
    for (const one of due) if (one.at <= until) one.answer();
  };
  return {
    summarizer: (request: SummaryRequest): Promise<string> => {
      asked++;
      return new Promise((resolve) => {
        due.push({ at: step + after, answer: () => resolve(goodSummary(request)) });
      });
    },
    next: () => answer(++step),
    answerAll: () => answer(Infinity),
    asked: () => asked,
    isReady: () => (due.at(-1)?.at ?? 0) <= step,
  };
}

async function play(messages: readonly Message[], window: number, after: number): Promise<Counts> {
  const model = slowModel(after);
  const context = createContext({ window, summarizer: model.summarizer });
  const made = { ...counts };
  for (let at = 1; at <= messages.length; at++) {
    if (messages[at] !== undefined && messages[at]?.role !== "assistant") continue;
    model.next();
    await sleep();
    const waiting = setInterval(model.answerAll, 20);
    const prepared = await context.prepare(messages.slice(0, at)).catch(() => undefined);
    clearInterval(waiting);
    const { summary, discardedSummaries = 0 } = prepared?.report ?? {};
    if (summary?.ahead === "none") made["asked at the limit"]++;
    else if (summary !== undefined) made[model.isReady() ? "ready" : "waited"]++;
    made.discarded = Math.max(made.discarded, discardedSummaries);
  }
  await context.close();
  return { ...made, asked: model.asked() };
}

const all = new Map<string, Counts>();
for (const file of sessionFiles(process.argv[2])) {
  const [first, ...rest] = await readSessions(file).catch(() => []);
  if (first === undefined || rest.length > 20) continue;
  const { messages } = repairMessages(contextOf(first.conversation));
  for (const window of WINDOWS) {
    for (const after of ANSWERS_AFTER) {
      const name = `window ${window}, answers after ${after} steps`;
      const sum = all.get(name) ?? { ...counts };
      const made = await play(messages.slice(0, MOST_MESSAGES), window, after);
      for (const key of Object.keys(counts) as (keyof Counts)[]) sum[key] += made[key];
      all.set(name, sum);
    }
  }
}
console.table(Object.fromEntries(all));

/**
 * An agent of 300 steps in a window of 32k, whose summaries come from the same server: it finishes,
 * nothing is refused, it is compacted no oftener than the arithmetic says, and it does not wait.
 */
import { describe, expect, it } from "vitest";
import { fairSummary } from "../../bench/quality/scripted-model.ts";
import type { ContextOptions, ContextReport } from "../../src/context/index.ts";
import { contextBudget } from "../../src/core/overflow/index.ts";
import { createNativeContext } from "../hooks/open-native-context.ts";
import type { SummaryCall } from "../../src/models/summarizer.ts";
import { anthropicAgent, chatAgent, type FetchAgent, runFetchAgent } from "./fetch-agent.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import type { LoggedRequest, Reply, RequestView, Script, Upstream } from "../provider/index.ts";

const STEPS = 300;
const WINDOW = 32_000;
const { usable, summary, tail } = contextBudget({ window: WINDOW });
/** A summary takes as long as so many steps of the agent, or so many ms while nobody steps. */
const SLOW_STEPS = 3;
const SLOW_MS = 50;

const AGENTS = [
  ["Anthropic", anthropicAgent],
  ["OpenAI Chat", chatAgent],
] as unknown as readonly (readonly [string, FetchAgent<unknown>])[];

const SYSTEM = "You are a careful agent that thinks aloud and keeps notes.";
const TASK = "Think about all 300 parts of the plan. Never skip one, and keep the old names.";

interface RunOptions {
  readonly options?: ContextOptions;
  readonly reusesPrompt?: boolean;
  /** What a model that is asked for a summary does, in turn; the last one ever after. */
  readonly summaries?: readonly Reply[];
}

interface Run {
  readonly upstream: Upstream;
  readonly reports: readonly ContextReport[];
  readonly compactions: readonly ContextReport[];
  /** What was told to listeners. */
  readonly calls: readonly SummaryCall[];
}

async function run(
  agent: FetchAgent<unknown>,
  { options = {}, reusesPrompt = false, summaries = [] }: RunOptions = {},
): Promise<Run> {
  const upstream = await upstreamForTest({ window: WINDOW, script: scriptOf(summaries) });
  const native = createNativeContext(agent.format, {
    window: WINDOW,
    tools: agent.tools,
    summarizer: agent.summarizer(upstream.url, WINDOW, reusesPrompt),
    ...options,
  });
  const calls: SummaryCall[] = [];
  native.context.on("modelCalled", (call) => void calls.push(call));
  const task = { url: upstream.url, system: SYSTEM, task: TASK };
  const reports = await runFetchAgent(agent, native, task);
  await native.context.close();
  const compactions = reports.filter(({ action }) => action === "compact");
  return { upstream, reports, compactions, calls };
}

function scriptOf(summaries: readonly Reply[]): Script {
  let step = 0;
  let asked = 0;
  const waiting: { readonly until: number; readonly go: () => void }[] = [];
  return async (view) => {
    if (isSummaryRequest(view)) {
      const wish = summaries[asked++];
      await new Promise<void>((resolve) => {
        waiting.push({ until: step + SLOW_STEPS, go: resolve });
        setTimeout(resolve, SLOW_MS);
      });
      return wish ?? fairSummary(view.lastUserText);
    }
    step++;
    for (const { until, go } of waiting) if (step >= until) go();
    return step > STEPS ? "All 300 parts are thought through." : nextStep(step);
  };
}

function isSummaryRequest({ lastUserText }: RequestView): boolean {
  return lastUserText.includes("The whole summary has at most");
}

/** About 260 tokens, nearly all of them the agent's own words: pruning would find nothing. */
function nextStep(step: number): Reply {
  const thoughts = Array.from(
    { length: 14 },
    (_, n) => `Part ${step}.${n}: its name is kept, and what depends on it is checked again.`,
  );
  return {
    parts: [
      { type: "text", text: thoughts.join("\n") },
      { type: "call", name: "note", input: { text: `part ${step} is fine` } },
    ],
  };
}

/** Tokens that the agent's steps added: what the last request would be without any compaction. */
function produced({ requests }: Upstream): number {
  const steps = requests.filter(({ view }) => view !== undefined && !isSummaryRequest(view));
  const output = steps.reduce((sum, { usage }) => sum + (usage?.output ?? 0), 0);
  // A result is `Noted.` and its frame.
  return output + steps.length * 12;
}

/** System prompt, tools and task; the largest step; the frame around a summary. In tokens. */
const FIXED = 150;
const LARGEST_STEP = 300;
const FRAME = 120;

/**
 * What is left after a compaction at the most: the fixed part, a summary under its cap with its
 * frame, and a tail of its budget and up to one step more. If it was prepared in the background,
 * the tail is longer by what came since, which is from 85 % of usable on.
 */
function mostAfter(ahead: boolean): number {
  const since = ahead ? Math.ceil(0.15 * usable) + LARGEST_STEP : 0;
  return FIXED + summary + FRAME + tail + LARGEST_STEP + since;
}

/**
 * A window that is full at `usable` tokens has room for `usable - after` more after each compaction,
 * with what was really left on average: so many are needed for all that does not fit at first.
 */
function neededCompactions({ upstream, compactions }: Run): number {
  const left = compactions.reduce((sum, { tokens }) => sum + tokens.after, 0);
  const after = left / compactions.length;
  return Math.ceil((FIXED + produced(upstream) - usable) / (usable - after));
}

function totalOf(calls: readonly SummaryCall[]): Readonly<Record<string, number>> {
  const usages = calls.flatMap(({ usage }) => usage ?? []);
  return {
    input: usages.reduce((sum, { input }) => sum + input, 0),
    cached: usages.reduce((sum, { cached = 0 }) => sum + cached, 0),
    output: usages.reduce((sum, { output }) => sum + output, 0),
  };
}

/** What the server itself counted of the calls for summaries. */
function servedTotal({ requests }: Upstream): Readonly<Record<string, number>> {
  const asked = requests.filter(({ view }: LoggedRequest) => view && isSummaryRequest(view));
  const sum = (of: "input" | "cacheRead" | "output"): number =>
    asked.reduce((total, { usage }) => total + (usage?.[of] ?? 0), 0);
  return { input: sum("input"), cached: sum("cacheRead"), output: sum("output") };
}

function expectFinished(done: Run, ahead: boolean): void {
  const { upstream, reports, compactions } = done;
  expect(upstream.refusals).toEqual([]);
  expect(reports).toHaveLength(STEPS + 1);
  expect(reports.flatMap(({ failures }) => failures)).toEqual([]);
  expect(compactions.length).toBeGreaterThan(5);
  expect(compactions.length).toBeLessThanOrEqual(neededCompactions(done) + 1);
  for (const { summary, tokens } of compactions) {
    expect(tokens.after).toBeLessThanOrEqual(mostAfter(ahead));
    expect(summary?.source).not.toBe("extractive");
  }
}

describe.each(AGENTS)("300 steps in a window of 32k: %s", (_, agent) => {
  it("does not wait for summaries that are prepared in the background", async () => {
    const done = await run(agent);
    expectFinished(done, true);
    const { compactions, calls, upstream } = done;
    const waited = compactions.filter(({ summary }) => summary!.waitedMs > 0);
    // A step may be larger than all before it.
    expect(waited.length).toBeLessThanOrEqual(Math.max(1, compactions.length * 0.1));
    expect(totalOf(calls)).toEqual(servedTotal(upstream));
  });

  it("waits for every one of them without", async () => {
    const done = await run(agent, { options: { summarizeAhead: false } });
    expectFinished(done, false);
    for (const { summary } of done.compactions) {
      expect(summary).toMatchObject({ ahead: "none" });
      expect(summary!.waitedMs).toBeGreaterThan(0);
    }
  });

  it("reports what every call cost, retries included", async () => {
    const summaries: Reply[] = [
      { misbehave: "answers-chat" },
      fairSummary(""),
      { misbehave: "cut-off", text: fairSummary("") },
      { misbehave: "cut-off", text: fairSummary("") },
      { misbehave: "server-error" },
    ];
    const { reports, calls, upstream } = await run(agent, { summaries });
    expect(upstream.refusals).toEqual([]);
    expect(calls.filter(({ attempt }) => attempt === 2).length).toBeGreaterThanOrEqual(3);
    expect(totalOf(calls)).toEqual(servedTotal(upstream));
    expect(reports.at(-1)?.modelUsage).toEqual(servedTotal(upstream));
  });

  it("pays for little of the prompt again where the model is the agent's own", async () => {
    const done = await run(agent, { reusesPrompt: true });
    expectFinished(done, true);
    const { calls, upstream } = done;
    const total = totalOf(calls);
    expect(total).toEqual(servedTotal(upstream));
    expect(calls.every(({ reusedPrompt }) => reusedPrompt)).toBe(true);
    expect(total["cached"]! / total["input"]!).toBeGreaterThan(0.8);
  });
});

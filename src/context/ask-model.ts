import { type Failure, isContextError } from "../core/error.ts";
import { extractLedger } from "../core/ledger/extract.ts";
import { planContext } from "../core/plan/plan-context.ts";
import { prunedView } from "../core/prune/prune.ts";
import { type Breaker, createBreaker, startDeadline, untilAborted } from "../models/bounds.ts";
import {
  asSummarizer,
  type ModelSummary,
  type Summarizer,
  type SummaryCall,
} from "../models/summarizer.ts";
import { type Ahead, type AheadSummary, createAhead } from "./ahead.ts";
import { earlierSummaries, type RecordsOf } from "./earlier-summaries.ts";
import { aheadShare, type ContextOptions, summarizerTimeout } from "./options.ts";
import { chooseTemplate } from "./templates.ts";
import type { Message } from "../core/message/index.ts";
import type { CompactionPlan, ContextPlan, PlanOptions } from "../core/plan/index.ts";
import type { CompactionTemplate, Words } from "../core/summary/index.ts";
import type { ProviderTokens } from "./measure.ts";
import type { View } from "./report.ts";

/** The model that a context asks for summaries, and its answers so far. */
export interface Asked {
  /** Absent where summaries are extractive. */
  readonly summarizer: Summarizer | undefined;
  /** In ms. */
  readonly summarizerTimeoutMs: number;
  readonly breaker: Breaker;
  readonly ahead: Ahead;
  /** Heads that were shorter than their summaries, by key and template: none is summarized again. */
  readonly tooShort: Set<string>;
  /** The share of usable from which on a summary is prepared; infinite for never. */
  readonly aheadShare: number;
  /** The usage of all calls. */
  readonly usages: SummaryCall["usage"][];
}

export function createAsked(options: ContextOptions, now: () => number): Asked {
  const { summarizer, summarizerTimeoutMs, summarizeAhead } = options;
  const isModel = summarizer !== undefined && summarizer !== "extractive";
  return {
    summarizer: isModel ? asSummarizer(summarizer) : undefined,
    summarizerTimeoutMs: summarizerTimeout(summarizerTimeoutMs),
    breaker: createBreaker(now),
    ahead: createAhead(),
    tooShort: new Set(),
    aheadShare: aheadShare(summarizeAhead),
    usages: [],
  };
}

/** The model, and all that a question to it is made from. */
export interface Asking extends Asked, Pick<ProviderTokens, "counter" | "meter"> {
  readonly now: () => number;
  readonly options: ContextOptions;
  /** The agent's requests, beside their messages. */
  readonly beside: { readonly instructions?: string; readonly tools?: unknown };
  readonly history: { readonly recordsOf: RecordsOf };
  readonly events: { emit(name: "modelCalled", call: SummaryCall): void };
}

/**
 * The agent or a tool has said something since the last compaction. If not, no model is asked
 * again: about the same state of the work it cannot say more.
 */
function hasWorked({ records, fresh }: Pick<View, "records" | "fresh">): boolean {
  if (records.at(-1)?.plan.action !== "compact") return true;
  return fresh.some(({ role }) => role === "assistant" || role === "tool");
}

/** A model's part in an edit, and the agent's wait for it. */
export interface ModelWork {
  readonly words?: Words;
  readonly calls: readonly SummaryCall[];
  /** `ready`: written while the agent worked. `waited`: begun then, but not finished in time. */
  readonly ahead: "none" | "ready" | "waited";
  /** In ms. */
  readonly waitedMs: number;
  readonly failure?: Failure;
}

const NO_WORK: ModelWork = { calls: [], ahead: "none", waitedMs: 0 };

interface Head {
  /** The legal list that the head begins. */
  readonly messages: readonly Message[];
  readonly compaction: CompactionPlan;
  readonly planOptions: PlanOptions;
  readonly template: CompactionTemplate;
  readonly signal?: AbortSignal;
}

/** A plan that may want a summary. */
interface Wanted extends Omit<Head, "compaction"> {
  readonly view: View;
  readonly plan: ContextPlan;
  /** The summary that was begun ahead of need for these messages. */
  readonly ahead: AheadSummary | undefined;
}

/**
 * The summary that a plan asks for, as far as a model writes it: the one that was prepared, if the
 * plan's head is what it was written about, else one written now. At most one of the two is asked.
 */
export async function modelSummaryFor(
  asking: Asking,
  { view, plan: { compaction }, ahead, ...head }: Wanted,
): Promise<ModelWork> {
  if (compaction === undefined || asking.summarizer === undefined) return NO_WORK;
  const startedAt = asking.now();
  if (ahead?.tailStart !== compaction.tailStart) {
    asking.ahead.drop();
    if (!hasWorked(view)) return NO_WORK;
    const made = await startSummary(asking, { ...head, compaction });
    return { ...workOf(asking, made), ahead: "none", waitedMs: asking.now() - startedAt };
  }
  const wasReady = ahead.isReady;
  const made = await waitFor(asking, ahead, head.signal);
  const waitedMs = wasReady ? 0 : asking.now() - startedAt;
  return { ...workOf(asking, made), ahead: wasReady ? "ready" : "waited", waitedMs };
}

function workOf(
  { summarizer, breaker }: Asking,
  made: ModelSummary | undefined,
): Pick<ModelWork, "words" | "calls" | "failure"> {
  if (made !== undefined) {
    const { words, calls, failure } = made;
    return { words, calls, failure: failure === undefined ? undefined : failed(failure) };
  }
  const why = breaker.allows
    ? "gave no summary"
    : "failed three times in a row and is not asked for a while";
  return { calls: [], failure: failed(`${summarizer?.name ?? "The model"} ${why}.`) };
}

function failed(why: string): Failure {
  return {
    code: "summarizer-failed",
    message: `The summary was made without a model: ${why}`,
  };
}

/** The prepared summary, or why there is none, when it does not come within the time limit. */
async function waitFor(
  { ahead, summarizerTimeoutMs, now }: Asking,
  { answer }: AheadSummary,
  signal: AbortSignal | undefined,
): Promise<ModelSummary | undefined> {
  const deadline = startDeadline({ timeoutMs: summarizerTimeoutMs, signal, now });
  try {
    const made = await untilAborted(answer, deadline.signal);
    // A caller that gives up changes nothing: the next call finds the answer again.
    if (signal?.aborted !== true) ahead.take();
    return made === undefined ? { calls: [], failure: deadline.reason() ?? "" } : made.value;
  } finally {
    deadline.end();
  }
}

/** Asks the model for a summary; `undefined` when there is none, or none that may be asked. */
async function startSummary(
  asking: Asking,
  { messages, compaction, planOptions, template, signal }: Head,
): Promise<ModelSummary | undefined> {
  const { summarizer, breaker, options, meter, counter, now, beside } = asking;
  if (summarizer === undefined || !breaker.allows) return undefined;
  const { system, tailStart, summary, unpinned = [] } = compaction;
  const { toolKinds, cwd } = options;
  const all = messages.slice(system, tailStart);
  const head = all.filter(isWork);
  const pruned = prunedView(messages, { ...planOptions, excess: Infinity });
  // The bytes that the agent sent up to the end of the head are in the provider's cache.
  const live = { system: beside.instructions, tools: beside.tools };
  const question = {
    summarizer,
    task: {
      head: pruned.slice(system, tailStart).filter(isWork),
      unpruned: head,
      whole: unpinned.flatMap(({ message, part }) => messages[message]?.parts[part] ?? []),
      previousSummary: earlierSummaries(all, asking.history.recordsOf).text,
      ledger: extractLedger(head, { toolKinds, cwd }),
      cwd,
      template,
      cap: summary.cap,
    },
    replaces: meter.total(all),
    count: (text: string) => counter.count(text),
    timeoutMs: asking.summarizerTimeoutMs,
    now,
    signal,
    live:
      summarizer.reusesPrompt === true
        ? { ...live, messages: messages.slice(0, tailStart) }
        : undefined,
  };
  const { askForSummary } = await import("../models/ask.ts");
  const made = await askForSummary(question);
  for (const call of made.calls) {
    asking.usages.push(call.usage);
    asking.events.emit("modelCalled", call);
  }
  if (signal?.aborted === true) return made;
  if (made.words === undefined) breaker.failed();
  else breaker.succeeded();
  return made;
}

function isWork({ kind }: Message): boolean {
  return kind !== "summary" && kind !== "continuation";
}

/** After a look that came to nothing, this share of usable must come before the next one. */
const NEXT_LOOK = 0.03;

/**
 * Starts a summary while the agent works, when the window is getting full; never throws.
 * @param planning Makes the options of a plan; `undefined` for messages that must be repaired first.
 */
export function prepareAhead(
  asking: Asking,
  view: View,
  { usable, planning }: { usable: number; planning: () => PlanOptions | undefined },
): void {
  const { ahead, breaker } = asking;
  const { messages } = view;
  const tokens = view.measured.most;
  if (ahead.isUnderWay || !breaker.allows || !hasWorked(view)) return;
  const growth = ahead.growth(tokens);
  if (tokens < usable * asking.aheadShare) return;
  if (!ahead.isTimeToLook(tokens, usable * NEXT_LOOK)) return;
  const planOptions = planning();
  if (planOptions === undefined || tokens + growth * STEPS_AHEAD < usable) return;
  const compaction = compactionIfFull(messages, planOptions, tokens);
  if (compaction === undefined) return;
  const { template } = chooseTemplate(asking.options);
  const head = { messages, compaction, planOptions, template };
  ahead.begin({ messages, tailStart: compaction.tailStart, template }, (signal) =>
    startSummary(asking, { ...head, signal }),
  );
}

/**
 * In so many steps a model has answered, as a rule, also where steps are quick. With 4 as many are
 * thrown away, and the agent waits more often: `bench/quality/ahead.ts`.
 */
const STEPS_AHEAD = 12;

/**
 * The compaction if the window were full; `undefined` if no summary were needed. The rest until
 * then is taken for more of the same, so the window is as large as its load now: outputs that can
 * be pruned come, too.
 */
function compactionIfFull(
  messages: readonly Message[],
  options: PlanOptions,
  tokens: number,
): CompactionPlan | undefined {
  const budget = { ...options.budget, usable: tokens };
  try {
    return planContext(messages, { ...options, budget, usedTokens: tokens }).compaction;
  } catch (error) {
    // An edit that needs it says so.
    if (isContextError(error)) return undefined;
    throw error;
  }
}

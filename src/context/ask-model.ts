import { type Failure, isContextError } from "../core/error.ts";
import { extractLedger, type ExtractOptions } from "../core/ledger/extract.ts";
import { planContext } from "../core/plan/plan-context.ts";
import { prunedView } from "../core/prune/prune.ts";
import { type Breaker, createBreaker, startDeadline, untilAborted } from "../models/bounds.ts";
import {
  asSummarizer,
  type LiveRequest,
  type ModelSummary,
  type Summarizer,
  type SummaryCall,
} from "../models/summarizer.ts";
import type { JournalRecord } from "./journal.ts";
import type { ContextOptions } from "./options.ts";
import { type Ahead, type AheadSummary, createAhead, type Prefix } from "./ahead.ts";
import { aheadShare, createSpending, type Spending, summarizerTimeout } from "./summarizing.ts";
import { earlierSummaries, type RecordsOf } from "./write-summary.ts";
import type { Message } from "../core/message/index.ts";
import type {
  CompactionPlan,
  ContextPlan,
  PlanOptions,
  UnpinnedResult,
} from "../core/plan/index.ts";
import type { PruneContext } from "../core/prune/index.ts";
import type { CompactionTemplate, Words } from "../core/summary/index.ts";
import type { TokenCounter } from "../core/tokens/index.ts";

/** Whom a context asks for summaries, and what it remembers of that. */
export interface Asked {
  /** Absent where summaries are extractive. */
  readonly summarizer: Summarizer | undefined;
  /** In ms. */
  readonly summarizerTimeoutMs: number;
  readonly breaker: Breaker;
  readonly ahead: Ahead;
  readonly spending: Spending;
  /** The share of usable from which on a summary is prepared; infinite for never. */
  readonly aheadShare: number;
}

export function createAsked(options: ContextOptions, now: () => number): Asked {
  const { summarizer, summarizerTimeoutMs, summarizeAhead } = options;
  const isModel = summarizer !== undefined && summarizer !== "extractive";
  return {
    summarizer: isModel ? asSummarizer(summarizer) : undefined,
    summarizerTimeoutMs: summarizerTimeout(summarizerTimeoutMs),
    breaker: createBreaker(now),
    ahead: createAhead(),
    spending: createSpending(),
    aheadShare: aheadShare(summarizeAhead),
  };
}

/** What a summary is asked with. */
export interface Asking extends Asked {
  readonly counter: TokenCounter;
  readonly meter: { total(messages: readonly Message[]): number };
  readonly now: () => number;
  readonly options: Pick<ExtractOptions, "cwd" | "toolKinds">;
  /** What the agent sends beside its messages. */
  readonly beside: { readonly instructions?: string; readonly tools?: unknown };
  readonly history: { readonly recordsOf: RecordsOf };
  readonly events: { emit(name: "modelCalled", call: SummaryCall): void };
}

/**
 * Whether the agent or a tool has said anything since the last compaction. If not, no model is asked
 * again: about the same state of the work it cannot say more.
 */
export function hasWorkedSince(
  records: readonly JournalRecord[],
  fresh: readonly Message[],
): boolean {
  if (records.at(-1)?.plan.action !== "compact") return true;
  return fresh.some(({ role }) => role === "assistant" || role === "tool");
}

/** What a model contributed to an edit, and how long the agent waited for it. */
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

/** A plan that wants a summary. */
export interface Wanted {
  readonly messages: readonly Message[];
  readonly plan: ContextPlan;
  readonly planOptions: PlanOptions;
  readonly template: CompactionTemplate;
  /** What was begun ahead of need for these messages. */
  readonly ahead: AheadSummary | undefined;
  /** See {@link hasWorkedSince}. */
  readonly hasWorked: boolean;
  readonly signal?: AbortSignal;
}

/**
 * The summary that a plan asks for, as far as a model writes it: the one that was prepared, if the
 * plan's head is what it was written about, else one written now. At most one of the two is asked.
 */
export async function modelSummaryFor(asking: Asking, wanted: Wanted): Promise<ModelWork> {
  const { messages, plan, planOptions, template, ahead, hasWorked, signal } = wanted;
  const { compaction, length } = plan;
  if (compaction === undefined || asking.summarizer === undefined) return NO_WORK;
  const startedAt = asking.now();
  const { tailStart } = compaction;
  const prepared = ahead?.tailStart === tailStart ? ahead : undefined;
  if (prepared === undefined) {
    asking.ahead.drop();
    if (!hasWorked) return NO_WORK;
    const stretch = stretchOf(messages.slice(0, length), compaction, planOptions);
    const made = await startSummary(asking, stretch, { template, signal });
    return { ...workOf(asking, made), ahead: "none", waitedMs: asking.now() - startedAt };
  }
  const wasReady = prepared.isReady;
  const made = await waitFor(asking, prepared, signal);
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

/** The part of a legal view that a summary is to stand for. */
interface Stretch extends Prefix {
  /** How many leading system messages stand before it. */
  readonly system: number;
  /** The most tokens that the summary may have. */
  readonly cap: number;
  /** Protected results of it that are to be shown whole. */
  readonly unpinned: readonly UnpinnedResult[];
  readonly prune: PruneContext;
}

function stretchOf(
  messages: readonly Message[],
  { system, tailStart, summary, unpinned = [] }: CompactionPlan,
  options: PlanOptions,
): Stretch {
  const prune = { ...options, excess: Infinity };
  return { messages, system, tailStart, cap: summary.cap, unpinned, prune };
}

interface StartOptions {
  readonly template: CompactionTemplate;
  readonly signal?: AbortSignal;
}

/** Asks the model for a summary; `undefined` when there is none, or none that may be asked. */
async function startSummary(
  asking: Asking,
  stretch: Stretch,
  { template, signal }: StartOptions,
): Promise<ModelSummary | undefined> {
  const { summarizer, breaker, options, meter, counter, now } = asking;
  if (summarizer === undefined || !breaker.allows) return undefined;
  const { messages, system, tailStart, cap, unpinned, prune } = stretch;
  const all = messages.slice(system, tailStart);
  const head = all.filter(isWork);
  const { toolKinds, cwd } = options;
  const question = {
    summarizer,
    task: {
      head: prunedView(messages, prune).slice(system, tailStart).filter(isWork),
      unpruned: head,
      whole: unpinned.flatMap(({ message, part }) => messages[message]?.parts[part] ?? []),
      previousSummary: earlierSummaries(all, (text) => asking.history.recordsOf(text)).text,
      ledger: extractLedger(head, { toolKinds, cwd }),
      cwd,
      template,
      cap,
    },
    replaces: meter.total(all),
    count: (text: string) => counter.count(text),
    timeoutMs: asking.summarizerTimeoutMs,
    now,
    signal,
    live: summarizer.reusesPrompt === true ? liveRequest(asking, stretch) : undefined,
  };
  const { askForSummary } = await import("../models/ask.ts");
  const made = await askForSummary(question);
  for (const call of made.calls) {
    asking.spending.add(call);
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

/** What the agent sent up to the end of the stretch; the same bytes are in the provider's cache. */
function liveRequest({ beside }: Asking, { messages, tailStart }: Stretch): LiveRequest {
  const { instructions, tools } = beside;
  return { system: instructions, tools, messages: messages.slice(0, tailStart) };
}

/** How full a window is, for a summary ahead of need. */
export interface Filling {
  readonly messages: readonly Message[];
  readonly tokens: number;
  /** From so many tokens on it may be time. */
  readonly limit: number;
  /** After a look that came to nothing, so many tokens must come before the next one. */
  readonly step: number;
  /** Asked when a summary is begun. */
  readonly template: () => CompactionTemplate;
  /** `undefined` for messages that must be repaired first. */
  readonly planOptions: () => PlanOptions | undefined;
}

/** Starts a summary while the agent works, when the window is getting full; never throws. */
export function prepareAhead(asking: Asking, filling: Filling): void {
  const { ahead, summarizer, breaker } = asking;
  const { messages, tokens, limit, step } = filling;
  if (summarizer === undefined || ahead.isUnderWay || !breaker.allows) return;
  const growth = ahead.growth(tokens);
  if (tokens < limit || !ahead.isTimeToLook(tokens, step)) return;
  const options = filling.planOptions();
  if (options === undefined || tokens + growth * STEPS_AHEAD < options.budget.usable) return;
  const compaction = compactionIfFull(messages, options, tokens);
  if (compaction === undefined) return;
  const stretch = stretchOf(messages, compaction, options);
  const template = filling.template();
  ahead.begin({ ...stretch, template }, (signal) =>
    startSummary(asking, stretch, { template, signal }),
  );
}

/**
 * In so many steps a model has answered, as a rule, also where steps are quick. With 4 as many are
 * thrown away, and the agent waits more often: `bench/quality/ahead.ts`.
 */
const STEPS_AHEAD = 12;

/**
 * The compaction if the window were full; `undefined` if no summary were needed. What comes until
 * then is taken for more of the same, so the window is as large as what it holds now: outputs that
 * can be pruned come, too.
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
    // What cannot be compacted now is said when it must be.
    if (isContextError(error)) return undefined;
    throw error;
  }
}

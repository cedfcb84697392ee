import type { Failure } from "../../core/error.ts";
import { startDeadline, untilAborted } from "../../models/call-deadline.ts";
import type { ModelSummary, SummaryCall } from "../../models/model-summary.ts";
import type { AheadSummary } from "./ahead.ts";
import type { ArchivedPlan, EditOptions } from "../edit/edit-view.ts";
import type { Session } from "../session.ts";
import { startSummary } from "./summary-task.ts";
import type { View } from "../view/view.ts";

/** What a model contributed to an edit, and how long the agent waited for it. */
export interface ModelWork {
  readonly text?: string;
  readonly hasGaps: boolean;
  readonly calls: readonly SummaryCall[];
  /** `ready`: written while the agent worked. `waited`: begun then, but not finished in time. */
  readonly ahead: "none" | "ready" | "waited";
  /** In ms. */
  readonly waitedMs: number;
  readonly failure?: Failure;
}

const NO_WORK: ModelWork = { hasGaps: false, calls: [], ahead: "none", waitedMs: 0 };

export interface ModelWorkOptions {
  readonly archived: ArchivedPlan;
  readonly ahead: AheadSummary | undefined;
  readonly edit: EditOptions;
}

/**
 * The summary that a plan asks for, as far as a model writes it: the one that was prepared, if the
 * plan's head is what it was written about, else one written now. At most one of the two is asked.
 */
export async function modelSummaryFor(
  session: Session,
  view: View,
  { archived, ahead, edit }: ModelWorkOptions,
): Promise<ModelWork> {
  const { compaction, length } = archived.plan;
  if (compaction === undefined || session.summarizer === undefined) return NO_WORK;
  const startedAt = session.now();
  const isPrepared = ahead !== undefined && ahead.tailStart === compaction.tailStart;
  if (!isPrepared) session.ahead.drop();
  if (!isPrepared && !hasWorkedSince(session, view)) return NO_WORK;
  const wasReady = isPrepared && ahead.isReady;
  const made = isPrepared
    ? await waitFor(ahead, session, edit.signal)
    : await startSummary(
        session,
        {
          messages: archived.messages.slice(0, length),
          system: compaction.system,
          tailStart: compaction.tailStart,
          cap: compaction.summary.cap,
        },
        edit,
      );
  const state = wasReady ? "ready" : "waited";
  return {
    ...workOf(session, made),
    ahead: isPrepared ? state : "none",
    waitedMs: wasReady ? 0 : session.now() - startedAt,
  };
}

function workOf(
  { summarizer, breaker }: Session,
  made: ModelSummary | undefined,
): Pick<ModelWork, "text" | "hasGaps" | "calls" | "failure"> {
  if (made !== undefined) {
    const { text, hasGaps, calls, failure } = made;
    const isFailed = failure !== undefined && text === undefined;
    return { text, hasGaps, calls, ...(isFailed && { failure: failed(failure) }) };
  }
  const why = breaker.allows
    ? "gave no summary"
    : "failed three times in a row and is not asked for a while";
  return {
    hasGaps: false,
    calls: [],
    failure: failed(`${summarizer?.name ?? "The model"} ${why}.`),
  };
}

function failed(why: string): Failure {
  return {
    code: "summarizer-failed",
    message: `The summary was made without a model: ${why}`,
  };
}

/**
 * No model is asked twice about one state of the work: if neither the agent nor a tool has said
 * anything since the last compaction, asking again cannot bring more.
 */
export function hasWorkedSince({ tracker }: Session, { fresh }: View): boolean {
  if (tracker.records.at(-1)?.plan.action !== "compact") return true;
  return fresh.some(({ role }) => role === "assistant" || role === "tool");
}

/** The prepared summary, or why there is none, when it does not come within the time limit. */
async function waitFor(
  { answer }: AheadSummary,
  { ahead, summarizerTimeoutMs, now }: Session,
  signal: AbortSignal | undefined,
): Promise<ModelSummary | undefined> {
  const deadline = startDeadline({ timeoutMs: summarizerTimeoutMs, signal, now });
  try {
    const made = await untilAborted(answer, deadline.signal);
    // Who gives up changes nothing: the next call finds it again.
    if (signal?.aborted !== true) ahead.take();
    const failure = deadline.reason() ?? "";
    return made === undefined ? { hasGaps: false, calls: [], failure } : made.value;
  } finally {
    deadline.end();
  }
}

import type { Continuation } from "../core/continuation/index.ts";
import type { Failure } from "../core/error.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { EditReason, Handle, Message } from "../core/message/index.ts";
import type { ContextBudget } from "../core/overflow/index.ts";
import type { SummaryCall, SummaryUsage } from "../models/summarizer.ts";
import type { HistoryView } from "./history.ts";
import type { SummarySource } from "./journal.ts";
import type { AssumedFactor, Measured } from "./measure.ts";

/** The answer of `prepare`. */
export interface Prepared {
  /** The messages to send: the same objects wherever nothing was changed. */
  readonly messages: readonly Message[];
  readonly report: ContextReport;
}

/** The conversation as it stands before a request, and how full the window is. */
export interface View extends HistoryView {
  readonly measured: Measured;
  readonly warnings: readonly string[];
  /** The start of this call, in ms since the epoch. */
  readonly startedAt: number;
}

/** A pruned or clipped piece. */
export interface PieceReport {
  readonly tool: string;
  /** Tokens of the original. */
  readonly tokens: number;
  readonly handle: Handle;
  readonly reason: EditReason;
}

export interface SummaryReport {
  readonly source: SummarySource;
  readonly tokens: number;
  /** The text of each core section. */
  readonly sections: Readonly<Record<string, string>>;
  /** Every call of a model for it, retries included, with the prompt that was sent. */
  readonly calls: readonly SummaryCall[];
  /** Of all calls together, in the provider's tokens; calls that reported nothing count as 0. */
  readonly usage: Required<SummaryUsage>;
  /** Prepared while the agent worked: in time, not quite, or not at all. */
  readonly ahead: "ready" | "waited" | "none";
  /** The agent's wait for models, in ms. */
  readonly waitedMs: number;
}

/** An account of one `prepare`; plain JSON. All sizes in tokens unless named otherwise. */
export interface ContextReport {
  /**
   * The edit of this call. `"none"` does not mean that the list is as it was given: edits of
   * earlier calls are in the returned messages, so send those every time.
   */
  readonly action: "none" | "prune" | "compact";
  readonly window: number;
  readonly reserved: number;
  readonly usable: number;
  readonly tokens: {
    readonly before: number;
    readonly after: number;
    readonly target: number;
    /** `before` rests on a report of the provider, or on estimates alone. */
    readonly source: "reported" | "estimated";
    /** The factor of estimates while nothing was reported, where that is not 1. */
    readonly assumed?: AssumedFactor;
  };
  readonly messages: { readonly before: number; readonly after: number };
  /** Earlier edits that the history no longer fits; they are gone from the list. */
  readonly droppedEdits: number;
  readonly prune: readonly PieceReport[];
  /**
   * Without a compaction: messages whose reasoning went, because it is bound to what was edited
   * before it, and its handle in the archive.
   */
  readonly reasoning?: { readonly messages: number; readonly handle?: Handle };
  /** Pieces of the tail that were clipped so that it fits. */
  readonly clipped: readonly PieceReport[];
  readonly head?: { readonly messages: number; readonly tokens: number; readonly handle?: Handle };
  readonly tail?: { readonly messages: number; readonly tokens: number };
  readonly summary?: SummaryReport;
  /** Summaries that were prepared and thrown away, since the context was created. */
  readonly discardedSummaries: number;
  /**
   * The cost of all calls of models since the context was created, in the provider's tokens, also
   * those for summaries that were thrown away.
   */
  readonly modelUsage: Required<SummaryUsage>;
  /** After a compaction: `added` tells whether a message was added, `text` what it says or would say. */
  readonly continuation?: Omit<Continuation, "message">;
  readonly ledger?: Ledger;
  readonly warnings: readonly string[];
  readonly failures: readonly Failure[];
  readonly durationMs: number;
}

export type ModelCosts = Pick<ContextReport, "discardedSummaries" | "modelUsage">;

/** The sum of calls, in the provider's tokens; calls that reported nothing count as 0. */
export function usageOf(usages: readonly SummaryCall["usage"][]): Required<SummaryUsage> {
  const total = { input: 0, cached: 0, output: 0 };
  for (const { input, cached = 0, output } of usages.filter((usage) => usage !== undefined)) {
    total.input += input;
    total.cached += cached;
    total.output += output;
  }
  return total;
}

export const NO_COSTS: ModelCosts = { discardedSummaries: 0, modelUsage: usageOf([]) };

/** The report of a step in which nothing had to be done. */
export function emptyReport(view: View, budget: ContextBudget, costs: ModelCosts): ContextReport {
  const { tokens, source, assumed } = view.measured;
  const messages = view.messages.length;
  return {
    action: "none",
    window: budget.window,
    reserved: budget.reserved,
    usable: budget.usable,
    tokens: {
      before: tokens,
      after: tokens,
      target: budget.target,
      source,
      ...(assumed && { assumed }),
    },
    messages: { before: messages, after: messages },
    droppedEdits: view.dropped,
    prune: [],
    clipped: [],
    ...costs,
    warnings: view.warnings,
    failures: [],
    durationMs: 0,
  };
}

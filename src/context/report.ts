import type { RunState } from "../core/continuation/index.ts";
import type { Failure } from "../core/error.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { Edit, Handle, Message } from "../core/message/index.ts";
import type { CompactionPlan } from "../core/plan/index.ts";
import { parseSummary, unframeSummary } from "../core/summary/index.ts";
import { partTokens } from "../core/tokens/index.ts";
import type { SummaryCall, SummaryUsage } from "../models/summarizer.ts";
import type { ArchivedPlan } from "./edit/edit-view.ts";
import type { JournalRecord, SummarySource } from "./journal/journal.ts";
import type { Session } from "./session.ts";
import type { ModelWork } from "./summaries/ask-model.ts";
import { usageOf } from "./summaries/summarizing.ts";
import type { View } from "./view/view.ts";

/** A pruned or clipped piece. */
export interface PieceReport {
  readonly tool: string;
  /** Tokens of the original. */
  readonly tokens: number;
  readonly handle: Handle;
  readonly reason: Edit["reason"];
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
  /** Whether it was prepared while the agent worked: in time, not quite, or not at all. */
  readonly ahead: "ready" | "waited" | "none";
  /** How long the agent waited for models, in ms. */
  readonly waitedMs: number;
}

/** What `prepare` did and why; plain JSON. All sizes in tokens unless named otherwise. */
export interface ContextReport {
  readonly action: "none" | "prune" | "compact";
  readonly window: number;
  readonly reserved: number;
  readonly usable: number;
  readonly tokens: {
    readonly before: number;
    readonly after: number;
    readonly target: number;
    /** Whether `before` rests on what the provider reported. */
    readonly source: "reported" | "estimated";
  };
  readonly messages: { readonly before: number; readonly after: number };
  readonly prune: readonly PieceReport[];
  /**
   * Where nothing was compacted: messages whose reasoning went, because it is bound to what was
   * edited before it, and where they are archived.
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
   * What all calls of models have cost since the context was created, in the provider's tokens, also
   * those for summaries that were thrown away.
   */
  readonly modelUsage: Required<SummaryUsage>;
  readonly continuation?: { readonly state: RunState; readonly added: boolean };
  readonly ledger?: Ledger;
  readonly warnings: readonly string[];
  readonly failures: readonly Failure[];
  readonly durationMs: number;
}

/** The report of a step in which nothing had to be done. */
export function emptyReport({ budget, ahead, spending }: Session, view: View): ContextReport {
  const { tokens, source } = view.measured;
  const messages = view.messages.length;
  return {
    action: "none",
    window: budget.window,
    reserved: budget.reserved,
    usable: budget.usable,
    tokens: { before: tokens, after: tokens, target: budget.target, source },
    messages: { before: messages, after: messages },
    prune: [],
    clipped: [],
    discardedSummaries: ahead.discarded,
    modelUsage: spending.total,
    warnings: view.warnings,
    failures: [],
    durationMs: 0,
  };
}

export interface EditFacts {
  readonly session: Session;
  readonly view: View;
  readonly archived: ArchivedPlan;
  readonly record: JournalRecord;
  /** The view after the edit. */
  readonly messages: readonly Message[];
  readonly model: ModelWork;
}

/** What an edit adds to the report. */
export function editReport(facts: EditFacts): Partial<ContextReport> {
  const { session, view, archived, record, messages } = facts;
  const { plan } = archived;
  const pieces = plan.edits.map((edit) => pieceReport(edit, facts));
  const isPruned = (piece: PieceReport): boolean =>
    piece.reason !== "clipped" && piece.reason !== "media";
  return {
    action: plan.action,
    tokens: {
      before: record.tokens.before,
      after: record.tokens.after,
      target: session.budget.target,
      source: view.measured.source,
    },
    messages: { before: archived.messages.length, after: messages.length },
    prune: pieces.filter(isPruned),
    clipped: pieces.filter((piece) => !isPruned(piece)),
    discardedSummaries: session.ahead.discarded,
    modelUsage: session.spending.total,
    ...(plan.reasoning !== undefined && {
      reasoning: {
        messages: plan.reasoning.messages.length,
        ...(archived.isArchived && { handle: plan.reasoning.handle }),
      },
    }),
    ...(plan.compaction !== undefined && compactionReport(plan.compaction, facts)),
    ledger: session.recordedFacts(session.tracker.records),
  };
}

function pieceReport(edit: Edit, { session, archived }: EditFacts): PieceReport {
  const message = archived.messages[edit.message];
  const part = message?.parts[edit.part];
  const isTool = part?.type === "tool-result" || part?.type === "tool-call";
  return {
    tool: isTool ? part.toolName : (message?.role ?? ""),
    tokens: part === undefined ? 0 : partTokens(part, session.counter),
    handle: edit.handle,
    reason: edit.reason,
  };
}

function compactionReport(
  compaction: CompactionPlan,
  { session, archived, record, model }: EditFacts,
): Partial<ContextReport> {
  const { meter, counter } = session;
  const { system, tailStart } = compaction;
  const systemTokens = meter.total(archived.messages.slice(0, system));
  const tail = archived.messages.slice(tailStart);
  const tailTokens = meter.total(tail);
  const text = unframeSummary(record.summary ?? "")?.text ?? "";
  return {
    head: {
      messages: tailStart - system,
      tokens: archived.tokens - systemTokens - tailTokens,
      ...(archived.isArchived && { handle: compaction.handle }),
    },
    tail: { messages: tail.length, tokens: tailTokens },
    summary: {
      source: record.summarySource ?? "extractive",
      tokens: counter.count(record.summary ?? ""),
      sections: Object.fromEntries(parseSummary(text)),
      calls: model.calls,
      usage: usageOf(model.calls),
      ahead: model.ahead,
      waitedMs: model.waitedMs,
    },
    continuation: { state: compaction.state, added: compaction.continuation !== undefined },
  };
}

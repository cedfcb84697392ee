import { type ContinuationPolicy, CONTINUE_TEXT } from "../core/continuation/continuation.ts";
import type { Ledger } from "../core/ledger/index.ts";
import { prunes } from "../core/message/edit.ts";
import type { Edit, Message } from "../core/message/index.ts";
import { wholeTokens } from "../core/overflow/budget.ts";
import type { CompactionPlan } from "../core/plan/index.ts";
import { requestTokens } from "../core/plan/size.ts";
import { partTokens } from "../core/tokens/count.ts";
import type { JournalRecord } from "./journal.ts";
import type { ProviderTokens } from "./measure.ts";
import type { ArchivedPlan } from "./plan-edit.ts";
import type { ContextReport, PieceReport, Prepared } from "./report.ts";
import type { ModelWork } from "./ask-model.ts";
import { usageOf } from "./summarizing.ts";

/** One edit that was made. */
export interface EditFacts {
  readonly planned: ArchivedPlan;
  readonly record: JournalRecord;
  /** The messages after it. */
  readonly messages: readonly Message[];
  readonly model: ModelWork;
  /** The summary by section. */
  readonly sections: Readonly<Record<string, string>>;
  readonly tokens: ProviderTokens;
  /** The facts of all records. */
  readonly ledger: Ledger;
  readonly policy: ContinuationPolicy | undefined;
}

/** Nothing was edited; a list that was full only with what no provider takes goes out mended. */
export function unedited(
  { messages, repairs }: { readonly messages: readonly Message[]; readonly repairs: string[] },
  report: ContextReport,
  tokens: ProviderTokens,
): Prepared {
  const after = Math.min(report.tokens.after, requestTokens(messages, tokens));
  const warnings = [...report.warnings, ...repairs];
  return { messages, report: { ...report, warnings, tokens: { ...report.tokens, after } } };
}

/** What an edit adds to the report. */
export function editReport(facts: EditFacts, before: ContextReport): Partial<ContextReport> {
  const { planned, record, messages, ledger } = facts;
  const { plan, isArchived } = planned;
  const { compaction, reasoning } = plan;
  const pieces = plan.edits.map((edit) => pieceReport(edit, facts));
  return {
    action: plan.action,
    tokens: { ...before.tokens, after: record.tokens.after },
    messages: { before: planned.messages.length, after: messages.length },
    prune: pieces.filter(prunes),
    clipped: pieces.filter((piece) => !prunes(piece)),
    ...(reasoning !== undefined && {
      reasoning: {
        messages: reasoning.messages.length,
        ...(isArchived && { handle: reasoning.handle }),
      },
    }),
    ...(compaction !== undefined && compactionReport(compaction, facts)),
    ledger,
  };
}

function pieceReport(edit: Edit, { planned, tokens }: EditFacts): PieceReport {
  const message = planned.messages[edit.message];
  const part = message?.parts[edit.part];
  const isTool = part?.type === "tool-result" || part?.type === "tool-call";
  return {
    tool: isTool ? part.toolName : (message?.role ?? ""),
    tokens: part === undefined ? 0 : partTokens(part, tokens.counter),
    handle: edit.handle,
    reason: edit.reason,
  };
}

function compactionReport(
  compaction: CompactionPlan,
  { planned, record, model, sections, tokens, policy }: EditFacts,
): Partial<ContextReport> {
  const { system, tailStart, handle, state, needed = false, continuation } = compaction;
  const { meter, counter } = tokens;
  const total = (messages: readonly Message[]): number => wholeTokens(meter.total(messages));
  const tail = planned.messages.slice(tailStart);
  return {
    head: {
      messages: tailStart - system,
      tokens: total(planned.messages.slice(system, tailStart)),
      ...(planned.isArchived && { handle }),
    },
    tail: { messages: tail.length, tokens: total(tail) },
    summary: {
      source: record.summarySource ?? "extractive",
      tokens: counter.count(record.summary ?? ""),
      sections,
      calls: model.calls,
      usage: usageOf(model.calls),
      ahead: model.ahead,
      waitedMs: model.waitedMs,
    },
    continuation: {
      state,
      needed,
      added: continuation !== undefined,
      ...(needed && policy !== "never" && { text: CONTINUE_TEXT }),
    },
  };
}

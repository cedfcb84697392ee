import { type ContinuationPolicy, CONTINUE_TEXT } from "../core/continuation/continuation.ts";
import { prunes } from "../core/message/edit.ts";
import { wholeTokens } from "../core/overflow/budget.ts";
import { applyPlan } from "../core/plan/apply-plan.ts";
import { movedPlan } from "../core/plan/plan.ts";
import { requestTokens } from "../core/plan/size.ts";
import { tokensOfPart } from "../core/tokens/meter.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { Edit, Message } from "../core/message/index.ts";
import type { CompactionPlan, ContextPlan } from "../core/plan/index.ts";
import type { ModelWork } from "./ask-model.ts";
import type { Chain } from "./chain.ts";
import type { History } from "./history.ts";
import type { JournalRecord } from "./journal.ts";
import type { Gauge, ProviderTokens } from "./measure.ts";
import type { ArchivedPlan } from "./plan-edit.ts";
import {
  type ContextReport,
  type PieceReport,
  type Prepared,
  usageOf,
  type View,
} from "./report.ts";
import type { RecordedSummary } from "./write-summary.ts";

/** The part of a view that a record may consume. */
interface Recordable {
  /** The messages at the end of the list that it leaves to the next one. */
  readonly end: number;
  /** The facts of the messages that it consumes. */
  readonly facts: Ledger;
}

/** A plan for a view, and the summary that it asked for. */
interface Decided extends Recordable {
  /** The legal list of the view, for which the plan was made. */
  readonly messages: readonly Message[];
  /** Its messages that are the leading system messages of the view. */
  readonly lead: number;
  readonly plan: ContextPlan;
  readonly recorded: RecordedSummary;
}

/** An edit: its record and the messages after it. */
interface Edited {
  readonly record: JournalRecord;
  readonly messages: readonly Message[];
  /** The messages in place of the consumed ones, without leading system messages. */
  readonly base: readonly Message[];
}

interface RecordParts {
  readonly history: Pick<History, "keyOf">;
  readonly chain: Chain;
  readonly tokens: ProviderTokens;
  readonly gauge: Pick<Gauge, "window">;
}

/** Applies a plan to the newest view of a history, and makes the journal's record of it. */
export function makeRecord(
  view: View,
  { messages: legal, lead, plan: whole, end, facts, recorded }: Decided,
  { history, chain, tokens, gauge }: RecordParts,
): Edited {
  const plan = { ...whole, length: whole.length - end };
  const messages = applyPlan(legal, plan, recorded);
  const base = messages.slice(lead, messages.length - end);
  const record: JournalRecord = {
    version: 2,
    at: view.startedAt,
    plan: movedPlan(plan, -lead),
    before: history.keyOf(view.messages.length - view.lead - end),
    after: { key: chain.keyOf(base), length: base.length },
    follows: view.records.at(-1)?.after.key,
    consumed: consumedBefore(view, end),
    ...recorded,
    facts,
    tokens: { before: view.measured.tokens, after: requestTokens(messages, tokens) },
    window: gauge.window.learned(),
  };
  return { record, messages, base };
}

function consumedBefore({ consumed, fresh }: View, end: number): number {
  return consumed + fresh.length - end;
}

/**
 * The part of a view that a record and its summary may speak of. Messages after the newest step
 * stand in the list itself; the next request may have them in other words, or not at all.
 */
export function recordable(
  facts: Ledger,
  view: View,
  legal: readonly Message[],
  plan: ContextPlan,
): Recordable {
  const end = untouchedEnd(view.fresh, legal, plan);
  const consumed = consumedBefore(view, end);
  const instructions = facts.instructions.filter(({ at }) => at < consumed);
  return { end, facts: { ...facts, instructions } };
}

/**
 * Messages at the end of a view that a plan leaves alone: those after the newest step. Agents put
 * reminders there that are gone in the next request, so no record may rest on them; the next edit
 * sees them as new.
 */
function untouchedEnd(
  fresh: readonly Message[],
  legal: readonly Message[],
  { edits, compaction }: ContextPlan,
): number {
  if (compaction?.continuation !== undefined) return 0;
  const compacted = Math.max(compaction?.hadMedia ?? -1, (compaction?.tailStart ?? 0) - 1);
  // One by one: a call takes only so many arguments.
  const touched = edits.reduce((last, { message }) => Math.max(last, message), compacted);
  // A history is recognised by what was consumed of it.
  const most = Math.min(legal.length - 1 - touched, fresh.length - 1);
  let count = 0;
  while (count < most && isUntouchedInput(legal.at(-1 - count), fresh.at(-1 - count))) count++;
  return count;
}

function isUntouchedInput(message: Message | undefined, given: Message | undefined): boolean {
  return message === given && (message?.role === "user" || message?.role === "system");
}

/** One edit that was made. */
interface EditFacts {
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

/** No edit; a list that was full only with what no provider takes goes out mended. */
export function unedited(
  { messages, repairs }: { readonly messages: readonly Message[]; readonly repairs: string[] },
  report: ContextReport,
  tokens: ProviderTokens,
): Prepared {
  const after = Math.min(report.tokens.after, requestTokens(messages, tokens));
  const warnings = [...report.warnings, ...repairs];
  return { messages, report: { ...report, warnings, tokens: { ...report.tokens, after } } };
}

/** The report of an edit, beside that of the view. */
export function editReport(facts: EditFacts, before: ContextReport): Partial<ContextReport> {
  const { planned, record, messages, ledger } = facts;
  const { plan } = planned;
  const { compaction, reasoning } = plan;
  const pieces = plan.edits.map((edit) => pieceReport(edit, facts));
  return {
    action: plan.action,
    tokens: { ...before.tokens, after: record.tokens.after },
    messages: { before: planned.messages.length, after: messages.length },
    prune: pieces.filter(prunes),
    clipped: pieces.filter((piece) => !prunes(piece)),
    ...(reasoning !== undefined && {
      reasoning: { messages: reasoning.messages.length, handle: reasoning.handle },
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
    tokens: message && part ? wholeTokens(tokensOfPart(message, part, tokens)) : 0,
    handle: edit.handle,
    reason: edit.reason,
  };
}

/** The meter knows the message from the size of the request. */
function summaryTokens(
  messages: readonly Message[],
  { summary = "" }: JournalRecord,
  tokens: ProviderTokens,
): number {
  for (const message of messages) {
    const [part] = message.parts;
    const isSummary = message.kind === "summary" && part?.type === "text";
    if (isSummary && part.text === summary) return tokensOfPart(message, part, tokens);
  }
  return tokens.counter.count(summary);
}

function compactionReport(
  compaction: CompactionPlan,
  { planned, record, messages, model, sections, tokens, policy }: EditFacts,
): Partial<ContextReport> {
  const { system, tailStart, handle, state, needed = false, continuation } = compaction;
  const total = (some: readonly Message[]): number => wholeTokens(tokens.meter.total(some));
  const tail = planned.messages.slice(tailStart);
  return {
    head: {
      messages: tailStart - system,
      tokens: total(planned.messages.slice(system, tailStart)),
      handle,
    },
    tail: { messages: tail.length, tokens: total(tail) },
    summary: {
      source: record.summarySource ?? "extractive",
      tokens: wholeTokens(summaryTokens(messages, record, tokens)),
      sections,
      calls: model.calls,
      usage: usageOf(model.calls.map((call) => call.usage)),
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

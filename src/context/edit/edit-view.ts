import { type Failure, isContextError } from "../../core/error.ts";
import { type Message, type Original, repairMessages } from "../../core/message/index.ts";
import { type ContextPlan, planContext, type PlanOptions } from "../../core/plan/index.ts";
import type { TemplateOverride } from "../../core/summary/index.ts";
import { applyRecord } from "../journal/journal.ts";
import type { Prepared } from "../prepared.ts";
import { editReport, emptyReport } from "../report.ts";
import type { Session } from "../session.ts";
import type { AheadSummary } from "../summaries/ahead.ts";
import { hasWorkedSince, modelSummaryFor } from "../summaries/ask-model.ts";
import type { View } from "../view/view.ts";
import { archiveOriginals } from "./archive-originals.ts";
import { withKnownOriginals } from "./known-originals.ts";
import { makeRecord } from "./make-record.ts";
import { planOptions } from "./plan-options.ts";

/** How one edit was asked for. */
export interface EditOptions {
  /** Compact even though there is room. */
  readonly force: boolean;
  /** The template's override of this call. */
  readonly compactionTemplate?: TemplateOverride;
  readonly signal?: AbortSignal;
}

/** A plan whose originals are in the archive, or that says that they are not. */
export interface ArchivedPlan {
  /** The legal list that the plan was made for. */
  readonly messages: readonly Message[];
  /** What that list holds, in the counter's tokens. */
  readonly tokens: number;
  readonly plan: ContextPlan;
  readonly isArchived: boolean;
  readonly failures: readonly Failure[];
}

/**
 * Plans, archives, has the summary written, journals and applies one edit, in this order. Rejects
 * with the signal's reason when that aborts before the journal has the edit; nothing is changed then.
 */
export async function editView(session: Session, view: View, edit: EditOptions): Promise<Prepared> {
  const { check, ledger, lines, tokens } = session.groundwork.booksOf(view);
  const facts = ledger.ledger();
  const legal = repairMessages(view.messages, check.issues());
  const warnings = [
    ...view.warnings,
    ...legal.repairs.map(({ index, message }) => `message ${index}: ${message}`),
  ];
  const isRepaired = legal.messages !== view.messages;
  const options = {
    ...planOptions(session, view),
    force: edit.force,
    ...(!isRepaired && { lines }),
    countedTokens: isRepaired ? session.meter.total(legal.messages) : tokens,
  };
  // What was prepared has the sections that nobody changed for this call.
  const isUsable = edit.compactionTemplate === undefined;
  const ahead = isUsable ? session.ahead.match(legal.messages) : undefined;
  const archived = await planAndArchive(session, legal.messages, { ...options, ahead });
  const base = { ...emptyReport(session, view), warnings, failures: archived.failures };
  if (archived.plan.action === "none") {
    const report = { ...base, durationMs: session.now() - view.startedAt };
    return { messages: legal.messages, report };
  }
  const model = await modelSummaryFor(session, {
    messages: archived.messages,
    plan: archived.plan,
    template: session.templateFor(edit.compactionTemplate),
    ahead,
    hasWorked: hasWorkedSince(session.tracker.records, view.fresh),
    signal: edit.signal,
  });
  edit.signal?.throwIfAborted();
  const record = makeRecord(session, view, { ...archived, facts, model, edit });
  const messages = applyRecord(legal.messages, record);
  const after = messages.slice(0, record.after.length);
  session.tracker.append(record, after);
  const unsaved = await session.persistence.add(record);
  session.usage.forget();
  session.groundwork.forget();
  session.groundwork.follow({ base: after, messages });
  session.events.emit("edited", record);
  const edited = editReport({ session, view, archived, record, messages, model });
  const failures = [...base.failures, model.failure, unsaved].filter((one) => one !== undefined);
  const durationMs = session.now() - view.startedAt;
  return { messages, report: { ...base, ...edited, failures, durationMs } };
}

type ArchivingOptions = PlanOptions & {
  readonly countedTokens: number;
  readonly ahead: AheadSummary | undefined;
};

/**
 * Originals are archived before anything leaves the window. If the archive takes nothing, the plan
 * is made again without pruning and without promises.
 */
async function planAndArchive(
  session: Session,
  messages: readonly Message[],
  { ahead, ...options }: ArchivingOptions,
): Promise<ArchivedPlan> {
  const { archive } = session;
  const seen = await withKnownOriginals(archive, messages);
  let head: Original | undefined;
  const noting = { ...options, onHead: (original: Original) => (head = original) };
  const plan = planBehind(ahead, seen, noting) ?? planContext(seen, noting);
  const { digest, countedTokens: tokens } = options;
  const failures = await archiveOriginals(seen, plan, { archive, digest, head });
  if (failures.length === 0) return { messages, tokens, plan, isArchived: true, failures };
  const again = planContext(messages, { ...options, canRecall: false });
  return { messages, tokens, plan: again, isArchived: false, failures };
}

/** A tail that is larger than this share of usable would fill the window again at once. */
const LARGEST_TAIL = 0.6;

/** The plan whose head is exactly what a summary was written about, if that is a good one. */
function planBehind(
  ahead: AheadSummary | undefined,
  messages: readonly Message[],
  options: PlanOptions,
): ContextPlan | undefined {
  if (ahead === undefined) return undefined;
  const { tailStart } = ahead;
  const { meter, budget, fixedTokens = 0 } = options;
  const kept = fixedTokens + meter.total(messages.slice(tailStart));
  if (kept > budget.usable * LARGEST_TAIL) return undefined;
  try {
    return planContext(messages, { ...options, tailStart });
  } catch (error) {
    // Another tail may still fit.
    if (isContextError(error)) return undefined;
    throw error;
  }
}

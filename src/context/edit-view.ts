import type { Original } from "../core/edit/index.ts";
import type { Message } from "../core/message/index.ts";
import { repairMessages } from "../core/message/index.ts";
import { type ContextPlan, planContext, type PlanOptions } from "../core/plan/index.ts";
import { archiveOriginals } from "./archive-originals.ts";
import { applyRecord } from "./journal.ts";
import { makeRecord } from "./make-record.ts";
import type { Prepared } from "./prepared.ts";
import { editReport, emptyReport } from "./report.ts";
import type { Failure } from "./report.ts";
import type { Session } from "./session.ts";
import type { View } from "./view.ts";

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

/** Plans, archives, journals and applies one edit, in this order. */
export async function editView(session: Session, view: View, force: boolean): Promise<Prepared> {
  const { check, ledger, lines, tokens } = session.groundwork.booksOf(view);
  const legal = repairMessages(view.messages, check.issues());
  const warnings = [
    ...view.warnings,
    ...legal.repairs.map(({ index, message }) => `message ${index}: ${message}`),
  ];
  const isRepaired = legal.messages !== view.messages;
  const options = {
    ...planOptions(session, view, force),
    ...(!isRepaired && { lines }),
    countedTokens: isRepaired ? session.meter.total(legal.messages) : tokens,
  };
  const archived = await planAndArchive(session, legal.messages, options);
  const base = { ...emptyReport(session.budget, view), warnings, failures: archived.failures };
  if (archived.plan.action === "none") {
    const report = { ...base, durationMs: session.now() - view.startedAt };
    return { messages: legal.messages, report };
  }
  const record = makeRecord(session, view, { ...archived, facts: ledger.ledger() });
  const messages = applyRecord(legal.messages, record);
  session.tracker.append(record, messages);
  session.usage.forget();
  session.groundwork.forget();
  session.events.emit("edited", record);
  const edited = editReport({ session, view, archived, record, messages });
  const durationMs = session.now() - view.startedAt;
  return { messages, report: { ...base, ...edited, durationMs } };
}

/** What the planner needs; the provider's figures become the counter's. */
function planOptions(session: Session, view: View, force: boolean): PlanOptions {
  const { budget, counter, meter, fixedTokens, options } = session;
  const scaled = (tokens: number): number => Math.floor(tokens / session.usage.factor);
  return {
    budget: { ...budget, usable: scaled(budget.usable), target: scaled(budget.target) },
    counter,
    meter,
    digest: session.digest,
    now: view.startedAt,
    fixedTokens,
    // An estimate is better made anew than taken from the running sum.
    usedTokens: view.measured.source === "reported" ? scaled(view.measured.tokens) : undefined,
    limits: options.limits,
    traits: options.traits,
    prune: options,
    toolKinds: options.toolKinds,
    continuation: options.continuation,
    force,
  };
}

type CountedOptions = PlanOptions & { readonly countedTokens: number };

/**
 * Originals are archived before anything leaves the window. If the archive takes nothing, the plan
 * is made again without pruning and without promises.
 */
async function planAndArchive(
  { archive }: Session,
  messages: readonly Message[],
  options: CountedOptions,
): Promise<ArchivedPlan> {
  let head: Original | undefined;
  const plan = planContext(messages, { ...options, onHead: (original) => (head = original) });
  const { digest, countedTokens: tokens } = options;
  const failures = await archiveOriginals(messages, plan, { archive, digest, head });
  if (failures.length === 0) return { messages, tokens, plan, isArchived: true, failures };
  const again = planContext(messages, { ...options, canRecall: false });
  return { messages, tokens, plan: again, isArchived: false, failures };
}

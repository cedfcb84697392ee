import type { Message } from "../core/message/index.ts";
import { repairMessages } from "../core/message/repair.ts";
import { applyPlan } from "../core/plan/apply-plan.ts";
import type { JournalRecord } from "./journal.ts";

/** Leading system messages before an edit, which was made for a legal list. */
export function legalLead(lead: readonly Message[]): readonly Message[] {
  return repairMessages(lead).messages;
}

/** A record's plan and summary, applied to the legal list that they were made for. */
export function applyEdit(
  legal: readonly Message[],
  { plan, summary }: Pick<JournalRecord, "plan" | "summary">,
): readonly Message[] {
  return applyPlan(legal, plan, summary === undefined ? undefined : { summary });
}

/** The result of a stored record for a list; `undefined` if it makes no sense for it. */
export function applyRecord(
  list: readonly Message[],
  record: JournalRecord,
): readonly Message[] | undefined {
  try {
    // Plans are made for legal lists, and repairing is deterministic.
    return applyEdit(repairMessages(list).messages, record);
  } catch {
    // A stored journal may be anything; what makes no sense must not stop the agent.
    return undefined;
  }
}

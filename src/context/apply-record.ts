import type { Message } from "../core/message/index.ts";
import { repairMessages } from "../core/message/repair.ts";
import { applyPlan } from "../core/plan/apply-plan.ts";
import type { JournalRecord } from "./journal.ts";

/** Leading system messages before an edit, which was made for a legal list. */
export function legalLead(lead: readonly Message[]): readonly Message[] {
  return repairMessages(lead).messages;
}

export type ApplyRecord = (
  list: readonly Message[],
  record: JournalRecord,
) => readonly Message[] | undefined;

/** What a record makes of the list that it was made for; `undefined` if it makes no sense for it. */
export const applyRecord: ApplyRecord = (list, { plan, summary }) => {
  try {
    // Plans are made for legal lists, and repairing is deterministic.
    const written = summary === undefined ? undefined : { summary };
    return applyPlan(repairMessages(list).messages, plan, written);
  } catch {
    // A stored journal may be anything; what makes no sense must not stop the agent.
    return undefined;
  }
};

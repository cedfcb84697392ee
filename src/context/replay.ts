import type { Message } from "../core/message/index.ts";
import { repairMessages } from "../core/message/repair.ts";
import { applyPlan } from "../core/plan/apply-plan.ts";
import type { Chain } from "./chain.ts";
import { branchOf, type JournalRecord, type Known } from "./journal.ts";
import { type Standing, UNEDITED } from "./track.ts";

/** Leading system messages before an edit, which was made for a legal list. */
export function legalLead(lead: readonly Message[]): readonly Message[] {
  return repairMessages(lead).messages;
}

/** The result of a stored record for a list; `undefined` if it makes no sense for it. */
function applyRecord(
  list: readonly Message[],
  record: JournalRecord,
): readonly Message[] | undefined {
  try {
    // Plans are made for legal lists, and repairing is deterministic.
    return applyPlan(repairMessages(list).messages, record.plan, record);
  } catch {
    // A stored journal may be anything; what makes no sense must not stop the agent.
    return undefined;
  }
}

/**
 * Finds the edits of a list: takes the longest beginning that is known, puts in its place what the
 * edit made of it, and goes on until nothing more is known.
 */
export function replayed(known: Known, chain: Chain, list: readonly Message[]): Standing {
  const used = new Set<JournalRecord>();
  let standing = UNEDITED;
  for (let step = longestKnown(known); step !== undefined; step = longestKnown(known)) {
    used.add(step.record);
    const { record, length } = step;
    const start = [...standing.base, ...list.slice(standing.taken)].slice(0, length);
    const base = step.isEdit ? applyRecord(start, record) : start;
    if (base === undefined) continue;
    const records = branchOf(known.records, record.after.key);
    for (const one of records) used.add(one);
    const taken = standing.taken + length - standing.base.length;
    standing = { records, taken, base, consumed: record.consumed, isReturned: !step.isEdit };
  }
  return standing;

  function longestKnown({ before, after, longest }: Known): Step | undefined {
    const { base, taken } = standing;
    const end = Math.min(base.length + list.length - taken, longest);
    let step: Step | undefined;
    let key = "";
    for (let length = 1; length <= end; length++) {
      const message = base[length - 1] ?? list[taken + length - 1 - base.length];
      key = chain.next(key, message as Message);
      if (length < base.length) continue;
      const edit = before.get(key);
      const left = after.get(key);
      if (edit !== undefined && !used.has(edit)) step = { record: edit, length, isEdit: true };
      else if (left !== undefined && !used.has(left) && length > base.length) {
        step = { record: left, length, isEdit: false };
      }
    }
    return step;
  }
}

/** A known beginning: the list that a record was made for, or the one that it left. */
interface Step {
  readonly record: JournalRecord;
  readonly length: number;
  readonly isEdit: boolean;
}

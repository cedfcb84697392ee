import type { Archive } from "../../archive/archive.ts";
import { type Message, repairMessages } from "../../core/message/index.ts";
import type { CompactionPlan } from "../../core/plan/index.ts";
import { decodeNeutral } from "../../dialects/neutral/neutral.ts";
import type { JournalRecord } from "../journal/journal.ts";
import type { Session } from "../session.ts";

/**
 * The list to go on with when the newest edit is taken back, for either habit of callers: the whole
 * history as the older edits leave it, or the returned list with what was compacted put back from
 * the archive. `undefined` if there is no edit. Rejects with `unknown-handle` or `archive-failed`
 * when the archive cannot give back what the edit took, and changes nothing then.
 */
export async function undoLast(
  session: Session,
  list: readonly Message[],
): Promise<readonly Message[] | undefined> {
  const { tracker } = session;
  const { base, fresh, isReturned } = tracker.recognise(list);
  const record = tracker.records.at(-1);
  if (record === undefined) return undefined;
  const before = isReturned ? await restored(base, record, session.archive) : undefined;
  const left = tracker.undo(before);
  const failure = await session.persistence.add({
    version: 1,
    at: session.now(),
    undo: record.after.digest,
    ...(left !== undefined && { restored: left }),
  });
  if (failure !== undefined) session.events.emit("failed", failure);
  session.ahead.drop();
  session.usage.forget();
  session.groundwork.forget();
  if (before !== undefined) return [...before, ...fresh];
  const again = tracker.recognise(list);
  return [...again.base, ...again.fresh];
}

/** The view before an edit, from the one after it and the archive. */
async function restored(
  after: readonly Message[],
  { plan }: JournalRecord,
  archive: Archive,
): Promise<readonly Message[]> {
  // What was pruned or clipped stays so: its handle stands in its place.
  if (plan.compaction === undefined) return after;
  const lines = (await archive.get(plan.compaction.handle))
    .split("\n")
    .filter((line) => line !== "");
  const archived = decodeNeutral(lines.map((line) => JSON.parse(line) as never));
  return repairMessages(putBack(after, archived, plan.compaction, plan.length)).messages;
}

/** System messages, the head, then the tail with the reasoning that it had lost. */
function putBack(
  after: readonly Message[],
  archived: readonly Message[],
  { system, tailStart, withoutReasoning, continuation }: CompactionPlan,
  length: number,
): readonly Message[] {
  const headLength = tailStart - system;
  const silenced = new Map(
    withoutReasoning.map((index, at) => [index, archived[headLength + at]] as const),
  );
  const isGone = (index: number): boolean =>
    silenced.get(index)?.parts.every((part) => part.type === "reasoning") === true;
  const indices = Array.from({ length: length - tailStart }, (_, at) => tailStart + at);
  const standing = indices.filter((index) => !isGone(index));
  const end = after.length - (continuation === undefined ? 0 : 1);
  const kept = new Map(
    standing.map((index, at) => [index, after[end - standing.length + at]] as const),
  );
  const tail = indices.flatMap((index) => silenced.get(index) ?? kept.get(index) ?? []);
  return [...after.slice(0, system), ...archived.slice(0, headLength), ...tail];
}

import type { Archive } from "../archive/archive.ts";
import { ContextError } from "../core/error.ts";
import { leadingSystemCount } from "../core/message/structure.ts";
import { repairMessages } from "../core/message/repair.ts";
import { neutral } from "../dialects/neutral/neutral.ts";
import type { Emitter } from "./events.ts";
import type { History, HistoryView } from "./history.ts";
import type { JournalRecord } from "./journal.ts";
import type { Persistence } from "./persistence.ts";
import type { Message } from "../core/message/index.ts";
import type { CompactionPlan } from "../core/plan/index.ts";

export interface UndoParts {
  readonly history: History;
  readonly archive: Archive;
  readonly persistence: Persistence;
  readonly events: Emitter;
  readonly now: () => number;
}

/**
 * Takes the newest edit of a view back. Returns what the caller's list is without it, for either
 * habit of callers: the whole history as it is, or the returned list with what was compacted put
 * back from the archive. `undefined` if there is no edit. Rejects with `unknown-handle` or
 * `archive-failed` when the archive cannot give back what the edit took, and changes nothing then.
 */
export async function undoLast(
  { base, fresh, records, isReturned }: HistoryView,
  messages: readonly Message[],
  { history, archive, persistence, events, now }: UndoParts,
): Promise<readonly Message[] | undefined> {
  const record = records.at(-1);
  if (record === undefined) return undefined;
  const lead = leadingSystemCount(messages);
  const before = isReturned ? await restored(base.slice(lead), record, archive) : undefined;
  const left = history.undo(record, before);
  const undone = { version: 2, at: now(), undo: record.after.key, restored: left } as const;
  const failure = await persistence.add(undone);
  if (failure !== undefined) events.emit("failed", failure);
  return before === undefined ? messages : [...messages.slice(0, lead), ...before, ...fresh];
}

/** The view before an edit, from the one after it and the archive. */
async function restored(
  after: readonly Message[],
  { plan }: JournalRecord,
  archive: Archive,
): Promise<readonly Message[]> {
  // A pruned or clipped piece stays so: its handle stands in its place.
  if (plan.compaction === undefined) return after;
  const { handle } = plan.compaction;
  if (handle === undefined) throw notArchived();
  const lines = (await archive.get(handle)).split("\n").filter((line) => line !== "");
  const archived = neutral.decode(lines.map((line) => JSON.parse(line) as never));
  return repairMessages(putBack(after, archived, plan.compaction, plan.length)).messages;
}

function notArchived(): ContextError {
  return new ContextError(
    "unknown-handle",
    "The archive did not take what the newest edit compacted, so that cannot be taken back; go on with the list that was returned, or with the whole history in a new context.",
  );
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

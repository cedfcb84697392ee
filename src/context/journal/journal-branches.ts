import type { JournalEntry, JournalRecord } from "./journal.ts";

/** Records that were made one upon the other, oldest first. */
export type Branch = readonly JournalRecord[];

/**
 * What the entries of a stored journal left standing, newest branch first. It is one branch, unless
 * two processes worked on one conversation, or a line between two records was lost: then the records
 * before and after the gap are branches of their own.
 */
export function journalBranches(entries: readonly JournalEntry[]): readonly Branch[] {
  const byView = new Map<string, JournalRecord>();
  const undone = new Set<string>();
  for (const entry of entries) {
    if ("undo" in entry) {
      undone.add(entry.undo);
      const { follows } = byView.get(entry.undo) ?? {};
      const before = follows === undefined ? undefined : byView.get(follows);
      if (before !== undefined) byView.set(before.after.digest, restoredAs(before, entry.restored));
      continue;
    }
    const { digest } = entry.after;
    undone.delete(digest);
    // The newest of the same goes last.
    byView.delete(digest);
    byView.set(digest, entry);
  }
  const standing = [...byView.values()].filter(({ after }) => !undone.has(after.digest));
  const followed = new Set(standing.map(({ follows }) => follows));
  const newest = standing.filter(({ after }) => !followed.has(after.digest)).toReversed();
  return newest.map((record) => branchOf(record, byView));
}

/** The newest record of a branch whose next one was undone; see `after.restored`. */
export function restoredAs(record: JournalRecord, restored: string | undefined): JournalRecord {
  return restored === undefined ? record : { ...record, after: { ...record.after, restored } };
}

/** False where the records before the first one are lost, so that nothing can be replayed. */
export function isWhole(branch: Branch): boolean {
  return branch[0]?.follows === undefined;
}

function branchOf(newest: JournalRecord, byView: ReadonlyMap<string, JournalRecord>): Branch {
  const branch = new Set([newest]);
  let { follows } = newest;
  while (follows !== undefined) {
    const before = byView.get(follows);
    if (before === undefined || branch.has(before)) break;
    branch.add(before);
    ({ follows } = before);
  }
  return [...branch].toReversed();
}

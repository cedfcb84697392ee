import type { Digest } from "../../core/handle/index.ts";
import { createShapeCheck, type Message } from "../../core/message/index.ts";
import { fingerprint, isSameMessage, listDigest } from "./fingerprint.ts";
import { EMPTY_PROJECTION, type JournalRecord, type Projection, project } from "./journal.ts";
import { type Branch, isWhole, restoredAs } from "./journal-branches.ts";

/** What {@link Tracker.recognise} made of the caller's list. */
export interface Recognised {
  /** What stands for the consumed part of the history. */
  readonly base: readonly Message[];
  /** The messages that no record has consumed yet. */
  readonly fresh: readonly Message[];
  /** Whether the list was the one that was returned last, and not the whole history. */
  readonly isReturned: boolean;
  /** Records that no longer fit, because the caller changed the history before them. */
  readonly dropped: number;
}

/** Follows one conversation through the lists that its caller passes. */
export interface Tracker {
  /**
   * Takes either habit of callers: the full history every time, or the list that was returned last
   * plus what came since; and both in one, a history that began with a returned list. A history
   * that no longer begins as it did loses the records that do not fit it any more. Throws
   * `invalid-message` for a list of anything but messages.
   */
  recognise(input: readonly Message[]): Recognised;
  /** Appends a record that was made for `view`, which became `after`. */
  append(record: JournalRecord, after: readonly Message[]): void;
  readonly records: readonly JournalRecord[];
  /** How many messages of the history are consumed. */
  readonly consumed: number;
  /**
   * Goes on from a journal that was stored, with the branch that the first list fits; only before
   * that list is recognised.
   */
  restore(stored: readonly Branch[]): void;
  /**
   * Takes the newest record back. `before` is the view that it was made for, where the caller does
   * not keep the whole history. Returns `after.restored` of the record before it, if it got one.
   */
  undo(before: readonly Message[] | undefined): string | undefined;
}

/** A tracker that starts from a stored journal. */
export function createTracker(stored: readonly JournalRecord[], digest: Digest): Tracker {
  let records: Branch = stored;
  let projection: Projection | undefined = stored.length === 0 ? EMPTY_PROJECTION : undefined;
  /** The returned list that the caller's own list begins with, and goes on from by itself. */
  let origin: Projection = EMPTY_PROJECTION;
  /** What was restored, as long as no list has shown which of it is ours. */
  let branches: readonly Branch[] = [];
  const known = createMatcher(digest);
  const checkShape = createShapeCheck();

  return {
    get records() {
      return records;
    },
    get consumed() {
      return projection?.consumed ?? records.at(-1)?.consumed ?? 0;
    },
    recognise(input) {
      checkShape(input);
      if (branches.length > 0) {
        records = branches.find((one) => known.goesOn(input, one)) ?? branches[0] ?? [];
        branches = [];
      }
      projection ??= known.returned(input, records.at(-1));
      if (projection !== undefined && startsWith(input, projection.base)) {
        origin = projection;
        return returnedView(projection, input.slice(projection.base.length));
      }
      const fresh =
        projection && known.fresh(input, { origin, projection, record: records.at(-1) });
      if (projection !== undefined && fresh !== undefined) return returnedView(projection, fresh);
      origin = EMPTY_PROJECTION;
      const before = records.length;
      const fitting = known.fitting(input, records);
      if (projection === undefined || fitting.length < before) {
        ({ records, projection } = replay(fitting, input));
      }
      return {
        base: projection.base,
        fresh: projection.consumed === 0 ? input : input.slice(projection.consumed),
        isReturned: false,
        dropped: before - records.length,
      };
    },
    append(record, after) {
      records = [...records, record];
      projection = { base: after, consumed: record.consumed };
    },
    restore(stored) {
      branches = stored;
      projection = stored.length === 0 ? EMPTY_PROJECTION : undefined;
    },
    undo(before) {
      const last = records.at(-2);
      projection = viewBefore(before, last);
      const left = last && projection && listDigest(projection.base, digest);
      const restored = left === last?.after.digest ? undefined : left;
      records = [...records.slice(0, -2), ...(last ? [restoredAs(last, restored)] : [])];
      return restored;
    },
  };
}

/** What the caller's list starts with after an undo; `undefined` for one with the whole history. */
function viewBefore(
  before: readonly Message[] | undefined,
  last: JournalRecord | undefined,
): Projection | undefined {
  if (last === undefined) return EMPTY_PROJECTION;
  return before && { base: before.slice(0, last.after.length), consumed: last.consumed };
}

function returnedView({ base }: Projection, fresh: readonly Message[]): Recognised {
  return { base, fresh, isReturned: true, dropped: 0 };
}

/** The view of a history, and the records that it is made of. */
function replay(
  records: Branch,
  input: readonly Message[],
): { readonly records: Branch; readonly projection: Projection } {
  try {
    const projection = records.reduce(
      (view, record) => project(view, input, record),
      EMPTY_PROJECTION,
    );
    return { records, projection };
  } catch (error) {
    // A stored journal may be anything; what makes no sense must not stop the agent.
    if (records.length === 0) throw error;
    return replay(records.slice(0, -1), input);
  }
}

/** Tells what a list has to do with a record. */
interface Matcher {
  /** Whether a list, of either habit, is one that the newest record of a branch was made for. */
  goesOn(input: readonly Message[], branch: Branch): boolean;
  /** The records of a branch that consumed what a history begins with. */
  fitting(input: readonly Message[], branch: Branch): Branch;
  /** The list that the record left, passed by a caller who kept nothing else. */
  returned(input: readonly Message[], record: JournalRecord | undefined): Projection | undefined;
  /** What a list that goes on from `origin` holds beyond what is consumed by now, if it does. */
  fresh(input: readonly Message[], since: Since): readonly Message[] | undefined;
}

interface Since {
  readonly origin: Projection;
  readonly projection: Projection;
  readonly record: JournalRecord | undefined;
}

function createMatcher(digest: Digest): Matcher {
  // The caller that passes the whole history passes the same two messages in every step.
  const prints = new WeakMap<Message, string>();
  const printOf = (message: Message): string => {
    const known = prints.get(message) ?? fingerprint(message, digest);
    prints.set(message, known);
    return known;
  };
  const fits = (input: readonly Message[], record: JournalRecord): boolean => {
    const first = input[0];
    const last = input[record.consumed - 1];
    if (first === undefined || last === undefined) return false;
    return printOf(first) === record.first && printOf(last) === record.last;
  };
  const returned: Matcher["returned"] = (input, record) => {
    if (record === undefined || input.length < record.after.length) return undefined;
    const base = input.slice(0, record.after.length);
    const { digest: left, restored } = record.after;
    const said = listDigest(base, digest);
    if (said !== left && said !== restored) return undefined;
    return { base, consumed: record.consumed };
  };
  return {
    goesOn(input, branch) {
      const newest = branch.at(-1);
      if (newest === undefined) return false;
      return returned(input, newest) !== undefined || (isWhole(branch) && fits(input, newest));
    },
    fitting(input, branch) {
      if (!isWhole(branch)) return [];
      const newest = branch.findLastIndex((record) => fits(input, record));
      return branch.slice(0, newest + 1);
    },
    returned,
    fresh(input, { origin, projection, record }) {
      const consumed = projection.consumed - origin.consumed;
      if (consumed <= 0 || !startsWith(input, origin.base)) return undefined;
      const at = origin.base.length + consumed;
      const last = input[at - 1];
      if (last === undefined || printOf(last) !== record?.last) return undefined;
      return input.slice(at);
    },
  };
}

/** Whether a list begins with the messages of another; one object each in the common case. */
function startsWith(list: readonly Message[], start: readonly Message[]): boolean {
  if (start.length === 0 || list.length < start.length) return false;
  return start.every((message, index) => isSameMessage(message, list[index]));
}

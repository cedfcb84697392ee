import { toJson } from "../../core/text/index.ts";
import {
  createShapeCheck,
  type Digest,
  leadingSystemCount,
  type Message,
} from "../../core/message/index.ts";
import { isSameMessage, listDigest } from "./fingerprint.ts";
import { type Branch, journalBranches, restoredAs } from "./journal-branches.ts";
import { EMPTY_PROJECTION, type JournalRecord, project, type Projection } from "./journal.ts";
import { createMatcher, firstSaid, type Matcher, startsWith } from "./matcher.ts";

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
   * plus what came since; and both in one, a history that began with a returned list. The system
   * messages at its beginning may be others every time. A history that no longer begins as it did
   * loses the records that do not fit it any more; a list that they fit gets them back. Throws
   * `invalid-message` for a list of anything but messages.
   */
  recognise(input: readonly Message[]): Recognised;
  /** Appends a record that was made for `view`, which became `after`. */
  append(record: JournalRecord, after: readonly Message[]): void;
  readonly records: readonly JournalRecord[];
  /** The same; while none fits the list of now, those that stood or were stored before. */
  readonly journal: readonly JournalRecord[];
  /**
   * The records behind a summary of ours: all that stand, or those up to it of a list that does not
   * fit any more, because its summary may stand in the list of now all the same.
   */
  recordsOf(summary: string): Branch | undefined;
  /** How many messages of the history are consumed. */
  readonly consumed: number;
  /**
   * Goes on from a journal that was stored, with the branch that a list fits; only before the first
   * list is recognised.
   */
  restore(stored: readonly Branch[]): void;
  /**
   * Takes the newest record back. `before` is the view that it was made for, where the caller does
   * not keep the whole history. Returns `after.restored` of the record before it, if it got one.
   */
  undo(before: readonly Message[] | undefined): string | undefined;
}

/** What a tracker holds between two calls. */
interface Held {
  /** The edits that stand in the list of now. */
  records: Branch;
  /** Those of other lists: stored ones, and what a list lost that did not begin as before. */
  others: readonly Branch[];
  projection: Projection | undefined;
  /** The returned list that the caller's own list begins with, and goes on from by itself. */
  origin: Projection;
  /** The beginning of the last list that was compared with what the other branches left. */
  compared: Message | undefined;
}

/** A tracker that starts from a stored journal. */
export function createTracker(stored: readonly JournalRecord[], digest: Digest): Tracker {
  const held = holding(journalBranches(stored));
  const known = createMatcher(digest);
  const checkShape = createShapeCheck();
  return {
    get records() {
      return held.records;
    },
    get journal() {
      return held.records.length > 0 ? held.records : (held.others[0] ?? []);
    },
    get consumed() {
      return held.projection?.consumed ?? held.records.at(-1)?.consumed ?? 0;
    },
    recognise(input) {
      checkShape(input);
      takeLead(held, input);
      const own = ownView(held, known, input);
      if (own?.isReturned === true) return own;
      const other = otherBranch(held, known, { input, isFitting: own !== undefined });
      if (other === undefined) return own ?? cutView(held, known, input);
      standOn(held, other);
      return ownView(held, known, input) ?? cutView(held, known, input);
    },
    recordsOf(summary) {
      const wrote = (record: JournalRecord): boolean => record.summary === summary;
      if (held.records.some(wrote)) return held.records;
      const other = held.others.find((branch) => branch.some(wrote));
      return other?.slice(0, other.findLastIndex(wrote) + 1);
    },
    append(record, after) {
      held.records = [...held.records, record];
      held.projection = { base: after, consumed: record.consumed };
    },
    restore(branches) {
      Object.assign(held, holding(branches));
    },
    undo(before) {
      const last = held.records.at(-2);
      held.projection = viewBefore(before, last);
      const left = last && held.projection && listDigest(held.projection.base, digest);
      const restored = left === last?.after.digest ? undefined : left;
      held.records = [...held.records.slice(0, -2), ...(last ? [restoredAs(last, restored)] : [])];
      return restored;
    },
  };
}

function holding([records = [], ...others]: readonly Branch[]): Held {
  const projection = records.length === 0 ? EMPTY_PROJECTION : undefined;
  return { records, others, projection, origin: EMPTY_PROJECTION, compared: undefined };
}

/** Puts the system prompt of now into what is held: no edit changes it, and it may change itself. */
function takeLead(held: Held, input: readonly Message[]): void {
  const lead = input.slice(0, leadingSystemCount(input));
  const led = (view: Projection): Projection => {
    const { base, consumed } = view;
    const isSame = lead.every((message, index) => isSameNative(message, base[index]));
    if (isSame || leadingSystemCount(base) !== lead.length) return view;
    return { base: [...lead, ...base.slice(lead.length)], consumed };
  };
  held.projection = held.projection && led(held.projection);
  held.origin = led(held.origin);
}

/** Also what says nothing has to be that of now, such as a mark for the provider's cache. */
function isSameNative(one: Message, other: Message | undefined): boolean {
  if (one === other) return true;
  return isSameMessage(one, other) && toJson(one.source?.value) === toJson(other?.source?.value);
}

/** The view of a list that the records fit, or `undefined`. */
function ownView(held: Held, known: Matcher, input: readonly Message[]): Recognised | undefined {
  const { records, origin } = held;
  const newest = records.at(-1);
  held.projection ??= known.returned(input, newest);
  const { projection } = held;
  if (projection !== undefined && startsWith(input, projection.base)) {
    held.origin = projection;
    return returnedView(projection, input.slice(projection.base.length));
  }
  const fresh = projection && known.fresh(input, { origin, projection, record: newest });
  if (projection !== undefined && fresh !== undefined) return returnedView(projection, fresh);
  if (newest !== undefined && !known.fits(input, records)) return undefined;
  return historyView(held, input);
}

/** The view of a list that only some of the records fit, or none: what it lost may come back. */
function cutView(held: Held, known: Matcher, input: readonly Message[]): Recognised {
  const before = held.records.length;
  const [longest = []] = [held.records, ...held.others]
    .map((branch) => known.fitting(input, branch))
    .toSorted((one, other) => other.length - one.length);
  standOn(held, longest);
  const view = historyView(held, input);
  return { ...view, dropped: Math.max(0, before - held.records.length) };
}

function historyView(held: Held, input: readonly Message[]): Recognised {
  const before = held.records.length;
  const replayed =
    held.projection === undefined
      ? replay(held.records, input)
      : { records: held.records, projection: held.projection };
  Object.assign(held, replayed, { origin: EMPTY_PROJECTION });
  const { base, consumed } = replayed.projection;
  return {
    base,
    fresh: consumed === 0 ? input : input.slice(consumed),
    isReturned: false,
    dropped: before - replayed.records.length,
  };
}

/** How many branches beside the one that stands are kept. */
const MOST_OTHERS = 64;

function standOn(held: Held, records: Branch): void {
  const isPart = (one: Branch): boolean => one.every((record) => records.includes(record));
  held.others = [held.records, ...held.others].filter((one) => !isPart(one)).slice(0, MOST_OTHERS);
  held.records = records;
  held.projection = records.length === 0 ? EMPTY_PROJECTION : undefined;
}

/** A branch that fits a list, where the records that stand do not, or are fewer. */
function otherBranch(
  held: Held,
  known: Matcher,
  { input, isFitting }: { readonly input: readonly Message[]; readonly isFitting: boolean },
): Branch | undefined {
  const { records, others, compared } = held;
  const first = firstSaid(input);
  // What a branch left is a digest of it all, which is too much work for every step.
  const isCompared = isSameMessage(first, compared);
  held.compared = first;
  return others.find((branch) => {
    if (isFitting && branch.length <= records.length) return false;
    if (known.fits(input, branch)) return true;
    return !(isFitting && isCompared) && known.returned(input, branch.at(-1)) !== undefined;
  });
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

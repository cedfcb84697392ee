import { assertMessageList } from "../core/message/shape.ts";
import { leadingSystemCount } from "../core/message/structure.ts";
import type { Chain } from "./chain.ts";
import {
  type Branch,
  branchOf,
  type JournalEntry,
  type JournalRecord,
  type Known,
  knownBy,
  type ListKey,
  newestBranch,
  standingRecords,
  takeBack,
} from "./journal.ts";
import {
  assertShapes,
  type CallersList,
  goesOn,
  hasSameLead,
  renewed,
  changedInPlace,
  sameBody,
  sameObjects,
  type Standing,
  type Track,
  UNEDITED,
  type Watched,
  alsoWatch,
  watchNewest,
  without,
  withObjectsOfNow,
} from "./track.ts";
import type { Message } from "../core/message/index.ts";

/** The caller's list with the edits that fit it. */
export interface HistoryView {
  /** The leading system messages of now and what stands for the consumed messages; empty without edits. */
  readonly base: readonly Message[];
  /** The messages that no edit has consumed yet. */
  readonly fresh: readonly Message[];
  /** Both together; without edits the caller's own list. */
  readonly messages: readonly Message[];
  readonly lead: number;
  /** The first `from` of them are the very objects of the view before. */
  readonly from: number;
  /** The edits that stand, oldest first. */
  readonly records: Branch;
  /** Messages of the history that they have consumed. */
  readonly consumed: number;
  /** The newest edit stands in the caller's own list already. */
  readonly isReturned: boolean;
  /** Edits that no longer fit, because the caller changed the history before them. */
  readonly dropped: number;
  /** Messages that say something else since the view before, as the same objects. */
  readonly changed: readonly Message[];
}

/** The edits of one conversation, and the lists that its caller passes. */
export interface History {
  /**
   * Takes any list: the whole history, a returned list and what came since, one that began with a
   * returned list, a branch or an earlier state of these. The system messages at its beginning may
   * be others every time. The edits that fit what the list says now are in the view. Throws
   * `invalid-message` for anything but a list of messages.
   */
  recognise(messages: readonly Message[]): HistoryView;
  /** The key of the first messages of the newest view, its leading system messages left out. */
  keyOf(length: number): ListKey;
  /** Loads the code that puts edits in their place, once there are any; before every `recognise`. */
  ready(): Promise<void>;
  /** Adds an edit of the newest view, which became `base` without system messages at its beginning. */
  append(record: JournalRecord, base: readonly Message[]): void;
  /**
   * Takes an edit back. `before` is what stood before it, without leading system messages, where
   * the caller's own list is that from now on. Returns its key for the record before, if it is new.
   */
  undo(record: JournalRecord, before: readonly Message[] | undefined): ListKey | undefined;
  /**
   * The records behind a summary of ours: all that stand, or those up to it of a list that does not
   * fit any more, because its summary may stand in the list of now all the same.
   */
  readonly recordsOf: (summary: string) => Branch | undefined;
  /** Goes on from a stored journal; only before the first list is recognised. */
  restore(entries: readonly JournalEntry[]): void;
  /** The edits that stand. */
  readonly records: Branch;
  /** The same; while none fits, those that stood before, or that were stored. */
  readonly journal: Branch;
}

interface Memory {
  known: Known;
  /** Loaded once there are edits. */
  edits?: typeof import("./replay.ts");
  /** The edits that stood last; see {@link History.journal}. */
  newest: Branch;
  given: Track;
  /** The newest view; where nothing is edited, its messages are the list of `given`. */
  view: {
    readonly messages: readonly Message[];
    readonly lead: number;
    readonly records: Branch;
    /** As it was when the view was made; an edit of it comes later. */
    readonly standing: Standing;
  };
  /** The keys of the beginnings of the newest view, as far as they were asked for. */
  readonly keys: string[];
  readonly watched: Watched;
}

/** A history that begins with a stored journal. */
export function createHistory(stored: readonly JournalEntry[], chain: Chain): History {
  const memory = remembering(knownBy(standingRecords(stored)));
  return {
    keyOf: (length) => keyOf(memory, chain, length),
    get records() {
      return memory.given.standing.records;
    },
    get journal() {
      return memory.newest;
    },
    async ready() {
      if (memory.known.records.size === 0) return;
      memory.edits ??= await import("./replay.ts");
    },
    recognise: (messages) => recognise(memory, chain, messages),
    append: (record, base) => append(memory, record, base),
    undo(record, before) {
      const { records } = memory.known;
      const last = records.get(record.follows ?? "");
      const left = last && before?.slice(0, last.after.length);
      const key = left && { key: chain.keyOf(left), length: left.length };
      const restored = key?.key === last?.after.key ? undefined : key;
      const known = knownBy(takeBack(records, record.after.key, restored));
      Object.assign(memory, remembering(known));
      memory.newest = last === undefined ? [] : branchOf(known.records, last.after.key);
      memory.view = { ...memory.view, records: memory.newest };
      return restored;
    },
    recordsOf(summary) {
      const wrote = (record: JournalRecord): boolean => record.summary === summary;
      const { records } = memory.given.standing;
      if (records.some(wrote)) return records;
      const all = memory.known.records;
      const other = [...all.values()].findLast(wrote);
      return other && branchOf(all, other.after.key);
    },
    restore(entries) {
      Object.assign(memory, remembering(knownBy(standingRecords(entries))));
    },
  };
}

function remembering(known: Known): Memory {
  const newest = newestBranch(known);
  return {
    known,
    newest,
    given: { list: [], lead: 0, standing: UNEDITED },
    view: { messages: [], lead: 0, records: newest, standing: UNEDITED },
    keys: [],
    watched: new Map(),
  };
}

function keyOf({ keys, view }: Memory, chain: Chain, length: number): ListKey {
  for (let at = keys.length; at < length; at++) {
    keys.push(chain.next(keys.at(-1) ?? "", view.messages[view.lead + at] as Message));
  }
  return { key: keys[length - 1] ?? "", length };
}

function recognise(memory: Memory, chain: Chain, messages: readonly Message[]): HistoryView {
  assertMessageList(messages);
  const changed = changedInPlace(memory.watched);
  if (changed.length > 0) disown(memory, chain, changed);
  const { given } = memory;
  const list = { messages, lead: leadingSystemCount(messages) };
  const same = sameBody(given, list);
  assertShapes(list, same);
  const followed = goesOn(given, list, same)
    ? take(memory, list, same, withObjectsOfNow(given, list, same))
    : undefined;
  if (followed !== undefined && !isKnownByNow(memory, chain, followed.from))
    return { ...followed, changed };
  const { known, edits } = memory;
  const standing = edits?.replayed(known, chain, messages.slice(list.lead)) ?? UNEDITED;
  const found = take(memory, list, same, standing);
  return { ...found, changed, from: Math.min(found.from, followed?.from ?? found.from) };
}

/** A message that was changed in place is another one than the known one. */
function disown(memory: Memory, chain: Chain, changed: readonly Message[]): void {
  const { given, view } = memory;
  for (const message of changed) chain.forget(message);
  memory.given = { ...given, list: without(given.list, changed) };
  memory.view = { ...view, messages: without(view.messages, changed) };
}

/** The newest view has come to begin as a list whose edits it lacks. */
function isKnownByNow(memory: Memory, chain: Chain, from: number): boolean {
  const { known, view } = memory;
  if (known.records.size === view.records.length) return false;
  const end = Math.min(view.messages.length - view.lead, known.longest);
  for (let length = Math.max(0, from - view.lead) + 1; length <= end; length++) {
    const { key } = keyOf(memory, chain, length);
    const record = known.before.get(key) ?? known.after.get(key);
    if (record !== undefined && !view.records.includes(record)) return true;
  }
  return false;
}

/** Makes the view of a list that has these edits; `same` messages of it are those of the list before. */
function take(
  memory: Memory,
  list: CallersList,
  same: number,
  standing: Standing,
): Omit<HistoryView, "changed"> {
  const { given, view, keys, edits } = memory;
  const { records, taken, consumed, isReturned } = standing;
  const isGrown = view.standing === standing && hasSameLead(given, list);
  const own = list.messages.slice(0, list.lead);
  const rules = isGrown ? view.messages.slice(0, view.lead) : (edits?.legalLead(own) ?? own);
  const lists = projected(list, standing, rules);
  const { messages, lead } = lists;
  const known = lead + standing.base.length + Math.max(0, same - taken);
  const from = isGrown ? known : sameObjects(view.messages, messages);
  const copy = renewed(given, list, same);
  const isEdited = records.length > 0;
  memory.given = { list: copy, lead: list.lead, standing };
  memory.view = { messages: isEdited ? messages : copy, lead, records, standing };
  if (isEdited) memory.newest = records;
  keys.length = lead === view.lead ? Math.min(keys.length, Math.max(0, from - lead)) : 0;
  watchNewest(memory.watched, list.messages);
  return {
    ...lists,
    from,
    records,
    consumed,
    isReturned,
    dropped: droppedFrom(view.records, records),
  };
}

/** The lists of a view: without edits the caller's own, else with `rules` and a base at its beginning. */
function projected(
  { messages, lead }: CallersList,
  { records, taken, base: edited }: Standing,
  rules: readonly Message[],
): Pick<HistoryView, "base" | "fresh" | "messages" | "lead"> {
  if (records.length === 0) return { base: [], fresh: messages, messages, lead };
  // `concat` copies as a whole, where two spreads would go through every message.
  const base = rules.concat(edited);
  const fresh = messages.slice(lead + taken);
  return { base, fresh, messages: base.concat(fresh), lead: rules.length };
}

function append(memory: Memory, record: JournalRecord, base: readonly Message[]): void {
  const { standing } = memory.given;
  const records = [...standing.records, record];
  const taken = standing.taken + record.before.length - standing.base.length;
  const next = { records, taken, base, consumed: record.consumed, isReturned: false };
  memory.known = knownBy(new Map(memory.known.records).set(record.after.key, record));
  memory.given = { ...memory.given, standing: next };
  memory.newest = records;
  memory.view = { ...memory.view, records };
  alsoWatch(memory.watched, base);
}

/** Edits that stood before and do not stand now; none where other edits stand instead. */
function droppedFrom(before: Branch, now: Branch): number {
  if (now === before || now.some((record) => !before.includes(record))) return 0;
  return before.length - now.length;
}

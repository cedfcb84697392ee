import type { Digest } from "../core/handle/index.ts";
import type { Message } from "../core/message/index.ts";
import { fingerprint, isSameMessage } from "./fingerprint.ts";
import { EMPTY_PROJECTION, type JournalRecord, type Projection, project } from "./journal.ts";

/** What {@link Tracker.recognise} made of the caller's list. */
export interface Recognised {
  /** What stands for the consumed part of the history. */
  readonly base: readonly Message[];
  /** The messages that no record has consumed yet. */
  readonly fresh: readonly Message[];
  /** Records that no longer fit, because the caller changed the history before them. */
  readonly dropped: number;
}

/** Follows one conversation through the lists that its caller passes. */
export interface Tracker {
  /**
   * Takes either habit of callers: the full history every time, or the list that was returned last
   * plus what came since. A history that no longer begins as it did loses the records that do not
   * fit it any more.
   */
  recognise(input: readonly Message[]): Recognised;
  /** Appends a record that was made for `view`, which became `after`. */
  append(record: JournalRecord, after: readonly Message[]): void;
  readonly records: readonly JournalRecord[];
  /** How many messages of the history are consumed. */
  readonly consumed: number;
}

/** A tracker that starts from a stored journal. */
export function createTracker(stored: readonly JournalRecord[], digest: Digest): Tracker {
  let records = [...stored];
  let projection: Projection | undefined = stored.length === 0 ? EMPTY_PROJECTION : undefined;

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

  const replay = (input: readonly Message[]): Projection =>
    records.reduce((view, record) => project(view, input, record), EMPTY_PROJECTION);

  return {
    get records() {
      return records;
    },
    get consumed() {
      return projection?.consumed ?? records.at(-1)?.consumed ?? 0;
    },
    recognise(input) {
      if (projection !== undefined && startsWith(input, projection.base)) {
        return { base: projection.base, fresh: input.slice(projection.base.length), dropped: 0 };
      }
      const known = records.length;
      while (records.length > 0 && !fits(input, records.at(-1) as JournalRecord)) {
        records = records.slice(0, -1);
        projection = undefined;
      }
      projection ??= replay(input);
      return {
        base: projection.base,
        fresh: projection.consumed === 0 ? input : input.slice(projection.consumed),
        dropped: known - records.length,
      };
    },
    append(record, after) {
      records = [...records, record];
      projection = { base: after, consumed: record.consumed };
    },
  };
}

/** Whether a list begins with the messages of another; one object each in the common case. */
function startsWith(list: readonly Message[], start: readonly Message[]): boolean {
  if (start.length === 0 || list.length < start.length) return false;
  return start.every((message, index) => isSameMessage(message, list[index]));
}

import type { ArchiveJournal } from "../archive/archive.ts";
import { type Failure, failureOf } from "../core/error.ts";
import type { Message } from "../core/message/index.ts";
import type { Emitter } from "./events.ts";
import { isJournalEntry, type JournalEntry, type JournalRecord } from "./journal.ts";
import type { History } from "./history.ts";

/** Keeps a journal where other processes find it. */
export interface Persistence {
  /**
   * Takes in the stored journal, the first time it is called; returns what it could not take in.
   */
  load(): Promise<Failure | undefined>;
  /** Stores an entry, with all that could not be stored before; where that is required, or not at all. */
  add(entry: JournalEntry): Promise<Failure | undefined>;
  /** Stores the rest; returns why that failed. */
  flush(): Promise<Failure | undefined>;
  /** An edit that is not stored may not be made. */
  readonly isRequired: boolean;
  /** Other processes add to the journal while this one runs. */
  readonly isShared: boolean;
  /**
   * Makes an edit while nobody else makes one; first says whether others have made some, or why the
   * right to edit could not be had. Rejects with the signal's reason when that aborts before.
   */
  alone<T>(edit: (news: boolean | Failure) => Promise<T>, signal?: AbortSignal): Promise<T>;
}

const NOT_READ = "The stored journal could not be read, so earlier edits are not known";
const NOT_STORED = "The journal was not stored, so no other process can go on with this view yet";

const NO_JOURNAL: ArchiveJournal = { read: async () => [], append: async () => undefined };

/** Without a `store` nothing is kept, and nothing fails. */
export function createPersistence(
  given: ArchiveJournal | undefined,
  history: Pick<History, "restore">,
): Persistence {
  const store = given ?? NO_JOURNAL;
  const { isRequired = false } = store;
  let isLoaded = false;
  /** Entries that were read or added. */
  let seen = 0;
  const read = (): Promise<Failure | undefined> =>
    failing(NOT_READ, async () => {
      const stored = await store.read();
      if (stored.length === seen) return undefined;
      seen = stored.length;
      const known = stored.filter(isJournalEntry);
      if (known.length > 0) history.restore(known);
      return known.length < stored.length ? notKnown(stored.length - known.length) : undefined;
    });
  const waiting: JournalEntry[] = [];
  const flush = (): Promise<Failure | undefined> =>
    failing(NOT_STORED, async () => {
      for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
        await store.append(entry);
        seen++;
        waiting.shift();
      }
      return undefined;
    });
  return {
    async load() {
      if (isLoaded) return undefined;
      isLoaded = true;
      return read();
    },
    async add(entry) {
      waiting.push(entry);
      const failure = await flush();
      // An edit that is not made must not be stored later.
      if (failure !== undefined && isRequired) waiting.pop();
      return failure;
    },
    flush,
    isRequired,
    isShared: store.alone !== undefined,
    async alone(edit, signal) {
      if (store.alone === undefined) return edit(false);
      let isAlone = false;
      try {
        return await store.alone(async () => {
          isAlone = true;
          await flush();
          const known = seen;
          await read();
          return edit(seen !== known);
        }, signal);
      } catch (error) {
        if (isAlone || signal?.aborted === true) throw error;
        return edit(failureOf(error, "archive-failed"));
      }
    },
  };
}

async function failing(
  message: string,
  work: () => Promise<Failure | undefined>,
): Promise<Failure | undefined> {
  try {
    return await work();
  } catch (error) {
    return failureOf(error, "archive-failed", message);
  }
}

/** Stores an edit and takes it over, unless it must be stored and cannot be; what failed. */
export async function keepEdit(
  { persistence, history, events }: EditKeeping,
  record: JournalRecord,
  base: readonly Message[],
): Promise<readonly Failure[]> {
  const failure = await persistence.add(record);
  if (failure === undefined || !persistence.isRequired) {
    history.append(record, base);
    events.emit("edited", record);
  }
  return failure === undefined ? [] : [failure];
}

interface EditKeeping {
  readonly persistence: Persistence;
  readonly history: History;
  readonly events: Emitter;
}

function notKnown(count: number): Failure {
  const message = `The stored journal holds ${count} records that this version does not know; they are left out, so their edits may be made again.`;
  return { code: "archive-failed", message };
}

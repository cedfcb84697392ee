import type { ArchiveJournal } from "../archive/archive.ts";
import { type Failure, failureOf } from "../core/error.ts";
import { isJournalEntry, type JournalEntry } from "./journal.ts";
import type { History } from "./history.ts";

/** Keeps a journal where other processes find it. */
export interface Persistence {
  /** Takes in what is stored, the first time it is called; returns what it could not take in. */
  load(): Promise<Failure | undefined>;
  /** Notes an entry and stores it, with all that could not be stored before. */
  add(entry: JournalEntry): Promise<Failure | undefined>;
  /** Stores what is not stored yet; returns why that failed. */
  flush(): Promise<Failure | undefined>;
}

const NOT_READ = "The stored journal could not be read, so earlier edits are not known";
const NOT_STORED = "The journal was not stored, so no other process can go on with this view yet";

/** Without a `store` nothing is kept, and nothing fails. */
export function createPersistence(
  store: ArchiveJournal | undefined,
  history: Pick<History, "restore">,
): Persistence {
  if (store === undefined) {
    return {
      load: () => Promise.resolve(undefined),
      add: () => Promise.resolve(undefined),
      flush: () => Promise.resolve(undefined),
    };
  }
  let isLoaded = false;
  const waiting: JournalEntry[] = [];
  const flush = async (): Promise<Failure | undefined> => {
    try {
      for (let entry = waiting[0]; entry !== undefined; entry = waiting[0]) {
        await store.append(entry);
        waiting.shift();
      }
      return undefined;
    } catch (error) {
      return failureOf(error, "archive-failed", NOT_STORED);
    }
  };
  return {
    async load() {
      if (isLoaded) return undefined;
      isLoaded = true;
      try {
        const stored = await store.read();
        const known = stored.filter(isJournalEntry);
        if (known.length > 0) history.restore(known);
        return known.length < stored.length ? notKnown(stored.length - known.length) : undefined;
      } catch (error) {
        return failureOf(error, "archive-failed", NOT_READ);
      }
    },
    add(entry) {
      waiting.push(entry);
      return flush();
    },
    flush,
  };
}

function notKnown(count: number): Failure {
  const message = `The stored journal holds ${count} records that this version does not know; they are left out, so their edits may be made again.`;
  return { code: "archive-failed", message };
}

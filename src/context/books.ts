import { beginDigest } from "../archive/digest.ts";
import { createLedgerBook, type LedgerBook } from "../core/ledger/extract.ts";
import { createNameBook, type NameBook } from "../core/ledger/names.ts";
import { createMessageCheck, type MessageCheck } from "../core/message/check.ts";
import { createMessageLines, type MessageLines } from "../core/message/original.ts";
import type { HistoryView } from "./history.ts";
import type { Branch, JournalRecord } from "./journal.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { Message } from "../core/message/index.ts";
import { createFactIndex, type FactIndex } from "../core/summary/fact-index.ts";
import type { ToolKinds } from "../core/calls/index.ts";

/** An edit's knowledge of every message of a view. */
export interface Books {
  /** The facts of the messages that no record has consumed yet. */
  readonly ledger: LedgerBook;
  readonly check: MessageCheck;
  /** The lines of all messages, of which an edit archives the head. */
  readonly lines: MessageLines;
}

/**
 * The work that an edit needs done on every message, done while the conversation grows: a step near
 * an edit pays for its own messages, and an edit does not pay for all of them at once.
 */
export interface Bookkeeper {
  /** Every step, before anything else: forgets what no longer stands. */
  passed(view: HistoryView): void;
  /** A step near an edit: takes in the new messages, and tells whether it did. */
  follow(view: HistoryView): boolean;
  /** The books about exactly the view that was passed last. */
  booksOf(view: HistoryView): Books;
  /** The names that messages hold, those of the newest ones read as they came. */
  readonly names: NameBook;
  /** The facts of all these records together, and of the one that is about to follow them. */
  factsOf(records: Branch, next?: Ledger): FactIndex;
}

export interface BookOptions {
  readonly toolKinds?: ToolKinds;
  readonly cwd?: string;
}

/** Books that are about the first `taken` messages of the views that these records led to. */
interface OpenBooks extends Books {
  readonly newest: JournalRecord | undefined;
  taken: number;
}

export function createBookkeeper(options: BookOptions): Bookkeeper {
  let open: OpenBooks | undefined;
  let hasBegun = false;
  const sums = createRecordedFacts(options.cwd);
  const names = createNameBook(options.toolKinds);

  const begun = ({ records, consumed, lead }: HistoryView): OpenBooks => ({
    newest: records.at(-1),
    taken: 0,
    ledger: createLedgerBook({ ...options, offset: consumed }),
    check: createMessageCheck(),
    lines: createMessageLines({ first: lead, begin: beginDigest }),
  });
  const take = (view: HistoryView): Books => {
    const { messages, base } = view;
    open ??= begun(view);
    for (; open.taken < messages.length; open.taken++) {
      const message = messages[open.taken] as Message;
      open.check.add(message);
      open.lines.add(message);
      if (open.taken >= base.length) open.ledger.add(message);
    }
    return open;
  };

  return {
    passed(view) {
      if (open === undefined) return;
      if (open.newest !== view.records.at(-1) || view.from < open.taken) open = undefined;
    },
    follow(view) {
      // A caller who brings new objects every time would pay for all of them in every step.
      const isGrowing = view.from > 0 && view.from >= view.messages.length / 2;
      const isFollowed = open !== undefined || isGrowing || !hasBegun;
      if (isFollowed) {
        take(view);
        names.follow(view.messages);
      }
      hasBegun = true;
      return isFollowed;
    },
    booksOf: take,
    names,
    factsOf: sums,
  };
}

/**
 * The facts of all records of a branch that grows, or loses its newest records and grows again. It
 * reads each record once, so that the thousandth edit costs what the first did.
 */
function createRecordedFacts(cwd: string | undefined): Bookkeeper["factsOf"] {
  let counted: Branch = [];
  /** Facts that are in for a record that comes if its edit is made. */
  let ahead: Ledger | undefined;
  let index = createFactIndex({ cwd });
  return (records, next) => {
    const goesOn = counted.at(-1) === records[counted.length - 1];
    const isKept = ahead === undefined || ahead === (records[counted.length]?.facts ?? next);
    if (!goesOn || !isKept) {
      [counted, ahead] = [[], undefined];
      index = createFactIndex({ cwd });
    }
    const facts = records.slice(counted.length).map((record) => record.facts);
    if (next !== undefined) facts.push(next);
    for (const one of ahead === undefined ? facts : facts.slice(1)) index.add(one);
    [counted, ahead] = [records, next];
    return index;
  };
}

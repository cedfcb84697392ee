import { EMPTY_LEDGER, type Ledger, type LedgerBook } from "../../core/ledger/index.ts";
import {
  createMessageCheck,
  createMessageLines,
  type Message,
  type MessageCheck,
  type MessageLines,
} from "../../core/message/index.ts";
import type { MessageMeter } from "../../core/tokens/index.ts";
import type { View } from "./view.ts";

type ListedView = Pick<View, "base" | "messages">;

/** What an edit has to know of every message. */
export interface Books {
  /** The facts of the messages that no record has consumed yet. */
  readonly ledger: LedgerBook;
  /** The check of the whole view. */
  readonly check: MessageCheck;
  /** The lines of the whole view, of which an edit archives the head. */
  readonly lines: MessageLines;
  /** What the whole view holds, in the counter's tokens. */
  readonly tokens: number;
}

/**
 * The work that an edit needs done on every message, done while the conversation grows: a step pays
 * for its own messages, and an edit does not pay for all of them at once.
 */
export interface Groundwork {
  /** A step: takes in the messages that are new. */
  follow(view: ListedView): void;
  /** The books about exactly this view. */
  booksOf(view: ListedView): Books;
  /** The facts of the view that was followed last, as far as no record has consumed them. */
  facts(): Ledger;
  /** After an edit: the view of now begins in another way. */
  forget(): void;
}

/** The books, and what they are about. */
interface Work extends Books {
  readonly base: readonly Message[];
  readonly taken: Message[];
  tokens: number;
}

/** `openLedger` makes an empty book that goes on where the last record ended. */
export function createGroundwork(meter: MessageMeter, openLedger: () => LedgerBook): Groundwork {
  let work: Work | undefined;
  /** The last message of the step before, and its place. */
  let newest: { readonly message: Message | undefined; readonly at: number } | undefined;
  let latest: ListedView | undefined;

  const openWork = (base: readonly Message[]): Work => ({
    base,
    taken: [],
    ledger: openLedger(),
    check: createMessageCheck(),
    lines: createMessageLines(),
    tokens: 0,
  });

  const booksOf = ({ base, messages }: ListedView): Books => {
    const isKnown = work?.base === base && work.taken.every((one, at) => one === messages[at]);
    if (work === undefined || !isKnown) work = openWork(base);
    takeIn(work, messages, meter);
    return work;
  };

  return {
    follow({ base, messages }) {
      latest = { base, messages };
      // For callers that bring new objects every time it would be all of the work in every step.
      const goesOn = newest === undefined || messages[newest.at] === newest.message;
      newest = { message: messages.at(-1), at: messages.length - 1 };
      if (!goesOn) return;
      const isKnown = work?.base === base && work.taken.at(-1) === messages[work.taken.length - 1];
      if (work === undefined || !isKnown) work = openWork(base);
      takeIn(work, messages, meter);
    },
    booksOf,
    facts: () => (latest === undefined ? EMPTY_LEDGER : booksOf(latest).ledger.ledger()),
    forget() {
      work = undefined;
      newest = undefined;
      latest = undefined;
    },
  };
}

function takeIn(work: Work, messages: readonly Message[], meter: MessageMeter): void {
  const { base, taken, ledger, check, lines } = work;
  for (let index = taken.length; index < messages.length; index++) {
    const message = messages[index] as Message;
    taken.push(message);
    check.add(message);
    lines.add(message);
    work.tokens += meter.tokens(message);
    if (index >= base.length) ledger.add(message);
  }
}

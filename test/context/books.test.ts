import * as fc from "fast-check";
import { expect, it } from "vitest";
import { createBookkeeper } from "../../src/context/books.ts";
import { createChain } from "../../src/context/chain.ts";
import { createHistory } from "../../src/context/history.ts";
import type { JournalRecord } from "../../src/context/journal.ts";
import { extractLedger, type Ledger } from "../../src/core/ledger/index.ts";
import { checkMessages, linesOf, type Message } from "../../src/core/message/index.ts";
import { textOf } from "../../src/core/text/utf8.ts";
import { step, user } from "../build-messages.ts";

const pool: readonly Message[] = [
  user("Never touch the API."),
  ...step("a", "Read", { file_path: "/src/a.ts" }, "a"),
  ...step("b", "Bash", { command: "rm -rf /src" }, "done"),
  user("Go on, please, with the rest."),
  ...step("c", "Write", { file_path: "/src/a.ts", content: "b" }, "done"),
];
const list = fc.array(fc.constantFrom(...pool), { maxLength: 20 });
const lists = fc.array(fc.tuple(list, fc.nat(20), fc.boolean()), { minLength: 1, maxLength: 6 });

it("the books are about exactly the view that is asked for, whatever was followed before", () => {
  fc.assert(
    fc.property(lists, (all) => {
      const history = createHistory([], createChain());
      const keeper = createBookkeeper({});
      let messages: Message[] = [];
      for (const [more, kept, isNear] of all) {
        messages = [...messages.slice(0, kept), ...more];
        const view = history.recognise(messages);
        keeper.passed(view);
        if (isNear) keeper.follow(view);
        const books = keeper.booksOf(view);
        expect(books.ledger.ledger()).toEqual(extractLedger(messages));
        expect(books.check.issues()).toEqual(checkMessages(messages));
        const written = books.lines.pieces(0, messages.length).map(textOf);
        expect(written.join("")).toBe(linesOf(messages).join(""));
      }
    }),
  );
});

const facts = fc.constantFrom(...pool).map((message) => extractLedger([message]));
const record = (one: Ledger): JournalRecord => ({ facts: one, plan: {} }) as JournalRecord;

it("the facts of records are theirs alone, whatever edits were begun and not made", () => {
  const begun = fc.record({ next: facts, isMade: fc.boolean(), undone: fc.nat(2) });
  fc.assert(
    fc.property(fc.array(begun, { maxLength: 12 }), (edits) => {
      const keeper = createBookkeeper({});
      let records: readonly JournalRecord[] = [];
      for (const { next, isMade, undone } of edits) {
        const fresh = createBookkeeper({}).factsOf([...records, record({ ...next })]);
        expect(keeper.factsOf(records, next).ledger()).toEqual(fresh.ledger());
        if (isMade) records = [...records, record(next)];
        else records = records.slice(0, Math.max(0, records.length - undone));
        const own = createBookkeeper({}).factsOf(records).ledger();
        if (undone > 0) expect(keeper.factsOf(records).ledger()).toEqual(own);
      }
    }),
  );
});

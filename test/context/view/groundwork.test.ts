import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createGroundwork, type Groundwork } from "../../../src/context/view/groundwork.ts";
import { createLedgerBook, EMPTY_LEDGER, extractLedger } from "../../../src/core/ledger/index.ts";
import { checkMessages, linesOf, type Message } from "../../../src/core/message/index.ts";
import { createMessageMeter } from "../../../src/core/tokens/index.ts";
import { quarter, step, user } from "../../build-messages.ts";

const meter = createMessageMeter(quarter);
const pool: readonly Message[] = [
  user("Never touch the API."),
  ...step("a", "Read", { file_path: "/src/a.ts" }, "a"),
  ...step("b", "Bash", { command: "rm -rf /src" }, "done"),
  user("Go on, please, with the rest."),
  ...step("c", "Write", { file_path: "/src/a.ts", content: "b" }, "done"),
];
const list = fc.array(fc.constantFrom(...pool), { maxLength: 20 });
const views = fc.array(fc.tuple(list, fc.nat(20)), { minLength: 1, maxLength: 6 });

/** A groundwork whose ledger book counts the messages it is given. */
function counting(): { groundwork: Groundwork; added: () => number } {
  let added = 0;
  const groundwork = createGroundwork(meter, () => {
    const book = createLedgerBook();
    return { ...book, add: (message) => (added++, book.add(message)) };
  });
  return { groundwork, added: () => added };
}

describe("the groundwork of an edit", () => {
  it("is about exactly the view that is asked for, whatever was followed before", () => {
    fc.assert(
      fc.property(views, (lists) => {
        const groundwork = createGroundwork(meter, () => createLedgerBook());
        const base: Message[] = [];
        let messages: Message[] = [];
        for (const [more, kept] of lists) {
          messages = [...messages.slice(0, kept), ...more];
          groundwork.follow({ base, messages });
        }
        const books = groundwork.booksOf({ base, messages });
        expect(books.ledger.ledger()).toEqual(extractLedger(messages));
        expect(books.check.issues()).toEqual(checkMessages(messages));
        expect(books.lines.text(0, messages.length)).toBe(linesOf(messages));
        expect(books.tokens).toBe(meter.total(messages));
      }),
    );
  });

  it("takes facts only of what came after the last record", () => {
    const { groundwork } = counting();
    const base = pool.slice(0, 3);
    const books = groundwork.booksOf({ base, messages: pool });
    expect(books.ledger.ledger()).toEqual(extractLedger(pool.slice(3)));
    expect(books.check.issues()).toEqual([]);
    const other = groundwork.booksOf({ base: pool.slice(0, 1), messages: pool });
    expect(other.ledger.ledger()).toEqual(extractLedger(pool.slice(1)));
  });

  it("looks at each message once while the list grows", () => {
    const { groundwork, added } = counting();
    const base: Message[] = [];
    for (let end = 1; end <= pool.length; end++) {
      groundwork.follow({ base, messages: pool.slice(0, end) });
    }
    groundwork.booksOf({ base, messages: pool });
    expect(added()).toBe(pool.length);
  });

  it("leaves the work to the edit when every step brings new objects", () => {
    const { groundwork, added } = counting();
    const base: Message[] = [];
    for (let n = 0; n < 5; n++) groundwork.follow({ base, messages: structuredClone([...pool]) });
    expect(added()).toBe(pool.length);
    groundwork.booksOf({ base, messages: pool });
    expect(added()).toBe(2 * pool.length);
  });

  it("knows the facts of the last step, also where it left the work to an edit", () => {
    const { groundwork } = counting();
    expect(groundwork.facts()).toEqual(EMPTY_LEDGER);
    for (let end = 1; end <= pool.length; end++) {
      groundwork.follow({ base: [], messages: structuredClone(pool.slice(0, end)) });
      expect(groundwork.facts()).toEqual(extractLedger(pool.slice(0, end)));
    }
    groundwork.forget();
    expect(groundwork.facts()).toEqual(EMPTY_LEDGER);
  });
});

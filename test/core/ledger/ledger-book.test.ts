import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLedgerBook, extractLedger } from "../../../src/core/ledger/index.ts";
import { stretch } from "./arbitrary-stretch.ts";

describe("createLedgerBook", () => {
  it("holds the ledger of all messages so far, however often it is asked", () => {
    fc.assert(
      fc.property(fc.array(stretch, { maxLength: 5 }), fc.nat(100), (stretches, offset) => {
        const book = createLedgerBook({ offset });
        const seen = [];
        for (const messages of stretches) {
          for (const message of messages) book.add(message);
          seen.push(...messages);
          expect(book.ledger()).toEqual(extractLedger(seen, { offset }));
        }
      }),
    );
  });

  it("gives a ledger that later messages do not change", () => {
    fc.assert(
      fc.property(stretch, stretch, (first, second) => {
        const book = createLedgerBook();
        for (const message of first) book.add(message);
        const ledger = book.ledger();
        for (const message of second) book.add(message);
        book.ledger();
        expect(ledger).toEqual(extractLedger(first));
      }),
    );
  });
});

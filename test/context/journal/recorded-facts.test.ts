import { expect, it } from "vitest";
import type { JournalRecord } from "../../../src/context/journal/journal.ts";
import { createRecordedFacts } from "../../../src/context/journal/recorded-facts.ts";
import { EMPTY_LEDGER } from "../../../src/core/ledger/index.ts";

let reads = 0;

/** A record that consumed a message of the user, and knows how often its facts were read. */
function recordOf(text: string): JournalRecord {
  return {
    version: 1,
    at: 0,
    plan: { version: 1, action: "prune", length: 1, edits: [] },
    consumed: 1,
    first: "",
    last: "",
    get facts() {
      reads += 1;
      return { ...EMPTY_LEDGER, instructions: [{ text, at: 0 }] };
    },
    tokens: { before: 2, after: 1 },
    after: { length: 1, digest: text },
  };
}

const [a, b, c] = ["a", "b", "c"].map(recordOf) as [JournalRecord, JournalRecord, JournalRecord];

it("follows a journal through edits and undo, and reads each record once", () => {
  const factsOf = createRecordedFacts({});
  const told = (records: readonly JournalRecord[]): string =>
    factsOf(records)
      .instructions.map(({ text }) => text)
      .join("");
  expect(told([])).toBe("");
  expect(told([a])).toBe("a");
  expect(told([a, b])).toBe("ab");
  expect(told([a, b])).toBe("ab");
  expect(reads).toBe(2);
  expect(told([a])).toBe("a");
  expect(told([a, c])).toBe("ac");
  expect(told([b])).toBe("b");
  expect(told([])).toBe("");
});

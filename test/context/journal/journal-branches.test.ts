import { expect, it } from "vitest";
import type { JournalEntry, JournalRecord } from "../../../src/context/journal/journal.ts";
import { isWhole, journalBranches } from "../../../src/context/journal/journal-branches.ts";
import { EMPTY_LEDGER } from "../../../src/core/ledger/index.ts";

function made(digest: string, follows?: string): JournalRecord {
  return {
    version: 1,
    at: 0,
    plan: { version: 1, action: "prune", length: 1, edits: [] },
    consumed: 1,
    first: "",
    last: "",
    facts: EMPTY_LEDGER,
    tokens: { before: 2, after: 1 },
    after: { length: 1, digest },
    ...(follows !== undefined && { follows }),
  };
}

function undone(digest: string): JournalEntry {
  return { version: 1, at: 0, undo: digest };
}

const a = made("a");
const b = made("b", "a");
const c = made("c", "b");

it.each<[name: string, entries: readonly JournalEntry[], branches: readonly string[]]>([
  ["nothing", [], []],
  ["one process", [a, b, c], ["abc"]],
  ["two processes", [a, b, made("x", "a"), c, made("y", "x")], ["axy", "abc"]],
  ["two that began at once", [a, made("x"), b], ["ab", "x"]],
  ["the newest undone", [a, b, undone("b")], ["a"]],
  ["the only one undone", [a, undone("a")], []],
  ["the same made again", [a, b, undone("b"), b], ["ab"]],
  ["undone where the other process went on", [a, b, c, undone("b")], ["abc", "a"]],
  ["the same by both", [a, b, a, b], ["ab"]],
  ["a lost line", [a, c], ["c", "a"]],
  ["a circle", [made("p", "q"), made("q", "p")], []],
  ["a circle with an end", [made("p", "q"), made("q", "p"), made("z", "q")], ["pqz"]],
])("%s", (_name, entries, expected) => {
  const found = journalBranches(entries);
  const names = found.map((branch) => branch.map(({ after }) => after.digest).join(""));
  expect(names).toEqual(expected);
});

it("tells what can be replayed", () => {
  expect(isWhole([a, b])).toBe(true);
  expect(isWhole([])).toBe(true);
  expect(isWhole([b, c])).toBe(false);
});

import { stripVTControlCharacters } from "node:util";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  brokenLine,
  cell,
  clipColumns,
  columnsOf,
  unbroken,
  withSpaces,
} from "../../src/cli/columns.ts";
import { fit } from "../../src/cli/figures.ts";

/** Words of any script, some longer than any terminal, in colours or not. */
const word = fc.oneof(
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
  fc.constantFrom(
    "漢字かな",
    "👩‍👩‍👧",
    "\u001B[1mbold\u001B[22m",
    "/a/very/long/path".repeat(12),
    "noSpaces漢".repeat(30),
  ),
);
const line = fc
  .tuple(
    fc.constantFrom("", "  ", "! ", "Next: ", "Kept      "),
    fc.array(word.map((text) => text.replace(/\s|\uFDD0/g, ""))),
  )
  .map(([start, words]) => start + words.join(" "));

describe("a line on a terminal", () => {
  it("is no wider than the terminal, but for a word that is, and loses nothing", () => {
    fc.assert(
      fc.property(line, fc.integer({ min: 20, max: 130 }), (text, columns) => {
        const lines = brokenLine(text, columns);
        for (const each of lines) {
          expect(columnsOf(each) <= columns || /^\s*\/a\/\S+$/.test(each)).toBe(true);
        }
        const said = (it: string): string => stripVTControlCharacters(it).replace(/ +/g, "");
        expect(said(lines.join(" "))).toBe(said(text));
      }),
    );
  });

  it("begins its further lines below the first word", () => {
    expect(brokenLine("! its folder is gone; the agent starts there", 30)).toEqual([
      "! its folder is gone; the",
      "  agent starts there",
    ]);
    expect(brokenLine("Kept      the originals, as long as they are there", 36)).toEqual([
      "Kept      the originals, as long as",
      "          they are there",
    ]);
  });

  it("has no empty line before a long word in colour", () => {
    const place = "/a/very/long/path".repeat(5);
    expect(brokenLine(`\u001B[2m  ${place} is there\u001B[22m`, 60)).toEqual([
      `\u001B[2m${place}`,
      "  is there\u001B[22m",
    ]);
  });

  it("keeps a command in one piece", () => {
    const command = "cd '/home/me/my project' && claude --resume 5d1c";
    const lines = brokenLine(`Next: ${unbroken(command)}`, 50).map(withSpaces);
    expect(lines).toEqual(["Next:", `  ${command}`]);
  });
});

it.each([
  ["cell", cell],
  ["clipColumns", clipColumns],
  ["fit", fit],
])("%s has room for ideographs", (_, clipped) => {
  fc.assert(
    fc.property(fc.array(word), fc.integer({ min: 8, max: 60 }), (words, columns) => {
      expect(columnsOf(clipped(words.join(" "), columns))).toBeLessThanOrEqual(columns);
    }),
  );
  expect(columnsOf(cell("漢字", 10))).toBe(10);
});

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
    "👩‍👩‍👧🇻🇳👍🏽".repeat(20),
    `\u001B[2m${"dim".repeat(40)}\u001B[22m${"x".repeat(90)}\u001B[31m`,
    "\u001B[39m",
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
          expect(
            columnsOf(each) <= columns || /^\s*\/a\/\S+$/.test(stripVTControlCharacters(each)),
          ).toBe(true);
        }
        const said = (it: string): string => stripVTControlCharacters(it).replace(/ +/g, "");
        expect(said(lines.join(" "))).toBe(said(text));
      }),
    );
  });

  it("keeps every colour, in order, and every emoji whole", () => {
    // oxlint-disable-next-line no-control-regex -- it is one
    const colours = (text: string): readonly string[] => text.match(/\u001B\[\d+m/g) ?? [];
    fc.assert(
      fc.property(line, fc.integer({ min: 20, max: 130 }), (text, columns) => {
        const lines = brokenLine(text, columns);
        expect(colours(lines.join("\n"))).toEqual(colours(text));
        for (const each of lines.slice(0, -1)) expect(columnsOf(each.trim())).toBeGreaterThan(0);
        for (const emoji of ["👩‍👩‍👧", "🇻🇳", "👍🏽"]) {
          expect(lines.join("\n").split(emoji)).toHaveLength(text.split(emoji).length);
        }
      }),
    );
    expect(brokenLine(`\u001B[1m${"x".repeat(45)}\u001B[22m and more`, 40)).toEqual([
      `\u001B[1m${"x".repeat(40)}`,
      `xxxxx\u001B[22m and more`,
    ]);
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

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { attributeIn, openTag } from "../../../src/core/text/markup.ts";
import { cleanText, oneLine, withoutEscapes } from "../../../src/core/text/clean.ts";
import { runs } from "../../property/runs.ts";

describe("cleanText", () => {
  it.each([
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["\u009b31mred", "red"],
    ["\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\", "link"],
    ["\u001b]0;never closed\nnext", "0;never closed\nnext"],
    ["\u001b(Bplain\u001b=", "plain"],
    ["bell\u0007 null\0 del\u007f c1\u0085", "bell null del c1"],
    ["a\r\nb\rc\td", "a\nb\nc\td"],
    ["\n\n  indented\n\n", "  indented"],
    ["half \ud83d pair", "half \ufffd pair"],
    ["é 漢 😀 שלום", "é 漢 😀 שלום"],
  ])("of %j is %j", (text, clean) => {
    expect(cleanText(text)).toBe(clean);
  });

  it("leaves no control character in any text, and changes a clean text no more", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), (text) => {
        const clean = cleanText(text);
        expect(clean).not.toMatch(/(?![\t\n])\p{Cc}|\p{Cs}/u);
        expect(cleanText(clean)).toBe(clean);
        expect(oneLine(text)).not.toMatch(/\p{Cc}|\p{Cs}| {2}|^ | $/u);
        expect(withoutEscapes(withoutEscapes(clean))).toBe(clean);
      }),
      { numRuns: runs(200, 20_000) },
    );
  });
});

describe("openTag", () => {
  it("is read back, whatever is in it, and ends nowhere else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.nat(), (file, lines) => {
        const tag = openTag("note", { lines, file, recall: undefined });
        expect(tag).toMatch(/^<note lines="\d+" file="[^"<>\n]*"$/);
        const shown = file.replace(/\p{Cc}+/gu, " ").replace(/\p{Cs}/gu, "\ufffd");
        expect(attributeIn(tag, "file")).toBe(shown);
        expect(attributeIn(tag, "lines")).toBe(String(lines));
        expect(attributeIn(tag, "recall")).toBeUndefined();
      }),
      { numRuns: runs(200, 5_000) },
    );
  });
});

it.each(["\u2028", "\u2029", "\u0085", "\r", "\r\n"])("%j ends a line for every reader", (end) => {
  expect(cleanText(`a${end}## b`)).toBe("a\n## b");
  expect(oneLine(`a${end}## b`)).toBe("a ## b");
});

it("what turns the order of a text round is taken away", () => {
  expect(cleanText("a\u202e\u2066cba\u2069\u202c b")).toBe("acba b");
  expect(oneLine("a\u202ecba")).toBe("acba");
  // The marks that Arabic and emoji need stay.
  expect(cleanText("\u0645\u200c\u06cc 👩\u200d💻")).toBe("\u0645\u200c\u06cc 👩\u200d💻");
});

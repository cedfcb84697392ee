import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  cleanText,
  clipStart,
  codeSpan,
  codeSpans,
  leadingSpan,
  lengthWithin,
  oneLine,
  safeCut,
} from "../../../src/core/summary/plain-text.ts";
import { count } from "./build-ledger.ts";

const FAMILY = "👨‍👩‍👧‍👦";
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

describe("cleanText", () => {
  it.each([
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["\u009b31mred", "red"],
    ["\u001b]8;;http://x\u0007link\u001b]8;;\u001b\\", "link"],
    ["\u001b]0;never closed\nnext", "next"],
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
        expect(oneLine(text)).not.toContain("\n");
      }),
    );
  });
});

describe("cutting", () => {
  it.each([
    ["a surrogate pair", "a😀b", 2, 1],
    ["a combining mark", "cafe\u0301s", 4, 3],
    ["a family of four", `a${FAMILY}`, 5, 1],
    ["a skin tone", "a👍🏽b", 3, 1],
    ["a flag", "🇩🇪🇫🇷", 6, 4],
    ["nothing", "abc", 2, 2],
  ])("never goes through %s", (_, text, at, cut) => {
    expect(safeCut(text, at)).toBe(cut);
  });

  it("does not give up all of a text that is one run of marks", () => {
    expect(safeCut(`a${"\u0301".repeat(500)}`, 300)).toBe(300);
  });

  it("leaves whole characters of any text", () => {
    const emoji = fc.constantFrom(FAMILY, "👍🏽", "🇩🇪", "e\u0301", "😀", "x", " ", "漢");
    fc.assert(
      fc.property(fc.array(emoji), fc.nat({ max: 120 }), (pieces, at) => {
        const text = pieces.join("");
        const boundaries = [...graphemes.segment(text)].map(({ index }) => index);
        expect([...boundaries, text.length]).toContain(safeCut(text, at));
      }),
    );
  });

  it("clips to a number of units with the mark", () => {
    expect(clipStart("hello world", 11)).toBe("hello world");
    expect(clipStart("hello world", 7)).toBe("hello…");
    expect(clipStart("a😀b", 3)).toBe("a…");
  });

  it("finds the longest start within a number of tokens", () => {
    expect(lengthWithin("x".repeat(1_000), 10, count)).toBe(40);
    expect(lengthWithin("x".repeat(30), 10, count)).toBe(30);
    expect(lengthWithin("", 10, count)).toBe(0);
    expect(lengthWithin("x".repeat(70), 0, count)).toBe(0);
  });
});

describe("inline code", () => {
  it.each([
    ["a", "`a`"],
    ["a`b", "``a`b``"],
    ["`a`", "`` `a` ``"],
    ["``", "``` `` ```"],
  ])("of %j is %j", (text, code) => {
    expect(codeSpan(text)).toBe(code);
  });

  it("is read back, whatever is in it and around it", () => {
    const text = fc
      .array(fc.constantFrom("`", "``", "a", " ", "b/c", ": "), { minLength: 1 })
      .map((pieces) => pieces.join("").replace(/\s+/g, " ").trim())
      .filter((each) => each !== "");
    fc.assert(
      fc.property(text, text, (first, second) => {
        const line = `${codeSpan(first)}, ${codeSpan(second)}`;
        expect(codeSpans(`see ${line} there`)).toEqual([first, second]);
        expect(leadingSpan(line)).toEqual({ text: first, rest: `, ${codeSpan(second)}` });
      }),
    );
  });

  it("is nothing where no backtick closes it", () => {
    expect(codeSpans("a `b c")).toEqual([]);
    expect(leadingSpan("``a`")).toBeUndefined();
    expect(leadingSpan("a `b`")).toBeUndefined();
  });
});

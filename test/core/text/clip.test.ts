import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  clip,
  clipLine,
  type ClipOptions,
  headWithin,
  tailWithin,
  type TextSize,
} from "../../../src/core/text/clip.ts";
import { utf8Length } from "../../../src/core/text/utf8.ts";
import { runs } from "../../property/runs.ts";

const FAMILY = "👨‍👩‍👧‍👦";
const count = (text: string): number => Math.ceil(text.length / 4);
const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

/** Pieces that a careless cut breaks. */
const piece = fc.oneof(
  { weight: 3, arbitrary: fc.string({ unit: "grapheme", maxLength: 12 }) },
  fc.constantFrom(FAMILY, "👍🏽", "🇩🇪", "e\u0301", "\r\n", "\n", " ", "漢字", "word "),
  fc.constantFrom("\u001b[1;31m", "\u001b]8;;http://x\u001b\\"),
);
const anyText = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
const anySize: fc.Arbitrary<TextSize> = fc.oneof(
  fc.record({ length: fc.integer({ min: 0, max: 200 }) }),
  fc.record({ bytes: fc.integer({ min: 0, max: 300 }) }),
  fc.record({ tokens: fc.integer({ min: 0, max: 60 }), count: fc.constant(count) }),
);
const anyOptions: fc.Arbitrary<ClipOptions> = fc.record({
  keep: fc.constantFrom("start", "end", "both"),
  atLineEnds: fc.boolean(),
  mark: fc.constantFrom<ClipOptions["mark"]>("…", "\n[…]\n", (left) => `[${left.length} left out]`),
});

const sizeOf = (text: string, size: TextSize): number => {
  if ("length" in size) return text.length;
  return "bytes" in size ? utf8Length(text) : size.count(text);
};
const mostOf = (size: TextSize): number => {
  if ("length" in size) return size.length;
  return "bytes" in size ? size.bytes : size.tokens;
};

/** Whether a place splits a visible character, a CRLF or an escape sequence. */
function isSplit(text: string, at: number): boolean {
  const borders = [...graphemes.segment(text)].map(({ index }) => index);
  if (at > 0 && at < text.length && !borders.includes(at)) return true;
  // oxlint-disable-next-line no-control-regex
  const escapes = text.matchAll(/\u001b\[[0-9;]*m|\u001b\][^\u001b]*\u001b\\/g);
  return [...escapes].some(({ index, 0: found }) => index < at && at < index + found.length);
}

describe("clip, for any text, size and mark", () => {
  it("fits the size unless only the mark is left, and changes nothing a second time", () => {
    fc.assert(
      fc.property(anyText, anySize, anyOptions, (text, size, options) => {
        const clipped = clip(text, size, options);
        expect(clip(text, size, options)).toBe(clipped);
        if (sizeOf(text, size) <= mostOf(size)) expect(clipped).toBe(text);
        const { mark = "…" } = options;
        const alone = typeof mark === "string" ? mark : mark(text);
        if (clipped === alone) return;
        expect(sizeOf(clipped, size)).toBeLessThanOrEqual(mostOf(size));
        expect(clip(clipped, size, options)).toBe(clipped);
      }),
      { numRuns: runs(400, 20_000) },
    );
  });

  it("keeps whole characters of both ends", () => {
    fc.assert(
      fc.property(anyText, anySize, (text, size) => {
        const head = headWithin(text, size);
        const tail = tailWithin(text, size);
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        // A character of more marks than anybody writes may be cut.
        if (/[\p{M}\p{Cf}]{9}/u.test(text)) return;
        expect(isSplit(text, head.length)).toBe(false);
        expect(isSplit(text, text.length - tail.length)).toBe(false);
        expect(sizeOf(head, size)).toBeLessThanOrEqual(mostOf(size));
        expect(sizeOf(tail, size)).toBeLessThanOrEqual(mostOf(size));
      }),
      { numRuns: runs(400, 20_000) },
    );
  });

  it("gives the mark what is left out between the two ends", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 20, max: 100 }), (text, length) => {
        let left = "";
        const mark = (piece: string): string => {
          left = piece;
          return "<>";
        };
        const clipped = clip(text, { length }, { keep: "both", mark });
        if (clipped === text || clipped === "<>") return;
        expect(clipped).toHaveLength(text.length - left.length + 2);
      }),
      { numRuns: runs(200, 5_000) },
    );
  });
});

describe("clip", () => {
  it.each<[string, string, TextSize, ClipOptions, string]>([
    ["a text that fits", "hello", { length: 5 }, {}, "hello"],
    ["the start", "hello world", { length: 7 }, {}, "hello…"],
    ["the end", "hello world", { length: 6 }, { keep: "end" }, "…world"],
    ["both ends", "hello wide world", { length: 11 }, { keep: "both" }, "hel…e world"],
    ["no half of a pair", "a😀b", { length: 3 }, {}, "a…"],
    ["bytes", "ééééé", { bytes: 8 }, {}, "éé…"],
    ["tokens", "x".repeat(100), { tokens: 10, count }, { mark: "" }, "x".repeat(40)],
    [
      "whole lines",
      "one\ntwo\nthree\n",
      { length: 10 },
      { atLineEnds: true, mark: "" },
      "one\ntwo",
    ],
    ["nothing but the mark", "hello", { length: 1 }, {}, "…"],
  ])("keeps %s", (_, text, size, options, clipped) => {
    expect(clip(text, size, options)).toBe(clipped);
  });

  it("does not give up all of a text that is one run of marks", () => {
    expect(headWithin(`a${"\u0301".repeat(500)}`, { length: 300 })).toHaveLength(300);
  });

  it("finds the longest start within a number of tokens", () => {
    expect(headWithin("x".repeat(1_000), { tokens: 10, count })).toHaveLength(40);
    expect(headWithin("x".repeat(30), { tokens: 10, count })).toHaveLength(30);
    expect(headWithin("", { tokens: 10, count })).toBe("");
    expect(headWithin("x".repeat(70), { tokens: 0, count })).toBe("");
    const [length, most] = [headWithin("x".repeat(1e6), { tokens: 1e5, count }).length, 4e5];
    expect(length).toBeGreaterThan(most * 0.99);
  });
});

describe("clipLine", () => {
  it.each([
    ["one", 10, "one"],
    ["  two\n\twords ", 20, "two words"],
    ["a \u001b[31mred\u001b[0m\u0000 line", 20, "a red line"],
    ["hello wide world", 8, "hello w…"],
    [" ".repeat(100), 8, "…"],
    [`12345678${"\n".repeat(100)}`, 8, "1234567…"],
    ["half \ud83d", 20, "half \ufffd"],
  ])("of %j within %i is %j", (text, length, line) => {
    expect(clipLine(text, length)).toBe(line);
  });
});

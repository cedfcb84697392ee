import {
  countLineEnds,
  decodeUtf8,
  dropPartialEnd,
  skipPartialStart,
  utf8Length,
} from "../../../src/core/text/utf8.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { runs } from "../../property/runs.ts";

const anyText = fc.string({ unit: "binary", maxLength: 200 });
const standard = new TextDecoder("utf-8", { ignoreBOM: true });

describe("decodeUtf8", () => {
  it("reads any bytes as the Encoding Standard does", () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 60 }),
      fc
        .array(
          fc.constantFrom(
            0xe2,
            0x82,
            0xac,
            0xf0,
            0x9f,
            0x8e,
            0x89,
            0xed,
            0xa0,
            0xc0,
            0xf4,
            0x90,
            0x41,
          ),
        )
        .map((list) => Uint8Array.from(list)),
    );
    fc.assert(
      fc.property(bytes, (given) => {
        const { text, invalid } = decodeUtf8(given);
        expect(text).toBe(standard.decode(given));
        expect(invalid > 0).toBe(Buffer.compare(Buffer.from(text, "utf8"), given) !== 0);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it("keeps a byte order mark and pairs", () => {
    const text = `\ufeff${"x".repeat(8_189)}🎉${"y".repeat(9_000)}é`;
    expect(decodeUtf8(new TextEncoder().encode(text))).toEqual({ text, invalid: 0 });
  });
});

describe("utf8Length", () => {
  it("is what an encoder writes, also for half a pair", () => {
    const halves = fc
      .array(fc.constantFrom("\ud83c", "\udf89", "a", "é", "漢", "🎉"))
      .map((list) => list.join(""));
    fc.assert(
      fc.property(fc.oneof(anyText, halves), (text) => {
        expect(utf8Length(text)).toBe(Buffer.byteLength(text, "utf8"));
      }),
    );
  });
});

describe("the ends of a piece", () => {
  it("lose the character that was cut, and nothing else", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", minLength: 1 }), fc.nat(), (text, at) => {
        const bytes = new TextEncoder().encode(text);
        const cut = at % (bytes.length + 1);
        const start = bytes.subarray(0, cut);
        const end = bytes.subarray(cut);
        const before = decodeUtf8(start.subarray(0, dropPartialEnd(start)));
        const after = decodeUtf8(end.subarray(skipPartialStart(end)));
        expect(before.invalid + after.invalid).toBe(0);
        expect(text.startsWith(before.text) && text.endsWith(after.text)).toBe(true);
        expect(utf8Length(before.text) + utf8Length(after.text)).toBeGreaterThan(bytes.length - 5);
      }),
    );
  });
});

describe("countLineEnds", () => {
  it("counts as wc does", () => {
    expect(countLineEnds(new TextEncoder().encode("a\nb\r\n\nc"))).toBe(3);
    expect(countLineEnds(new Uint8Array())).toBe(0);
  });
});

import { safeEnd, safeStart } from "../../../src/core/text/boundary.ts";
import { terminalText } from "../../../src/core/text/terminal.ts";
import { describe, expect, it } from "vitest";

const graphemes = new Intl.Segmenter("en", { granularity: "grapheme" });

describe("the places where a text may be cut", () => {
  it.each([
    "a👨‍👩‍👧‍👦b",
    "🇩🇪🇫🇷🇯🇵x",
    "👍🏽👍🏿",
    "e\u0301o\u0302\u0323a",
    "❤️🏳️‍🌈",
    "a\r\nb\r\n",
    "🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}!",
    "ก็นี่",
  ])("split no visible character: %s", (text) => {
    const borders = new Set([...graphemes.segment(text)].map(({ index }) => index)).add(
      text.length,
    );
    for (let at = 0; at <= text.length; at++) {
      expect(borders, `start at ${at}`).toContain(safeStart(text, at));
      expect(borders, `end at ${at}`).toContain(safeEnd(text, at));
      expect(safeStart(text, at)).toBeGreaterThanOrEqual(at);
      expect(safeEnd(text, at)).toBeLessThanOrEqual(at);
    }
  });

  it.each([
    "\u001b[38;5;196m",
    "\u001b]8;;https://example.com/a\u001b\\",
    "\u001b]0;title\u0007",
    "\u009b1m",
    "\u001b(B",
  ])("are outside of escape sequences (%j)", (escape) => {
    const text = `ab${escape}cd`;
    for (let at = 3; at < 2 + escape.length; at++) {
      expect(safeStart(text, at)).toBe(2 + escape.length);
      expect(safeEnd(text, at)).toBe(2);
    }
  });

  it.each(["\u001b[0m", "\u001b]8;;https://example.com/a\u001b\\"])(
    "are outside of escape sequences between a character and what belongs to it (%j)",
    (escape) => {
      const text = `e${escape}\u0301 👩\u200d${escape}👧 ${escape}\u200d${escape}\u0301.`;
      const starts = Array.from({ length: text.length }, (_, at) => at).filter((at) =>
        text.startsWith(escape, at),
      );
      const isInside = (place: number): boolean =>
        starts.some((start) => start < place && place < start + escape.length);
      for (let at = 0; at <= text.length; at++) {
        for (const place of [safeStart(text, at), safeEnd(text, at)]) {
          expect(isInside(place), `cut at ${place} for ${at}`).toBe(false);
        }
      }
    },
  );

  it("give up on a character made of endless marks, but never split a code point", () => {
    const text = "a".concat("\u0301".repeat(500), "🎉".repeat(3));
    expect(safeStart(text, 5)).toBeLessThan(40);
    expect(safeEnd(text, 400)).toBeGreaterThan(360);
    expect(safeStart(text, text.length - 1)).toBe(text.length);
  });
});

describe("terminalText", () => {
  it.each([
    ["plain\ttext\r\nwith lines\n", "plain\ttext\r\nwith lines\n"],
    ["\u001b[1;31mred\u001b[0m", "red"],
    ["a\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\b", "alinkb"],
    ["10%\r20%\r30%", "30%"],
    ["10%\r20%\r\nnext", "20%\r\nnext"],
    ["10%\r\r\r\n", "10%\r\n"],
    ["_\bB_\bO", "BO"],
    ["\0a\u007f", "␀a␡"],
    ["\ud83d", "\ufffd"],
    ["\u001b]0;no end, so it stays", "0;no end, so it stays"],
  ])("makes of %j what a terminal leaves", (text, clean) => {
    expect(terminalText(text).text).toBe(clean);
  });
});

import { safeEnd, safeStart, terminalText } from "../../../src/core/text/index.ts";
import { describe, expect, it } from "vitest";
import { binaryKind } from "../../../src/core/truncate/binary.ts";

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

describe("binaryKind", () => {
  const noise = Array.from({ length: 500 }, (_, n) => String.fromCharCode((n * 37) % 32)).join("");

  /** As a program that reads UTF-8 sees bytes. */
  const text = (hex: string): string => Buffer.from(hex, "hex").toString("utf8");

  it.each([
    ["%PDF-1.7\n%\ufffd\ufffd\n", "PDF document"],
    ["PK\u0003\u0004\u0014\0", "ZIP archive (or a document of that kind)"],
    ["\u001f\ufffd\b\0\0", "gzip data"],
    ["\u007fELF\u0002\u0001", "ELF program"],
    ["SQLite format 3\0", "SQLite database"],
    [text("ffd8ffe000104a46494600010101"), "JPEG image"],
    [text("ffd8ffdb0043000302"), "JPEG image"],
    [text("cafebabe0000003400"), "Mach-O program or Java class"],
    [text("cffaedfe0700000103"), "Mach-O program or Java class"],
    [text("0000002066747970697300"), "MP4 video"],
    [text("377abcaf271c0004"), "7z archive"],
    [noise, "binary data"],
    [[..."plain words in UTF-16, which has a NUL after every letter"].join("\0"), "text in UTF-16"],
    // Russian in Windows-1251.
    ["\ufffd\ufffd\ufffd\ufffd\ufffd\ufffd: \ufffd\ufffd ".repeat(9), "text that is not in UTF-8"],
  ])("tells what %j is", (text, kind) => expect(binaryKind(text, "start")).toBe(kind));

  it.each([
    "just text\n".repeat(30),
    "src/a.ts\0src/b.ts\0src/long-name.ts\0".repeat(9),
    "\u001b[32mgreen\u001b[0m\r\n".repeat(30),
    "10%\r20%\r".repeat(40),
    "PKZIP is a program, %PDF- a signature",
    "caf\ufffd au lait, s'il vous pla\ufffdt, et deux croissants chauds pour la table trois ".repeat(
      3,
    ),
    "Gr\ufffd\ufffde aus K\ufffdln, \ufffdberall h\ufffdtte ".repeat(9),
    // Three unknown bytes begin a picture, and many a line in another encoding.
    "\ufffd\ufffd\ufffd was the first word, and the rest of the line is plain text",
    "some ftyp box \ufffd",
    `${"about the tar format, ".repeat(13)}ustar \ufffd`,
    "",
    "\0",
  ])("takes text for text (%j)", (text) => expect(binaryKind(text, "start")).toBeUndefined());
});

import * as fc from "fast-check";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../src/core/tokens/estimate-tokens.ts";
import { guardedCounter } from "../../../src/core/tokens/index.ts";
import { TEXTS } from "./texts.ts";
import { user } from "../../build-messages.ts";
import { runs } from "../../property/runs.ts";

const disallowedSpecial = new Set<string>();
const exact = guardedCounter("o200k_base", (text) => countTokens(text, { disallowedSpecial }));

/** Any UTF-16, lone surrogates included, with the characters and runs that matter often in it. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }).map((unit) => String.fromCharCode(unit)),
      fc.string({ unit: "binary" }),
      fc.lorem(),
      fc
        .tuple(fc.constantFrom(..." \n=-a0é哈\ud83d"), fc.nat(60))
        .map(([unit, n]) => unit.repeat(n)),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

describe("estimateTokens", () => {
  it("is 0 for nothing and at least 1 for anything", () => {
    expect(estimateTokens("")).toBe(0);
    for (const text of ["a", " ", "\n", "\0", "\ud800", "\udc00", "😀"]) {
      expect(estimateTokens(text)).toBeGreaterThanOrEqual(1);
    }
  });

  it("keeps its figures, unit for unit", () => {
    const counts = Object.fromEntries(
      Object.entries(TEXTS).map(([kind, text]) => [kind, estimateTokens(text)]),
    );
    expect(counts).toMatchInlineSnapshot(`
      {
        "arabic": 74,
        "base64": 1365,
        "boxes": 97,
        "chat": 207,
        "chinese": 97,
        "emoji": 126,
        "english": 99,
        "escapedCode": 202,
        "french": 64,
        "german": 66,
        "greek": 81,
        "hebrew": 75,
        "hex": 1155,
        "hindi": 73,
        "japanese": 98,
        "json": 489,
        "jsonCompact": 210,
        "korean": 83,
        "log": 542,
        "markdown": 137,
        "minified": 114,
        "newlines": 376,
        "numberedRead": 240,
        "punctuation": 1334,
        "python": 133,
        "repositoryMap": 229,
        "rulers": 157,
        "russian": 85,
        "spaces": 48,
        "spinners": 242,
        "thai": 86,
        "tree": 130,
        "typescript": 150,
        "ukrainian": 109,
        "uuids": 698,
        "vietnamese": 81,
      }
    `);
  });

  it("is an integer >= 0 for every string", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const tokens = estimateTokens(text);
        expect(Number.isInteger(tokens)).toBe(true);
        expect(tokens).toBeGreaterThanOrEqual(text === "" ? 0 : 1);
        // A token is at least one byte of UTF-8, and a unit is at most three.
        expect(tokens).toBeLessThanOrEqual(text.length * 4 + 1);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it("is additive under concatenation, but for a few tokens at the seam", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        const seam = estimateTokens(a + b) - estimateTokens(a) - estimateTokens(b);
        expect(Math.abs(seam)).toBeLessThanOrEqual(16);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it("hardly ever falls when text is appended", () => {
    fc.assert(
      fc.property(anyText, anyText, (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a) - 8);
      }),
      { numRuns: runs(100, 1_000) },
    );
  });

  it.each(Object.entries(TEXTS))("is near the exact count: %s", (_, text) => {
    const error = estimateTokens(text) / exact.count(text) - 1;
    expect(error).toBeGreaterThan(-0.15);
    expect(error).toBeLessThan(0.25);
  });

  it("is nearer still on a context of all kinds", () => {
    const text = Object.values(TEXTS).join("\n\n");
    const error = estimateTokens(text) / exact.count(text) - 1;
    expect(Math.abs(error)).toBeLessThan(0.05);
  });

  it.each(["a", "=", " ", "\n", "─", "哈", "\ud83d", "😀", "ab", " x", "0", "A1", "{}", "\u200d"])(
    "finishes on a megabyte of %j with a sane count",
    (unit) => {
      const text = unit.repeat(Math.ceil(1_000_000 / unit.length));
      const tokens = estimateTokens(text);
      expect(tokens).toBeGreaterThan(1_000);
      expect(tokens).toBeLessThanOrEqual(text.length * 3);
      // Twice the run, twice the tokens.
      const half = estimateTokens(text.slice(0, text.length / 2));
      expect(Math.abs(tokens / half - 2)).toBeLessThan(0.05);
    },
  );

  const source = JSON.stringify([TEXTS.typescript, TEXTS.english]);
  it.each([
    ["UTF-16 read as bytes", Buffer.from(source, "utf16le").toString("latin1")],
    ["look-alike letters", source.replace(/a/g, "\u0430").replace(/e/g, "\u0435")],
    ["a joiner behind each letter", [...source].join("\u200b")],
    ["fields between zero bytes", "a\0b\0c\0".repeat(500)],
    ["control characters and half emoji", "\u0001\ud83d".repeat(500)],
  ])("does not take odd text for nothing: %s", (_, text) => {
    expect(estimateTokens(text)).toBeGreaterThan(exact.count(text) / 2);
  });

  it("never counts less than a token for eight units that are no long run", () => {
    const unit = fc.oneof(
      fc.constantFrom(..."\r\n\t aCFOT\\0.\0\u0430\u3003\ud83d\udc00\u0100"),
      fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code)),
    );
    fc.assert(
      fc.property(fc.uniqueArray(unit, { minLength: 2, maxLength: 4 }), (units) => {
        const text = units.join("").repeat(200);
        expect(estimateTokens(text)).toBeGreaterThanOrEqual(Math.floor(text.length / 8));
      }),
      { numRuns: runs(200, 20_000) },
    );
  });
});

describe("estimateTokens", () => {
  const message = user("The parcel went to the wrong town.");

  it("counts a text, a message with its framing, and a list of them", () => {
    const text = estimateTokens("The parcel went to the wrong town.");
    expect(estimateTokens(message)).toBe(text + 4);
    expect(estimateTokens([message, message])).toBe(2 * (text + 4));
    expect(estimateTokens([])).toBe(0);
  });

  it.each([
    { role: "user", content: "hi" },
    [{ role: "user", content: "hi" }],
    [message, "text"],
    { role: "user", parts: ["hi"] },
    { role: "user", parts: [{ type: "image" }] },
    { role: "tool", parts: [{ type: "tool-result", toolCallId: "1", toolName: "read" }] },
    undefined,
    null,
    42,
  ])("refuses what it cannot count: %j", (value) => {
    expect(() => estimateTokens(value as unknown as string)).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});

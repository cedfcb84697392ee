import { countLines, utf8Length } from "../../../src/core/text/utf8.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  DEFAULT_LIMITS,
  type Direction,
  NOTICE_LIMITS,
  truncateEnds,
  truncateText,
  withNotice,
} from "../../../src/core/truncate/index.ts";
import { truncationFaults } from "./check-truncation.ts";
import { oddOutput, seeded } from "./odd-outputs.ts";
import { runs } from "../../property/runs.ts";

const DIRECTIONS: readonly Direction[] = ["tail", "head", "both"];

const numbered = (count: number, end = "\n"): string =>
  Array.from({ length: count }, (_, index) => `line ${index + 1}${end}`).join("");

/** Limits and a direction; the output is made from the seed, so that a report stays readable. */
const anyCase = fc.record({
  seed: fc.nat(),
  pieces: fc.integer({ min: 1, max: 80 }),
  limits: fc.record({
    maxLines: fc.integer({ min: 1, max: 60 }),
    maxBytes: fc.integer({ min: 4, max: 4_000 }),
  }),
  direction: fc.constantFrom(...DIRECTIONS),
});

const oddText = (seed: number, pieces: number): string =>
  Buffer.from(oddOutput(seeded(seed), pieces)).toString("utf8");

describe("truncateText, for any output", () => {
  it("keeps both limits, decodes, and always shows something", () => {
    fc.assert(
      fc.property(anyCase, ({ seed, pieces, limits, direction }) => {
        const text = oddText(seed, pieces);
        expect(truncationFaults(truncateText(text, { limits, direction }), limits)).toEqual([]);
      }),
      { numRuns: runs(120, 600) },
    );
  });

  it("counts what is left out exactly, where nothing had to be cleaned", () => {
    const lines = fc.array(
      fc
        .string({ unit: "grapheme", maxLength: 80 })
        .map((line) => line.replace(/[\p{Cc}\p{Cs}]/gu, "")),
      { minLength: 1, maxLength: 80 },
    );
    fc.assert(
      fc.property(
        lines,
        fc.constantFrom("\n", "\r\n"),
        fc.constantFrom(...DIRECTIONS),
        (made, end, direction) => {
          const text = made.join(end);
          const limits = { maxLines: 20, maxBytes: 900 };
          const {
            kept,
            omitted,
            total,
            isTruncated,
            text: shown,
            direction: side,
          } = truncateText(text, { limits, direction });
          expect(total).toEqual({ lines: countLines(text), bytes: utf8Length(text) });
          if (!isTruncated) {
            expect(shown).toBe(text);
            return;
          }
          expect(kept.bytes + (omitted?.bytes ?? 0)).toBe(total.bytes);
          if (side === "tail") expect(text.endsWith(shown)).toBe(true);
          if (side === "head") expect(text.startsWith(shown)).toBe(true);
          const before = side === "tail" ? text.slice(0, -shown.length) : shown;
          if (side !== "both") expect(before.endsWith("\r")).toBe(false);
        },
      ),
      { numRuns: runs(100, 500) },
    );
  });

  it("cuts an output with its notice no second time, whatever the direction", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        fc.constantFrom(...DIRECTIONS),
        fc.constantFrom(...DIRECTIONS),
        (seed, first, second) => {
          const text = Buffer.from(oddOutput(seeded(seed), 300))
            .toString("utf8")
            .repeat(3);
          const once = withNotice(truncateText(text, { direction: first }), { path: "/a/out.txt" });
          const twice = truncateText(once, { direction: second });
          expect(twice.text).toBe(once);
          expect(twice.isTruncated).toBe(false);
        },
      ),
      { numRuns: runs(20, 60) },
    );
  });

  it("adds a notice of bounded size", () => {
    fc.assert(
      fc.property(fc.nat(), (seed) => {
        const text = oddText(seed, 400);
        const truncation = truncateText(text, { direction: "both", limits: { maxBytes: 2_000 } });
        const whole = withNotice(truncation, {
          path: `/${"p".repeat(999)}`,
          handle: "out_0123456789abcdef",
          notKept: "x".repeat(5_000),
        });
        expect(utf8Length(whole)).toBeLessThanOrEqual(2_000 + NOTICE_LIMITS.maxBytes);
        expect(countLines(whole)).toBeLessThanOrEqual(
          DEFAULT_LIMITS.maxLines + NOTICE_LIMITS.maxLines,
        );
      }),
      { numRuns: runs(20, 100) },
    );
  });
});

describe("truncateText, at its limits", () => {
  it.each(DIRECTIONS)("returns an output of exactly the limits as it is (%s)", (direction) => {
    const full = `${"x".repeat(24)}\n`.repeat(2_000);
    expect(utf8Length(full)).toBe(50_000);
    expect(truncateText(full, { direction })).toMatchObject({ text: full, isTruncated: false });
    expect(truncateText(`${full}y`, { direction }).isTruncated).toBe(true);
  });

  it("keeps the last 2,000 lines of many short ones", () => {
    const { text, omitted } = truncateText(numbered(2_001));
    expect(text).toBe(numbered(2_001).slice("line 1\n".length));
    expect(omitted).toMatchObject({ fromLine: 1, toLine: 1, lines: 1, bytes: 7 });
  });

  it("keeps the first 2,000 lines, and CRLF with them", () => {
    const { text, omitted } = truncateText(numbered(3_000, "\r\n"), { direction: "head" });
    expect(text).toBe(numbered(2_000, "\r\n"));
    expect(omitted).toMatchObject({ fromLine: 2_001, toLine: 3_000, lines: 1_000 });
  });

  it("says between the two ends what is missing", () => {
    const { text, omitted, kept } = truncateText(numbered(5_000), { direction: "both" });
    expect(text).toMatch(/^line 1\nline 2\n/);
    expect(text).toMatch(/line 4999\nline 5000\n$/);
    const gap = `[… ${omitted?.bytes} bytes left out here, in lines ${omitted?.fromLine} to ${omitted?.toLine} …]`;
    expect(text).toContain(
      `line ${(omitted?.fromLine ?? 0) - 1}\n${gap}\nline ${(omitted?.toLine ?? 0) + 1}\n`,
    );
    expect(kept.lines).toBe(1_999);
    expect(countLines(text)).toBe(2_000);
  });

  it("prefers whole lines, and cuts one only rather than leave half of the room empty", () => {
    const short = truncateText(`${"a".repeat(30_000)}\n${"b".repeat(30_000)}`);
    expect(short).toMatchObject({ text: "b".repeat(30_000), isLineCut: false });
    const long = truncateText(`${"a".repeat(60_000)}\ndone\n`);
    expect(long.text).toBe(`${"a".repeat(49_994)}\ndone\n`);
    expect(long).toMatchObject({ isLineCut: true, omitted: { fromLine: 1, toLine: 1 } });
  });

  it.each([{ maxLines: 0 }, { maxBytes: 3 }, { maxBytes: Number.NaN }, { maxLines: 1.5 }])(
    "refuses %j",
    (limits) => {
      expect(() => truncateText("a", { limits })).toThrow(
        expect.objectContaining({ code: "invalid-options" }),
      );
    },
  );

  it("refuses a direction that there is not, also where nothing has to be cut", () => {
    const direction = "middle" as "both";
    const refused = expect.objectContaining({ code: "invalid-options", details: { direction } });
    expect(() => truncateText("a", { direction })).toThrow(refused);
    const bytes = new Uint8Array(100_000).fill(97);
    const ends = { head: bytes, tail: bytes, totalBytes: 10_000_000, direction };
    expect(() => truncateEnds(ends)).toThrow(refused);
  });
});

describe("truncateText, for one huge line", () => {
  const line = "0123456789".repeat(10_000_000);

  it.each(DIRECTIONS)("fills the limit from the kept part (%s)", (direction) => {
    const { text, omitted } = truncateText(line, { direction });
    expect(utf8Length(text)).toBeGreaterThan(49_500);
    expect(omitted?.bytes).toBeGreaterThan(99_900_000);
  });
});

describe("truncateText, for what terminals show", () => {
  it("shows the last state of a progress bar and keeps what is above it", () => {
    const bar = Array.from(
      { length: 9_000 },
      (_, n) => `\r\u001b[2K\u001b[32m${n / 90} %\u001b[0m`,
    );
    const { text, cleaning } = truncateText(`fetching\n${bar.join("")}\ndone\n`, {
      direction: "both",
    });
    expect(text).toMatch(/^fetching\n/);
    expect(text).toMatch(/\n99\.9\d* %\ndone\n$/);
    expect(text).not.toContain("\u001b");
    expect(cleaning?.overwritten).toBeGreaterThan(100);
  });

  it("shows no passing state of a progress bar where both ends are kept", () => {
    const bar = Array.from({ length: 5_000 }, (_, n) => `\rloading ${n} of 5000 ${"#".repeat(20)}`);
    const text = `first\n${bar.join("")}\nlast\n`;
    const { text: kept, direction, kept: counts } = truncateText(text, { direction: "both" });
    expect(direction).toBe("both");
    expect(kept).toMatch(
      /^first\n\[… \d+ bytes left out here, in line 2 …\]\nloading 4999 of 5000 #{20}\nlast\n$/,
    );
    expect(counts.lines).toBe(3);
    const only = truncateText(text.slice(6), { direction: "both" });
    expect(only).toMatchObject({
      direction: "tail",
      text: `loading 4999 of 5000 ${"#".repeat(20)}\nlast\n`,
    });
  });

  it("shows the last state alone where the start is nothing but passing states", () => {
    const progress = Array.from({ length: 100_000 }, (_, index) => `${index}%`).join("\r");
    expect(truncateText(progress, { direction: "head" })).toMatchObject({
      text: "99999%",
      direction: "tail",
    });
  });

  it("shows the whole output when only its colours were too much", () => {
    const colourful = Array.from(
      { length: 1_500 },
      (_, n) => `\u001b[38;5;196m\u001b[1m${n}\u001b[0m\u001b[K\n`,
    ).join("");
    const { text, omitted, isTruncated } = truncateText(colourful, {
      limits: { maxBytes: 25_000 },
    });
    expect(text).toBe(Array.from({ length: 1_500 }, (_, n) => `${n}\n`).join(""));
    expect(isTruncated).toBe(true);
    expect(omitted).toBeUndefined();
  });

  it.each(["tail", "head", "both"] as const)(
    "shows no half of an escape sequence where none fits (%s)",
    (direction) => {
      const link = "\u001b]8;;https://example.com/a\u001b\\";
      for (let maxBytes = 4; maxBytes < 60; maxBytes++) {
        const { text } = truncateText(`${link}ab${link}\r\n`.repeat(9), {
          limits: { maxBytes, maxLines: 3 },
          direction,
        });
        expect(text.replaceAll(/ab|\r\n|\[no visible.*/g, "")).toMatch(/^[ab]?$/);
      }
    },
  );

  it("takes back what backspaces erased, and shows control characters as symbols", () => {
    const { text } = truncateText(`N\bNA\bAME\u0000\u0007 \u001b]0;title\u0007\n`, {
      limits: { maxBytes: 12 },
    });
    expect(text).toBe("NAME␀␇ \n".slice(-text.length));
  });

  it("keeps an end that says something when the other is blank or binary", () => {
    const blankLines = `${"the cause\n".repeat(3_000)}${"\n".repeat(9_000)}`;
    expect(truncateText(blankLines, { direction: "tail" }).text).toMatch(/^the cause\n/);
    const blankStart = `${"\n".repeat(9_000)}${"the end\n".repeat(3_000)}`;
    expect(truncateText(blankStart, { direction: "head" }).text).toMatch(/the end\n$/);
    const blank = `the cause\n${"\n".repeat(200_000)}`;
    expect(truncateText(blank, { direction: "tail" })).toMatchObject({
      direction: "head",
      text: expect.stringMatching(/^the cause/) as string,
    });
    const noise = String.fromCharCode(...Array.from({ length: 60_000 }, (_, n) => (n * 7) % 32));
    const mixed = truncateText(`HTTP/1.1 200 OK\n${"header: x\n".repeat(900)}${noise}`);
    expect(mixed).toMatchObject({
      direction: "head",
      text: expect.stringMatching(/^HTTP/) as string,
    });
  });
});

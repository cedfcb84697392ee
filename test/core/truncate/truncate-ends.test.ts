import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type Direction,
  truncateEnds,
  truncateText,
  windowBytes,
} from "../../../src/core/truncate/index.ts";
import { truncationFaults } from "./check-truncation.ts";
import { oddOutput, seeded } from "./odd-outputs.ts";
import { runs } from "../../property/runs.ts";

const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
const direction = fc.constantFrom<Direction>("tail", "head", "both");

describe("truncateEnds", () => {
  it("keeps both limits for any bytes, whatever is held of them", () => {
    fc.assert(
      fc.property(
        fc.nat(),
        direction,
        fc.integer({ min: 4, max: 3_000 }),
        fc.nat(9_000),
        (seed, side, maxBytes, held) => {
          const bytes = oddOutput(seeded(seed), 60, 0.1);
          const limits = { maxLines: 30, maxBytes };
          const ends = {
            head: bytes.subarray(0, held),
            tail: bytes.subarray(Math.max(0, bytes.length - held - 1)),
          };
          const truncation = truncateEnds({
            ...ends,
            totalBytes: bytes.length,
            limits,
            direction: side,
          });
          expect(truncationFaults(truncation, limits)).toEqual([]);
          expect(truncation.total.bytes).toBe(bytes.length);
        },
      ),
      { numRuns: runs(120, 600) },
    );
  });

  it("says the same of the ends as of the whole text", () => {
    fc.assert(
      fc.property(fc.nat(), direction, (seed, side) => {
        const random = seeded(seed);
        const text = Array.from(
          { length: 400 },
          (_, n) => `${n} ${"x🎉é".repeat(Math.floor(random() * 12))}\n`,
        ).join("");
        const bytes = encode(text);
        const limits = { maxLines: 50, maxBytes: 1_000 };
        const size = windowBytes(limits);
        const { text: kept, omitted } = truncateText(text, { limits, direction: side });
        const ends = truncateEnds({
          head: bytes.subarray(0, size),
          tail: bytes.subarray(-size),
          totalBytes: bytes.length,
          totalLines: 400,
          limits,
          direction: side,
        });
        expect(ends.text).toBe(kept);
        expect(ends.omitted).toEqual(omitted);
      }),
      { numRuns: runs(20, 100) },
    );
  });

  it("takes overlapping ends for the whole output", () => {
    const bytes = encode("one\ntwo\nthree\n");
    const truncation = truncateEnds({
      head: bytes.subarray(0, 10),
      tail: bytes.subarray(2),
      totalBytes: bytes.length,
    });
    expect(truncation).toMatchObject({
      text: "one\ntwo\nthree\n",
      isTruncated: false,
      total: { lines: 3, bytes: 14 },
    });
  });

  it("counts no lines that nobody counted, and names the errors it can see", () => {
    const bytes = encode(
      `${"fine\n".repeat(50_000)}x.ts:1 error TS1: bad\n${"fine\n".repeat(50_000)}`,
    );
    const ends = { head: bytes.subarray(0, 252_000), tail: bytes.subarray(-60_000) };
    const { total, omitted } = truncateEnds({
      ...ends,
      totalBytes: bytes.length,
      direction: "both",
    });
    expect(total).toEqual({ bytes: bytes.length });
    expect(omitted?.toLine).toBeUndefined();
    expect(omitted?.errors).toEqual({
      count: 1,
      first: [{ line: 50_001, text: "x.ts:1 error TS1: bad" }],
      isPartial: true,
    });
  });

  it.each([
    ["whole lines are kept", "fine\n"],
    ["a line is cut", `${"long ".repeat(20_000)}\n`],
    ["the last line has no end", "fine\nfine"],
  ])("names an error near the end by line, where %s and the lines were counted", (_, last) => {
    const error = "x.ts:1 error TS1: bad\n";
    const text = `${"fine\n".repeat(90_000)}${error}${"fine\n".repeat(9_000)}${last}`;
    const bytes = encode(text);
    const { omitted } = truncateEnds({
      head: bytes.subarray(0, 60_000),
      tail: bytes.subarray(-200_000),
      totalBytes: bytes.length,
      totalLines: text.split("\n").length - (text.endsWith("\n") ? 1 : 0),
      direction: "both",
    });
    expect(omitted?.errors?.first).toEqual([{ line: 90_001, text: error.trim() }]);
  });

  it("calls bytes that are no UTF-8 truncated, so that the original is kept", () => {
    const bytes = Uint8Array.from([...encode("caf"), 0xe9, ...encode(" au lait\n")]);
    const truncation = truncateEnds({ head: bytes, tail: bytes, totalBytes: bytes.length });
    expect(truncation).toMatchObject({
      text: "caf\ufffd au lait\n",
      isTruncated: true,
      cleaning: { invalid: 1 },
    });
    expect(truncation.omitted).toBeUndefined();
  });
});

import fc from "fast-check";
import { expect, it } from "vitest";
import { countNewlines } from "../../src/spill/count-newlines.ts";
import { keepEnds } from "../../src/spill/keep-ends.ts";
import { runs } from "../property/runs.ts";

it("the ends of a stream are those of the whole, in whatever pieces it comes", () => {
  const chunks = fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 30 });
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 100 }), (pieces, capacity) => {
      const ends = keepEnds(capacity);
      for (const piece of pieces) ends.add(piece);
      const whole = Buffer.concat(pieces);
      expect(ends.bytes()).toBe(whole.length);
      expect(Buffer.from(ends.head()).equals(whole.subarray(0, capacity))).toBe(true);
      const tail = whole.subarray(Math.max(0, whole.length - capacity));
      expect(Buffer.from(ends.tail()).equals(tail)).toBe(true);
      const isShort = whole.length <= 2 * capacity;
      expect(ends.whole() === undefined ? undefined : Buffer.from(ends.whole()!)).toEqual(
        isShort ? whole : undefined,
      );
      expect(ends.endsLine()).toBe(whole.length === 0 || whole.at(-1) === 10);
    }),
    { numRuns: runs(200, 2_000) },
  );
});

it("line ends are counted in any bytes at any offset", () => {
  const bytes = fc.array(
    fc.oneof(fc.constant(10), fc.constantFrom(9, 11, 138, 0, 255), fc.nat(255)),
    {
      maxLength: 5_000,
      size: "max",
    },
  );
  fc.assert(
    fc.property(bytes, fc.nat(7), (values, offset) => {
      const piece = Uint8Array.from([...Array.from({ length: offset }, () => 10), ...values]);
      const expected = values.filter((value) => value === 10).length;
      expect(countNewlines(piece.subarray(offset))).toBe(expected);
    }),
  );
  expect(countNewlines(new Uint8Array(1_000_003).fill(10))).toBe(1_000_003);
});

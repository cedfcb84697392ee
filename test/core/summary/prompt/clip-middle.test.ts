import { isWellFormed } from "../../../../src/core/text/index.ts";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clipMiddle } from "../../../../src/core/summary/prompt/clip-middle.ts";

describe("clipMiddle", () => {
  it("leaves a text that fits, without colours", () => {
    expect(clipMiddle("\u001b[31mred\u001b[0m\r\nplain", { units: 100 })).toBe("red\nplain");
  });

  it("keeps more of the end than of the start and says how much is left out", () => {
    const text = `${"a".repeat(500)}${"z".repeat(500)}`;
    const clipped = clipMiddle(text, { units: 100 });
    expect(clipped).toBe(`${"a".repeat(35)}\n[… 900 characters left out …]\n${"z".repeat(65)}`);
  });

  it("names the errors of the middle where there is room for them", () => {
    const text = `${"ok\n".repeat(400)}Error: the disk is full\n${"ok\n".repeat(400)}`;
    const clipped = clipMiddle(text, { units: 600, namesErrors: true });
    expect(clipped).toContain("among them:\nError: the disk is full\n");
    expect(clipMiddle(text, { units: 300, namesErrors: true })).not.toContain("disk");
    expect(clipMiddle(text, { units: 600 })).not.toContain("disk");
  });

  it("never splits a character", () => {
    fc.assert(
      fc.property(
        fc.string({ unit: "grapheme", minLength: 50, maxLength: 300 }),
        fc.integer({ min: 0, max: 60 }),
        (text, units) => {
          const clipped = clipMiddle(text, { units });
          expect(isWellFormed(clipped)).toBe(true);
          expect(clipped.length).toBeLessThanOrEqual(Math.max(text.length, units + 40));
        },
      ),
    );
  });
});

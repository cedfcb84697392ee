import { describe, expect, it } from "vitest";
import { piecesOf } from "../../src/archive/digest.ts";

const texts = [
  "",
  "short",
  "é€😀",
  "😀".repeat(100_000),
  `x${"😀".repeat(100_000)}`,
  "a".repeat(65_537),
];

describe("the pieces of a text", () => {
  it.each(texts.map((text) => [text.length, text] as const))(
    "are the whole text and split no code point: %i units",
    (_, text) => {
      const pieces = [...piecesOf(text)];
      expect(pieces.join("") === text).toBe(true);
      expect(
        pieces.every((piece) => (piece as unknown as { isWellFormed(): boolean }).isWellFormed()),
      ).toBe(true);
    },
  );
});

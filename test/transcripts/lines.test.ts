import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createLineSplitter, splitLines } from "../../src/transcripts/lines.ts";

async function linesOf(text: string, sizes: readonly number[], maxBytes = 1000): Promise<string[]> {
  const bytes = Buffer.from(text);
  const chunks = (async function* () {
    let at = 0;
    for (let index = 0; at < bytes.length; index += 1) {
      const size = sizes[index % sizes.length] ?? 1;
      yield bytes.subarray(at, at + size);
      at += size;
    }
  })();
  const lines: string[] = [];
  for await (const batch of splitLines(chunks, maxBytes)) {
    for (const line of batch) lines.push(`${line.number}:${line.bytes.toString()}`);
  }
  return lines;
}

describe("splitLines", () => {
  it("cuts the same lines wherever the chunks are cut", async () => {
    const piece = fc.constantFrom("a", "é", "{}", " ", "\n", "\r\n", "\r", "😀");
    const sizes = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(fc.array(piece), sizes, async (pieces, cuts) => {
        const text = pieces.join("");
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(await linesOf(text, cuts)).toEqual(
          expected.map((line, index) => `${index + 1}:${line.replace(/\r$/, "")}`),
        );
      }),
    );
  });

  it("counts a line above the limit without keeping it", () => {
    const splitter = createLineSplitter(4);
    const lines = [
      ...splitter.push(Buffer.from("ab\ncdef")),
      ...splitter.push(Buffer.from("ghi\nxy")),
      ...splitter.end(),
    ];
    expect(lines.map(({ bytes, size, ended }) => [bytes.toString(), size, ended])).toEqual([
      ["ab", 2, true],
      ["", 7, true],
      ["xy", 2, false],
    ]);
  });
});

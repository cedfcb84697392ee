import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { lastLines } from "../../src/plugins/last-lines.ts";
import { runs } from "../property/runs.ts";

const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-test-"));

async function linesOf(text: string, mostBytes = Infinity): Promise<string[]> {
  const file = path.join(folder, "lines.txt");
  writeFileSync(file, text);
  const lines: string[] = [];
  for await (const line of lastLines(file, mostBytes)) lines.push(line);
  return lines;
}

it("are all lines of a file, the last one first", async () => {
  const line = fc.oneof(
    fc.string({ unit: "grapheme" }).map((text) => text.replaceAll("\n", "")),
    // Longer than what is read at once.
    fc.nat({ max: 2_500_000 }).map((length) => "é".repeat(length / 2)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(line, { maxLength: 5 }), async (lines) => {
      const wanted = lines.filter((one) => one !== "").toReversed();
      expect(await linesOf(lines.join("\n"))).toEqual(wanted);
      expect(await linesOf(lines.map((one) => `${one}\n`).join(""))).toEqual(wanted);
    }),
    { numRuns: runs(20, 300) },
  );
});

it("reach no further back than asked, and leave out a line that this cuts", async () => {
  expect(await linesOf("first\nsecond\nthird\n", 10)).toEqual(["third"]);
  expect(await linesOf("first\nsecond\nthird\n", 18)).toEqual(["third", "second"]);
});

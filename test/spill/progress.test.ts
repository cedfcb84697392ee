import { describe, expect, it } from "vitest";
import type { Output } from "../../src/spill/output.ts";
import { type Progress, reporter } from "../../src/spill/progress.ts";

/** An output of which only what a report asks for is there. */
function outputOf(bytes: () => Buffer): Output {
  const unasked = (): never => {
    throw new Error("not part of a report");
  };
  return {
    target: "pipe",
    path: undefined,
    size: () => bytes().length,
    lines: () => undefined,
    between: (from, to) => bytes().subarray(from, to),
    attach: unasked,
    settle: unasked,
    leave: unasked,
    read: unasked,
    keep: unasked,
    discard: unasked,
  };
}

function reportsOf(bytes: () => Buffer, times: number): readonly Progress[] {
  const seen: Progress[] = [];
  const report = reporter(outputOf(bytes), (progress) => seen.push(progress));
  for (let at = 0; at < times; at++) report();
  return seen;
}

describe("reporter", () => {
  it("shows every byte once of an output that grows at every look", () => {
    let looks = 0;
    const grow = (): Buffer =>
      Buffer.from(Array.from({ length: ++looks }, (_, at) => `${at}\n`).join(""));
    const reports = reportsOf(grow, 20);
    expect(reports.map(({ skipped }) => skipped)).toEqual(Array.from({ length: 20 }, () => 0));
    const shown = Buffer.concat(reports.map(({ latest }) => latest));
    expect(shown.toString()).toBe(grow().subarray(0, shown.length).toString());
    expect(reports.at(-1)!.bytes).toBe(shown.length);
  });

  it("shows the newest 64 KB and says how much went by before them", () => {
    const sizes = [10, 100_000, 100_001];
    let at = 0;
    const seen: Progress[] = [];
    const report = reporter(
      outputOf(() => Buffer.alloc(sizes[at]!, "x")),
      (progress) => seen.push(progress),
    );
    for (at = 0; at < sizes.length; at++) report();
    expect(seen.map(({ skipped, latest }) => [skipped, latest.length])).toEqual([
      [0, 10],
      [100_000 - 10 - 65_536, 65_536],
      [0, 1],
    ]);
  });

  it("begins again with an output that the command emptied", () => {
    const states = [Buffer.from("long before\n"), Buffer.from("new\n")];
    const seen: string[] = [];
    let at = 0;
    const report = reporter(
      outputOf(() => states[at]!),
      ({ latest, skipped }) => seen.push(`${skipped}:${Buffer.from(latest).toString()}`),
    );
    for (at = 0; at < states.length; at++) report();
    expect(seen).toEqual(["0:long before\n", "0:new\n"]);
  });
});

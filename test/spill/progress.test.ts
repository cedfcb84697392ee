import { describe, expect, it } from "vitest";
import { type Output, type Progress, reporter } from "../../src/spill/output.ts";

/** An output of which only what a report asks for is there. */
function outputOf(bytes: () => Buffer): Output {
  const unasked = (): never => {
    throw new Error("not part of a report");
  };
  return {
    target: "pipe",
    path: undefined,
    size: () => bytes().length,
    between: (from, to) => bytes().subarray(from, to),
    attach: unasked,
    settle: unasked,
    read: unasked,
    keep: unasked,
    discard: unasked,
  };
}

function reportsOf(bytes: () => Buffer, times: number): readonly Progress[] {
  const seen: Progress[] = [];
  const onProgress = (progress: Progress): void => void seen.push(progress);
  const report = reporter(outputOf(bytes), { onProgress, maxBytes: Infinity });
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
      { onProgress: (progress) => void seen.push(progress), maxBytes: Infinity },
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
      {
        onProgress: ({ latest, skipped }) =>
          void seen.push(`${skipped}:${Buffer.from(latest).toString()}`),
        maxBytes: Infinity,
      },
    );
    for (at = 0; at < states.length; at++) report();
    expect(seen).toEqual(["0:long before\n", "0:new\n"]);
  });

  it("shows nothing beyond the limit, and nothing twice when the rest is removed", () => {
    const seen: string[] = [];
    let text = "1234";
    const output = outputOf(() => Buffer.from(text));
    const onProgress = ({ latest }: Progress): void =>
      void seen.push(Buffer.from(latest).toString());
    const report = reporter(output, { onProgress, maxBytes: 6 });
    for (text of ["1234", "1234567890", "123456"]) report();
    expect(seen).toEqual(["1234", "56", ""]);
  });
});

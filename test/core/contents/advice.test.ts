import { describe, expect, it } from "vitest";
import { adviceOn } from "../../../src/core/contents/advice.ts";
import type { ContentItem } from "../../../src/core/contents/window-contents.ts";

const USABLE = 100_000;
const output = (subject: string, tokens: number, tool = "Read"): ContentItem => {
  return { kind: "tool-result", tool, subject, tokens };
};
const several = (length: number, item: ContentItem): ContentItem[] => {
  return Array.from({ length }, () => item);
};
const subjects = (items: readonly ContentItem[]): readonly string[] => {
  return adviceOn(items, USABLE).map(({ subject, times, tokens }) => {
    return `${subject}: ${times}, ${tokens}`;
  });
};

/** So much that no tool has a large share of it. */
const WORDS: ContentItem = { kind: "text", subject: "words", tokens: 300_000 };

describe("advice on what fills a window", () => {
  it("names what came again and again, the largest first, and nothing small or rare", () => {
    const items = [
      WORDS,
      ...several(14, output("src/a.ts", 1_000)),
      ...several(3, output("src/b.ts", 3_500)),
      ...several(20, output("src/small.ts", 10)),
      ...several(2, output("src/rare.ts", 3_900)),
    ];
    expect(subjects(items)).toEqual(["Read src/a.ts: 14, 14000", "Read src/b.ts: 3, 10500"]);
  });

  it("names the tools whose outputs fill it, and single large outputs", () => {
    const items = [
      ...several(40, output("", 800, "Bash")),
      ...several(20, output("", 800, "Grep")),
      output("src/whole.ts", 30_000),
    ];
    expect(subjects(items)).toEqual([
      "outputs of Bash and Read: 41, 62000",
      "Read src/whole.ts: 1, 30000",
    ]);
  });

  it("names what stands beside the outputs, and nothing where all is well", () => {
    const kinds = (tokens: number): ContentItem[] => [
      WORDS,
      { kind: "outside", subject: "", tokens },
      { kind: "reasoning", subject: "", tokens },
      { kind: "file", subject: "a.png", tokens },
    ];
    expect(adviceOn(kinds(10_000), USABLE)).toHaveLength(3);
    expect(adviceOn(kinds(9_000), USABLE)).toEqual([]);
    expect(adviceOn([], 0)).toEqual([]);
  });
});

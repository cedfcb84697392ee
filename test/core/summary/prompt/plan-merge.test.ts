import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  joinSummaries,
  type MergePlan,
  planMerge,
  type PromptBudget,
  type SummaryInput,
} from "../../../../src/core/summary/prompt/index.ts";
import { validateSummary } from "../../../../src/core/summary/index.ts";
import { budget, count, inputOf } from "./build-input.ts";

function summary(mark: string, tokens: number): string {
  const filler = `- ${mark} the quick brown fox jumps over it.\n`;
  const lines = filler.repeat(Math.max(1, Math.floor((tokens * 4 - 130) / filler.length)));
  return `## Goal\n${mark}\n\n## Instructions\n(none)\n\n## Discoveries\n${lines}\n## Accomplished\n(none)\n\n## Relevant files\n(none)`;
}

/** Plays all levels; returns how often each mark was merged, and how many levels there were. */
function play(
  texts: readonly string[],
  cap: number,
  { input, own }: { readonly input: SummaryInput; readonly own: PromptBudget },
): { levels: number; merges: number } {
  let marks = texts.map((_, index) => [index]);
  let current = texts;
  let levels = 0;
  let merges = 0;
  for (;;) {
    const plan: MergePlan | undefined = planMerge({ texts: current, cap }, input, own);
    if (plan === undefined) throw new Error(`no plan for ${current.length}`);
    levels++;
    let next = 0;
    for (const { from, to, prompt } of plan.groups) {
      expect(from).toBe(next);
      next = to;
      if (prompt === undefined) continue;
      merges++;
      expect(own.count(prompt.system) + own.count(prompt.user)).toBeLessThanOrEqual(own.room);
      expect(prompt.user.includes("<earlier-summary>")).toBe(
        plan.isLast && input.previousSummary !== undefined,
      );
    }
    expect(next).toBe(current.length);
    marks = plan.groups.map(({ from, to }) => marks.slice(from, to).flat());
    current = plan.groups.map((_, index) => summary(`level-${levels}-${index}`, cap));
    if (!plan.isLast) continue;
    expect(marks).toEqual([texts.map((_, index) => index)]);
    return { levels, merges };
  }
}

describe("merging the summaries of chunks", () => {
  it("takes all at once when they fit", () => {
    const texts = ["one", "two", "three"].map((mark) => summary(mark, 300));
    const plan = planMerge({ texts, cap: 400 }, inputOf([]), budget(8_192));
    expect(plan?.isLast).toBe(true);
    const [group] = plan?.groups ?? [];
    expect(group).toMatchObject({ from: 0, to: 3 });
    expect(group?.prompt?.user.indexOf("one")).toBeLessThan(
      group?.prompt?.user.indexOf("two") ?? 0,
    );
  });

  it("leaves a single summary alone, unless there is an earlier one", () => {
    const texts = [summary("only", 300)];
    const alone = planMerge({ texts, cap: 400 }, inputOf([]), budget(8_192));
    expect(alone).toEqual({ groups: [{ from: 0, to: 1 }], isLast: true });
    const input = inputOf([], { previousSummary: "## Goal\nOld" });
    const both = planMerge({ texts, cap: 400 }, input, budget(8_192));
    expect(both?.groups[0]?.prompt?.user).toContain("## Goal\nOld");
  });

  it("clips a summary that is longer than it may be", () => {
    const texts = [summary("long", 20_000), summary("short", 200)];
    expect(play(texts, 400, { input: inputOf([]), own: budget(4_096) }).levels).toBe(1);
  });

  it("merges k chunks in at most ceil(log2 k) + 1 levels, each fact once a level", () => {
    const size = fc.integer({ min: 10, max: 700 });
    const sizes = fc
      .integer({ min: 1, max: 40 })
      .chain((chunks) => fc.array(size, { minLength: chunks, maxLength: chunks }));
    const windows = fc.integer({ min: 4_096, max: 16_000 });
    const previous = fc.option(fc.constant(summary("previous", 900)), { nil: undefined });
    fc.assert(
      fc.property(sizes, windows, previous, (tokens, window, previousSummary) => {
        const texts = tokens.map((size, index) => summary(`chunk-${index}`, size));
        const input = inputOf([], { previousSummary });
        const { levels, merges } = play(texts, 400, { input, own: budget(window) });
        expect(levels).toBeLessThanOrEqual(Math.ceil(Math.log2(texts.length)) + 1);
        expect(merges).toBeLessThanOrEqual(texts.length);
      }),
      { numRuns: 60 },
    );
  });

  it("takes the fewest levels that the room allows", () => {
    const levelsOf = (chunks: number, window: number): number => {
      const texts = Array.from({ length: chunks }, (_, index) => summary(`chunk-${index}`, 400));
      return play(texts, 400, { input: inputOf([]), own: budget(window) }).levels;
    };
    expect([2, 3, 8, 16, 40].map((chunks) => levelsOf(chunks, 4_096))).toEqual([1, 1, 2, 2, 3]);
    expect(levelsOf(40, 32_768)).toBe(1);
  });

  it("says when not even two fit", () => {
    const texts = [summary("a", 300), summary("b", 300)];
    expect(planMerge({ texts, cap: 400 }, inputOf([]), { room: 700, count })).toBeUndefined();
  });
});

describe("joining summaries without a model", () => {
  it("keeps what each says, newest first, under the cap", () => {
    const texts = [summary("FIRST", 200), summary("SECOND", 200)];
    const joined = joinSummaries(texts, inputOf([]), { count });
    expect(validateSummary(joined).valid).toBe(true);
    expect(joined).toContain("FIRST");
    expect(joined.indexOf("SECOND")).toBeLessThan(joined.indexOf("FIRST"));
    expect(count(joinSummaries(texts, inputOf([], { cap: 300 }), { count }))).toBeLessThan(301);
  });
});

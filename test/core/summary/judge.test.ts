import { describe, expect, it } from "vitest";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  judgeSummary,
  renderSummary,
} from "../../../src/core/summary/index.ts";
import type { JudgeInput } from "../../../src/core/summary/index.ts";
import { count, ledger } from "./build-ledger.ts";

const SECTIONS = DEFAULT_COMPACTION_TEMPLATE.sections;
const HEADINGS = SECTIONS.map(({ heading }) => heading);
const GOOD = renderSummary(new Map(SECTIONS.map(({ id }) => [id, `- about ${id}`])));

describe("T12: the gate", () => {
  const input: JudgeInput = { cap: 1_000, replaces: 5_000, ledger: ledger({}), count };

  it("accepts what has all sections, fits, is smaller and names every changed file", () => {
    const files = { "/app/src/a.ts": ["modified"], "/app/src/b.ts": ["read"] } as const;
    const text = `${GOOD}\n- \`src/a.ts\`: changed`;
    expect(judgeSummary({ text }, { ...input, ledger: ledger({ files }) })).toEqual({
      text,
      problems: [],
      isFatal: false,
    });
  });

  it("rejects an empty summary for that alone", () => {
    expect(judgeSummary({ text: " \n" }, input)).toEqual({
      text: "",
      problems: [{ code: "empty" }],
      isFatal: true,
    });
  });

  it("gives every reason at once, as data", () => {
    const files = { "src/a.ts": ["created"], "src/b.ts": ["modified"] } as const;
    const text = "## Goal\nThe file src/b.ts.";
    const tokens = count(text);
    const strict = { cap: 5, replaces: tokens, ledger: ledger({ files }), count };
    expect(judgeSummary({ text }, strict)).toEqual({
      text,
      isFatal: true,
      problems: [
        { code: "not-smaller", tokens, replaces: tokens },
        { code: "missing-sections", headings: HEADINGS.slice(1) },
        { code: "over-cap", tokens, cap: 5 },
        { code: "unnamed-files", paths: ["src/a.ts"] },
      ],
    });
  });

  it.each([
    ["a.ts", "src/a.ts", true],
    ["./src/a.ts", "src/a.ts", true],
    ["(src/a.ts).", "src/a.ts", true],
    ["src\\a.ts", "src/a.ts", true],
    ["data.ts", "src/a.ts", false],
    ["a.tsx", "src/a.ts", false],
    ["a.ts.bak", "src/a.ts", false],
    ["the folder `dist` is gone", "dist/", true],
    ["Makefile", "Makefile", true],
    ["Makefiles", "Makefile", false],
  ])("in %j, %s is named: %s", (text, path, named) => {
    const { problems } = judgeSummary(
      { text: `${GOOD}\n${text}` },
      {
        ...input,
        ledger: ledger({ files: { [path]: path.endsWith("/") ? ["deleted"] : ["modified"] } }),
      },
    );
    expect(problems).toEqual(named ? [] : [{ code: "unnamed-files", paths: [path] }]);
  });

  it("wants enough of a path to tell two files of one name apart", () => {
    const files = { "a/index.ts": ["modified"], "b/index.ts": ["created"] } as const;
    const unnamed = (text: string): unknown =>
      judgeSummary({ text: `${GOOD}\n${text}` }, { ...input, ledger: ledger({ files }) }).problems;
    expect(unnamed("index.ts, a/index.ts")).toEqual([
      { code: "unnamed-files", paths: ["b/index.ts"] },
    ]);
    expect(unnamed("- Modified in `a/`: `index.ts`\n- Created in `b/`: `index.ts`")).toEqual([]);
  });
});

import { describe, expect, it } from "vitest";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  describeProblem,
  judgeSummary,
  renderSummary,
  resolveTemplate,
} from "../../../../src/core/summary/index.ts";
import type {
  JudgedAnswer,
  JudgeInput,
  SummaryProblem,
} from "../../../../src/core/summary/index.ts";
import { count, ledger } from "../build-ledger.ts";

const SECTIONS = DEFAULT_COMPACTION_TEMPLATE.sections;
const HEADINGS = SECTIONS.map(({ heading }) => heading);
const GOOD = renderSummary(new Map(SECTIONS.map(({ id }) => [id, `- about ${id}`])));

const input: JudgeInput = { cap: 1_000, replaces: 5_000, ledger: ledger({}), count };

function codes(answer: JudgedAnswer, given: Partial<JudgeInput> = {}): readonly string[] {
  const { problems, isFatal } = judgeSummary(answer, { ...input, ...given });
  const all = problems.map(({ code }) => code);
  return isFatal ? ["fatal", ...all] : all;
}

describe("T12: the gate", () => {
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

  it.each(["length", "content-filter", "error"])("says why an answer is empty: %s", (finish) => {
    const { problems } = judgeSummary({ text: "<think>…</think>", finish }, input);
    expect(problems).toEqual([{ code: "empty", finish }]);
    expect(problems.map(describeProblem)).toEqual([
      `The answer was empty (finish reason: ${finish}).`,
    ]);
  });

  it("says that a model refused, beside what it said instead", () => {
    const { problems } = judgeSummary({ text: "I can't help.", finish: "content-filter" }, input);
    expect(problems.map(({ code }) => code)).toEqual(["cut-off", "chat-answer"]);
    expect(describeProblem(problems[0] as SummaryProblem)).toContain("content-filter");
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

describe("T12: what is no summary is refused, with the reason", () => {
  it.each<[string, JudgedAnswer, string]>([
    ["an empty answer", { text: "" }, "empty"],
    ["an answer that only thinks", { text: "<think>The user wants …</think>" }, "empty"],
    ["a tool call instead of text", { text: "", toolCalls: 1 }, "tool-call"],
    ["the same by its finish reason", { text: "I look.", finish: "tool-calls" }, "tool-call"],
    ["a call in tags", { text: '<tool_call>\n{"name":"read"}\n</tool_call>' }, "tool-call"],
    ["a call as JSON", { text: '{"name": "bash", "arguments": {}}' }, "tool-call"],
    ["a call behind words", { text: 'Reading.\n[TOOL_CALLS][{"name":"x"}]' }, "tool-call"],
    ["an answer to the chat", { text: "Sure! I fixed the bug; anything else?" }, "chat-answer"],
    ["the work going on", { text: "Let me read src/a.ts next." }, "chat-answer"],
    ["a chat with one heading", { text: "I'll go on.\n\n## Goal\nx\n\nShall we?" }, "chat-answer"],
    ["a rate limit", { text: "Rate limit exceeded, retry in 20 s." }, "error-text"],
    ["an error as JSON", { text: '{"error": {"message": "overloaded"}}' }, "error-text"],
    ["an error page", { text: "<!DOCTYPE html><html><h1>502 Bad Gateway" }, "error-text"],
    ["prose", { text: "The project is a parser. It has two passes." }, "no-sections"],
    ["another template", { text: "## Overview\nx\n\n## Details\ny" }, "no-sections"],
    ["the template itself", { text: templateAsAnswer() }, "no-sections"],
    ["what stopped at the limit", { text: GOOD, finish: "length" }, "cut-off"],
    ["what a filter stopped", { text: GOOD, finish: "content-filter" }, "cut-off"],
    ["what ends in a sentence", { text: `${GOOD.slice(0, -50)}and the` }, "cut-off"],
    ["what ends in a heading", { text: GOOD.replace(/## Rel[^]*$/, "## Re") }, "cut-off"],
    ["ten times too much", { text: GOOD + "- more\n".repeat(9_000) }, "over-cap"],
  ])("%s", (_, answer, code) => {
    const { problems, isFatal } = judgeSummary(answer, { ...input, replaces: 90_000 });
    expect(isFatal).toBe(true);
    expect(problems[0]?.code).toBe(code);
  });

  it.each(["`", "```", "- `", "a:\n", "<tool_call>", "word ", "🎯"])(
    "what never stops, in time in proportion to it: %j",
    (piece) => {
      const some = `${GOOD}\n${piece.repeat(200_000 / piece.length)}`;
      expect(judgeSummary({ text: some }, { ...input, replaces: 1e9 }).isFatal).toBe(true);
      const text = `${GOOD}\n${piece.repeat(4_000_000 / piece.length)}`;
      expect(codes({ text }, { replaces: 1e9 })).toEqual(["fatal", "over-cap"]);
    },
  );

  it("what is not smaller than what it replaces", () => {
    expect(codes({ text: GOOD }, { replaces: count(GOOD) })).toEqual(["fatal", "not-smaller"]);
    expect(codes({ text: GOOD }, { replaces: count(GOOD) + 1 })).toEqual([]);
  });
});

/** What a model gives back that takes the instruction for the thing to write. */
function templateAsAnswer(): string {
  return SECTIONS.map(({ heading, purpose }) => `${heading}\n${purpose}`).join("\n\n");
}

describe("T12: what is a summary with a gap is not refused", () => {
  it("a section missing or empty", () => {
    const text = GOOD.replace("## Discoveries", "## Findings").replace("- about goal", "");
    expect(judgeSummary({ text }, input)).toMatchObject({
      isFatal: false,
      problems: [{ code: "missing-sections", headings: ["## Goal", "## Discoveries"] }],
    });
  });

  it("a little too much", () => {
    const text = `${GOOD}\n${"- more\n".repeat(600)}`;
    expect(codes({ text })).toEqual(["over-cap"]);
  });

  it("a tool call beside a whole summary", () => {
    expect(codes({ text: GOOD, toolCalls: 1 })).toEqual(["tool-call"]);
    expect(codes({ text: `${GOOD}\n<tool_call>{}</tool_call>` })).toEqual(["tool-call"]);
  });

  it("a last sentence that breaks off, unless the model stopped by itself", () => {
    for (const end of ["the entry of the", "reads `src/a", "two parts ("]) {
      const text = `${GOOD} ${end}`;
      expect(codes({ text })).toEqual(["cut-off"]);
      expect(codes({ text, finish: "other" })).toEqual(["cut-off"]);
      expect(codes({ text, finish: "stop" })).toEqual([]);
    }
    expect(codes({ text: `${GOOD}\n\`\`\`\nx\n\`\`\`` })).toEqual([]);
  });

  it("headings in another language, in their order", () => {
    const titles = ["Mục tiêu", "Chỉ dẫn", "Phát hiện", "Đã làm", "Tệp liên quan"];
    const text = titles.map((title) => `## ${title}\n- ${title} …`).join("\n\n");
    const judged = judgeSummary({ text: `# Tóm tắt\n\n${text}` }, input);
    expect(judged).toMatchObject({
      isFatal: false,
      problems: [{ code: "translated-headings", headings: titles }],
    });
    expect(judged.text).toMatch(/^## Goal\n- Mục tiêu …\n\n## Instructions\n/);
    expect(codes({ text: text.replace("## Đã làm", "") })).toContain("fatal");
  });

  it("a script that nobody writes", () => {
    const chinese = "项目目标是编写一个解析器并且通过所有测试用例。".repeat(5);
    const text = GOOD.replace("about discoveries", chinese);
    const english = ledger({ instructions: ["Please write a parser for Markdown. ".repeat(3)] });
    expect(codes({ text }, { ledger: english })).toEqual(["wrong-language"]);
    const both = ledger({ instructions: [chinese, "Please write a parser. ".repeat(9)] });
    expect(codes({ text }, { ledger: both })).toEqual([]);
    expect(codes({ text: GOOD }, { ledger: ledger({ instructions: [chinese] }) })).toEqual([]);
  });
});

describe("T12: an honest summary is accepted, whatever it is about", () => {
  it.each([
    ["quotes errors", "- The API answers `429 rate limit exceeded`; error: overloaded"],
    ["quotes a tool call", "- The parser reads:\n  <tool_call>{}</tool_call>"],
    ["quotes one in code", "```\n<tool_call>\n```"],
    ["asks what was asked", "- Open question: should tabs be kept?"],
    ["ends without a full stop", "- `src/a.ts`"],
    ["ends with an open bracket in code", "- the token `(`"],
    ["has deeper headings", "### Sure\n- fine"],
  ])("one that %s", (_, line) => {
    const text = GOOD.replace("- about discoveries", line).replace("- about relevantFiles", line);
    expect(codes({ text })).toEqual([]);
  });

  it("is one with the sections of its own template", () => {
    const risks = { id: "risks", heading: "## Risks", purpose: "What may fail." };
    const template = resolveTemplate({ call: { sections: [risks] } });
    expect(codes({ text: GOOD }, { template })).toEqual(["missing-sections"]);
    expect(codes({ text: `${GOOD}\n\n## Risks\n(none)` }, { template })).toEqual([]);
  });
});

describe("describeProblem", () => {
  const all: readonly SummaryProblem[] = [
    { code: "empty" },
    { code: "cut-off" },
    { code: "cut-off", finish: "length" },
    { code: "tool-call" },
    { code: "chat-answer" },
    { code: "error-text", text: "502" },
    { code: "no-sections", headings: HEADINGS },
    { code: "missing-sections", headings: ["## Goal"] },
    { code: "translated-headings", headings: ["Ziel"] },
    { code: "over-cap", tokens: 1_200, cap: 1_000 },
    { code: "not-smaller", tokens: 9, replaces: 8 },
    { code: "unnamed-files", paths: Array.from({ length: 25 }, (_, index) => `f${index}.ts`) },
    {
      code: "contradiction",
      line: "- Deleted `a`",
      fact: { type: "file", path: "a", exists: true },
    },
    {
      code: "contradiction",
      line: "x",
      fact: { type: "command", command: "npm test", outcome: "failed" },
    },
    { code: "contradiction", line: "x", fact: { type: "todo", text: "docs", done: false } },
    { code: "wrong-language", language: "Han script" },
  ];

  it.each(all)("says in one line what is wrong and what to do: $code", (problem) => {
    const sentence = describeProblem(problem);
    expect(sentence).toMatch(/^[A-Z][^\n]{15,}$/);
    expect(sentence).not.toMatch(/undefined|\[object/);
  });

  it("names at most twenty files", () => {
    const sentence = describeProblem(all[11] ?? { code: "empty" });
    expect(sentence).toContain("f19.ts and 5 more;");
    expect(sentence).not.toContain("f20.ts");
  });
});

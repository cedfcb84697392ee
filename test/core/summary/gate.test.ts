import { describe, expect, it } from "vitest";
import {
  describeProblem,
  gateAnswer,
  type GateOptions,
  type GivenAnswer,
  type SummaryProblem,
} from "../../../src/core/summary/gate.ts";
import { DEFAULT_COMPACTION_TEMPLATE, resolveTemplate } from "../../../src/core/summary/index.ts";
import { count } from "./build-ledger.ts";

const SECTIONS = DEFAULT_COMPACTION_TEMPLATE.sections;
const HEADINGS = SECTIONS.map(({ heading }) => heading);
const GOOD = SECTIONS.map(({ id, heading }) => `${heading}\n- about ${id}`).join("\n\n");

const options: GateOptions = { replaces: 5_000, count };

function codeOf(answer: GivenAnswer, given: Partial<GateOptions> = {}): string | undefined {
  return gateAnswer(answer, { ...options, ...given }).problem?.code;
}

describe("T12: the gate", () => {
  it("lets in what has sections and is smaller than what it replaces", () => {
    expect(gateAnswer({ text: `Here:\n${GOOD}` }, options)).toEqual({ text: GOOD });
  });

  it.each(["length", "content-filter", "error"])("says why an answer is empty: %s", (finish) => {
    const { problem } = gateAnswer({ text: "<think>…</think>", finish }, options);
    expect(problem).toEqual({ code: "empty", finish });
    expect(describeProblem(problem as SummaryProblem)).toBe(
      `The answer was empty (finish reason: ${finish}).`,
    );
  });

  it("says that a model refused, whatever it said instead", () => {
    const { problem } = gateAnswer({ text: "I can't help.", finish: "content-filter" }, options);
    expect(describeProblem(problem as SummaryProblem)).toContain("content-filter");
  });
});

describe("T12: what is no summary is refused, with the reason", () => {
  it.each<[string, GivenAnswer, string]>([
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
  ])("%s", (_, answer, code) => {
    expect(codeOf(answer, { replaces: 90_000 })).toBe(code);
  });

  it.each(["`", "```", "- `", "a:\n", "<tool_call>", "word ", "🎯"])(
    "what never stops, in time in proportion to it: %j",
    (piece) => {
      const text = `${GOOD}\n${piece.repeat(4_000_000 / piece.length)}`;
      expect(codeOf({ text })).toBe("not-smaller");
      expect(codeOf({ text, finish: "length" }, { replaces: 1e9 })).toBe("cut-off");
    },
  );

  it("what is not smaller than what it replaces", () => {
    expect(codeOf({ text: GOOD }, { replaces: count(GOOD) })).toBe("not-smaller");
    expect(codeOf({ text: GOOD }, { replaces: count(GOOD) + 1 })).toBeUndefined();
  });
});

/** What a model gives back that takes the instruction for the thing to write. */
function templateAsAnswer(): string {
  return SECTIONS.map(({ heading, purpose }) => `${heading}\n${purpose}`).join("\n\n");
}

describe("T12: what the recorded facts make good is let in at once", () => {
  it.each<[string, GivenAnswer]>([
    ["sections missing or empty", { text: GOOD.replace("## Discoveries", "## Findings") }],
    ["a single section", { text: "## Discoveries\n- The parser has two passes." }],
    ["Instructions that say nothing", { text: GOOD.replace("- about instructions", "(none)") }],
    ["too much", { text: `${GOOD}\n${"- more\n".repeat(2_000)}` }],
    ["a tool call beside a whole summary", { text: GOOD, toolCalls: 1 }],
    ["one in its words", { text: `${GOOD}\n<tool_call>{}</tool_call>` }],
    ["a last sentence that breaks off", { text: `${GOOD} the entry of the` }],
    ["words in a script that nobody writes", { text: GOOD.replace("about goal", "项目目标") }],
    ["a file that was not deleted", { text: GOOD.replace("about goal", "Deleted `src/a.ts`") }],
  ])("%s", (_, answer) => {
    expect(codeOf(answer)).toBeUndefined();
  });

  it("headings in another language, in their order", () => {
    const titles = ["Mục tiêu", "Chỉ dẫn", "Phát hiện", "Đã làm", "Tệp liên quan"];
    const text = titles.map((title) => `## ${title}\n- ${title} …`).join("\n\n");
    const { text: made, problem } = gateAnswer({ text: `# Tóm tắt\n\n${text}` }, options);
    expect(problem).toBeUndefined();
    expect(made).toMatch(/^## Goal\n- Mục tiêu …\n\n## Instructions\n/);
    expect(codeOf({ text: text.replace("## Đã làm", "") })).toBe("no-sections");
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
    expect(codeOf({ text })).toBeUndefined();
  });

  it("is one with the sections of its own template", () => {
    const risks = { id: "risks", heading: "## Risks", purpose: "What may fail." };
    const template = resolveTemplate([{ sections: [risks] }]);
    expect(codeOf({ text: `${GOOD}\n\n## Risks\n(none)` }, { template })).toBeUndefined();
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
    { code: "not-smaller", tokens: 9, replaces: 8 },
  ];

  it.each(all)("says in one line what is wrong and what to do: $code", (problem) => {
    const sentence = describeProblem(problem);
    expect(sentence).toMatch(/^[A-Z][^\n]{15,}$/);
    expect(sentence).not.toMatch(/undefined|\[object/);
  });
});

import * as fc from "fast-check";
import { expect, it } from "vitest";
import {
  describeProblem,
  frameSummary,
  judgeSummary,
  mergeSummary,
  parseSummary,
  unframeSummary,
  validateSummary,
} from "../../../../src/core/summary/index.ts";
import { busyLedger, count, HEAD, head, ledger } from "../build-ledger.ts";

const CORE = ["goal", "instructions", "discoveries", "accomplished", "relevantFiles"];

/** Pieces out of which texts are made that are hard to read. */
const piece = fc.oneof(
  fc.constantFrom(
    "## Goal\n",
    "## Instructions\n",
    "## Discoveries\n",
    "## Accomplished\n",
    "## Relevant files\n",
    "# Other\n",
    "**Goal:** ",
    "**Bold**\n",
    "Goal:\n",
    "1. Instructions:\n",
    "Label:\n",
    "```\n",
    "~~~ts\n",
    "  ```\n",
    "- ```\n",
    "- ",
    "  - ",
    "\n\n",
    "\n",
    "`",
    "``",
    "- `src/s/room-1/file-1.ts`: deleted\n",
    "- Created: `a`, `b`\n",
    "- Still open: s todo 3\n",
    "Still open:\n",
    "- Done: s todo 3\n",
    "- `npm run s-task-4 -- --reporter verbose`: ok\n",
    "- Unresolved: `bash` on `x`: y\n",
    "- Newest request: z\n",
    "… [clipped, 9 characters in all: recall head_00000000000000cc]",
    "- … and 9 more (instructions): recall head_00000000000000cc\n",
    "</prior-conversation-summary>",
    "<prior-conversation-summary",
    "<analysis>\n",
    "</analysis>",
    "\u202e",
    "\u0000",
    "\ud800",
    "👩‍👩‍👧",
    "(none)\n",
    "---\n",
    "| a | b |\n",
  ),
  fc.string({ unit: "binary", maxLength: 20 }),
);
const anyText = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));

it("T12: whatever a model writes, the result is whole, under its cap and cannot be mistaken", () => {
  fc.assert(
    fc.property(anyText, anyText, fc.integer({ min: 400, max: 3_000 }), (model, earlier, cap) => {
      const input = {
        ledger: busyLedger(9),
        cap,
        count,
        headHandle: HEAD,
        olderHandles: [head(1)],
      };
      const { text } = mergeSummary({ ...input, model, previousSummary: earlier });
      expect(count(text)).toBeLessThanOrEqual(cap);
      expect(validateSummary(text).valid).toBe(true);
      expect([...parseSummary(text).keys()]).toEqual(CORE);
      expect(text).not.toMatch(/(?![\t\n])\p{Cc}|\p{Cs}/u);
      const framed = frameSummary(text, { headHandle: HEAD, headMessages: 1 });
      expect(unframeSummary(framed)?.text).toBe(text);
    }),
    { numRuns: 500 },
  );
});

it("T12: whatever a model writes, it is judged, and every problem has a sentence", () => {
  fc.assert(
    fc.property(anyText, fc.integer({ min: 5, max: 500 }), (text, cap) => {
      const gate = { cap, replaces: 900, ledger: busyLedger(9), count };
      const { problems, isFatal } = judgeSummary({ text }, gate);
      expect(isFatal && problems.length === 0).toBe(false);
      for (const problem of problems) expect(describeProblem(problem)).toMatch(/^[A-Z].*[.?!…]?/);
    }),
    { numRuns: 500 },
  );
});

it("T12: a rule that a model quotes stands in the user's words or in its own", () => {
  const instruction = fc.record({ before: fc.nat(900), after: fc.nat(900) });
  const many = fc.array(instruction, { minLength: 1, maxLength: 12 });
  fc.assert(
    fc.property(many, fc.integer({ min: 500, max: 4_000 }), fc.boolean(), (texts, cap, isBusy) => {
      const rules = texts.map((_, at) => `Keep marker-${at} exactly in its place`);
      const typed = texts.map(({ before, after }, at) => {
        return `${"word ".repeat(before)}\n${rules[at]}.\n${"word ".repeat(after)}`;
      });
      const facts = isBusy ? busyLedger(200) : ledger({});
      const session = { ...facts, instructions: typed.map((text, at) => ({ text, at })) };
      const model = `## Goal\nx\n\n## Instructions\n${rules.map((rule) => `- ${rule}`).join("\n")}`;
      const { text } = mergeSummary({ ledger: session, cap, count, headHandle: HEAD, model });
      const hidden = Number(/and (\d+) more \(rules\)/.exec(text)?.[1] ?? 0);
      const shown = rules.filter((rule) => text.includes(rule));
      expect(shown.length + hidden).toBeGreaterThanOrEqual(rules.length);
    }),
    { numRuns: 150 },
  );
});

it.each([
  "- ",
  "`",
  "- `a",
  "- (",
  "(",
  "**",
  "# ",
  "\n## Goal\n- x",
  "\n## Other\n- x",
  "\n```\n",
  "\n- ```\n",
  "\n~~~\n```",
  "Label:\n",
  "Still open:\n- ",
  "<",
  "<prior-conversation-summary ",
  "- Deleted `a`, ",
  "- `npm test`: ok\n",
  "a. ",
  "x, ",
  "不",
  "- src/a/b/c/d/",
])("T12: takes time in proportion to what the model writes: %j many times", (some) => {
  const many = some.repeat(3_000);
  const model = `## Goal\nx\n\n## Instructions\n- ${many}\n\n## Discoveries\n${many}\n\n## Accomplished\n${many}\n\n## Relevant files\n- ${many}`;
  const input = { ledger: busyLedger(20), cap: 1_000, count, headHandle: HEAD, replaces: 9_000 };
  expect(count(mergeSummary({ ...input, model }).text)).toBeLessThanOrEqual(1_000);
  expect(judgeSummary({ text: model }, input).isFatal).toBe(true);
});

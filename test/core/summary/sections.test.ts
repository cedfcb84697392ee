import { describe, expect, it } from "vitest";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  parseSummary,
  resolveTemplate,
  validateSummary,
} from "../../../src/core/summary/index.ts";

const WHOLE = `## Goal
Ship it.

## Instructions
- be kind

## Discoveries
(none)

## Accomplished
- wrote \`a.ts\`

## Relevant files
- \`a.ts\`: created`;

describe("parseSummary", () => {
  it("takes a summary apart", () => {
    const sections = parseSummary(WHOLE);
    expect(Object.fromEntries(sections)).toEqual({
      goal: "Ship it.",
      instructions: "- be kind",
      discoveries: "(none)",
      accomplished: "- wrote `a.ts`",
      relevantFiles: "- `a.ts`: created",
    });
  });

  it.each([
    "# Relevant files",
    "### RELEVANT FILES:",
    "###### relevant   files ##",
    "##Relevant Files",
    "**Relevant files**",
    "**Relevant Files:**",
    "__Relevant files__:",
    "## **Relevant files**",
    "5. Relevant files:",
    "## 5. Relevant files",
    "Relevant files:",
    "## relevantFiles",
    "## Relevant_files",
  ])("recognises %j", (heading) => {
    const sections = parseSummary(`## Goal\nx\n\n${heading}\n- a.ts\n`);
    expect([...sections]).toEqual([
      ["goal", "x"],
      ["relevantFiles", "- a.ts"],
    ]);
  });

  it.each(["## Goal: ship it", "**Goal:** ship it", "**Goal**: ship it"])(
    "reads content on the heading's own line: %j",
    (line) => {
      expect(parseSummary(`${line}\nsoon`).get("goal")).toBe("ship it\nsoon");
    },
  );

  it("keeps unknown headings as sections and deeper ones as content", () => {
    const sections = parseSummary(
      "## Goal\nx\n## Next steps\n- a\n## Discoveries\n### Code style\ntabs\n**Note**\nend",
    );
    expect(Object.fromEntries(sections)).toEqual({
      goal: "x",
      "Next steps": "- a",
      discoveries: "### Code style\ntabs\n**Note**\nend",
    });
  });

  it("keeps text above the first heading apart", () => {
    expect([...parseSummary("Here you go:\n\n## Goal\nx")]).toEqual([
      ["", "Here you go:"],
      ["goal", "x"],
    ]);
    expect([...parseSummary("no headings at all")]).toEqual([["", "no headings at all"]]);
    expect([...parseSummary("")]).toEqual([]);
  });

  it("does not take headings in code or in list items for headings", () => {
    const body = "- said:\n  ## Accomplished\n- Goal:\n* Goal:\n```\n## Goal\n```";
    expect([...parseSummary(`## Instructions\n${body}`)]).toEqual([["instructions", body]]);
  });

  it("takes a fence that nothing closes for content, not for the rest of the summary", () => {
    const sections = parseSummary("## Goal\n```\nx\n## Instructions\ny");
    expect(sections.get("instructions")).toBe("y");
  });

  it("joins a section that comes twice, and knows a section that is empty", () => {
    const sections = parseSummary("## Goal\na\n## Instructions\n\n## Goal\nb");
    expect([...sections]).toEqual([
      ["goal", "a\n\nb"],
      ["instructions", ""],
    ]);
  });

  it("reads Windows line ends", () => {
    expect(parseSummary("## Goal\r\nx\r\n\r\n## Instructions\r\ny").get("goal")).toBe("x");
  });

  it("knows the sections of an overridden template by heading and by id", () => {
    const template = resolveTemplate([{ sections: [{ id: "goal", heading: "## Ziel" }] }]);
    expect(parseSummary("## Ziel\nx", template).get("goal")).toBe("x");
    expect(parseSummary("## Goal\nx", template).get("goal")).toBe("x");
  });

  it.each([
    ["# ", " "],
    ["**", " "],
    ["<", " "],
    ["", "**a"],
    ["", "# a: "],
    ["", "`"],
  ])("ends with hostile text: %j and then %j many times", (start, piece) => {
    const text = `${start}${piece.repeat(100_000)}x\n## Goal\ny`;
    expect(parseSummary(text).get("goal")).toBe("y");
  });
});

const IDS = DEFAULT_COMPACTION_TEMPLATE.sections.map(({ id }) => id);
const GOOD = DEFAULT_COMPACTION_TEMPLATE.sections
  .map(({ id, heading }) => `${heading}\n- about ${id}`)
  .join("\n\n");

describe("T12: validateSummary", () => {
  it("is content with all five sections, also where one says (none)", () => {
    expect(validateSummary(GOOD)).toEqual({ valid: true, missingSections: [] });
    expect(validateSummary(GOOD.replaceAll(/^- about .*$/gm, "(none)")).valid).toBe(true);
  });

  it.each(IDS)("misses %s when it is absent or empty", (id) => {
    const { heading = "" } =
      DEFAULT_COMPACTION_TEMPLATE.sections.find((each) => each.id === id) ?? {};
    const missing = { valid: false, missingSections: [id] };
    expect(validateSummary(GOOD.replace(heading, "## Other"))).toEqual(missing);
    expect(validateSummary(GOOD.replace(`- about ${id}`, " "))).toEqual(missing);
  });

  it.each(["", "Sure, I will go on with the work.", "# Goal-driven work"])(
    "misses all five in %j",
    (text) => {
      expect(validateSummary(text)).toEqual({ valid: false, missingSections: IDS });
    },
  );

  it("asks for the sections of the template it is given", () => {
    const call = { sections: [{ id: "risks", heading: "## Risks", purpose: "What may fail." }] };
    const added = resolveTemplate([call]);
    expect(validateSummary(GOOD, added).missingSections).toEqual(["risks"]);
    const replaced = resolveTemplate([{ ...call, replaceCore: true }]);
    expect(validateSummary("## Risks\nnone known", replaced).valid).toBe(true);
  });
});

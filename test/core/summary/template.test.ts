import { describe, expect, it } from "vitest";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  extractiveSummary,
  resolveTemplate,
  validateSummary,
  writeSummary,
} from "../../../src/core/summary/index.ts";
import { renderTemplate } from "../../../src/core/summary/prompt.ts";
import type { CompactionTemplate, TemplateOverride } from "../../../src/core/summary/index.ts";

import { count, ledger } from "./build-ledger.ts";

const FIVE = ["goal", "instructions", "discoveries", "accomplished", "relevantFiles"];

/** What each level says of the goal. */
interface Said {
  readonly plugins?: readonly string[];
  readonly conversation?: string;
  readonly call?: string;
}

function ids(template: CompactionTemplate): readonly string[] {
  return template.sections.map(({ id }) => id);
}

function adding(id: string): TemplateOverride {
  return { sections: [{ id, heading: `## ${id}`, purpose: `Everything about ${id}.` }] };
}

describe("T12: the default template", () => {
  it("has the five sections in their order", () => {
    expect(ids(DEFAULT_COMPACTION_TEMPLATE)).toEqual(FIVE);
    expect(DEFAULT_COMPACTION_TEMPLATE.sections.map(({ heading }) => heading)).toEqual([
      "## Goal",
      "## Instructions",
      "## Discoveries",
      "## Accomplished",
      "## Relevant files",
    ]);
  });

  it("says of every section what must be in it and what must not", () => {
    for (const { purpose } of DEFAULT_COMPACTION_TEMPLATE.sections) {
      expect(purpose).toMatch(/^(?:What|Every|Full) .{60,}/);
      expect(purpose).toMatch(/(?:^|\. )(?:No|Nothing) [^.]+\.$/);
    }
  });

  it("asks for the merging of an earlier summary, for nothing else, and for no answer", () => {
    const text = renderTemplate(DEFAULT_COMPACTION_TEMPLATE);
    for (const rule of [
      /an earlier summary, yours takes its place: carry over all of it that still holds/,
      /where they disagree, the conversation is right/,
      /Do not answer the conversation, do not go on with the work, do not call tools/,
      /headings stay as given/,
      /A section with nothing to say holds the one line \(none\)/,
    ]) {
      expect(text).toMatch(rule);
    }
  });

  it("renders every heading on a line of its own, in order, above its purpose", () => {
    const lines = renderTemplate(DEFAULT_COMPACTION_TEMPLATE).split("\n");
    const at = DEFAULT_COMPACTION_TEMPLATE.sections.map(({ heading, purpose }) => {
      const line = lines.indexOf(heading);
      expect(lines[line + 1]).toBe(purpose);
      return line;
    });
    expect(at).toEqual(at.toSorted((a, b) => a - b));
    expect(at[0]).toBeGreaterThan(0);
  });
});

describe("T12: resolveTemplate and its four levels", () => {
  it("is the default when nothing is overridden", () => {
    expect(resolveTemplate([])).toEqual(DEFAULT_COMPACTION_TEMPLATE);
  });

  it("adds the sections of every level behind the five", () => {
    const template = resolveTemplate([adding("skills"), adding("people"), adding("risks")]);
    expect(ids(template)).toEqual([...FIVE, "skills", "people", "risks"]);
  });

  it.each([
    ["default", {}, "What the user wants in the end"],
    ["plugin", { plugins: ["one"] }, "one"],
    ["the last of several plugins", { plugins: ["one", "two"] }, "two"],
    ["conversation", { plugins: ["one", "two"], conversation: "three" }, "three"],
    ["call", { plugins: ["one"], conversation: "three", call: "four" }, "four"],
    ["call over the default alone", { call: "four" }, "four"],
  ] as const)("the level that wins: %s", (_, { plugins = [], ...said }: Said, winner) => {
    const saying = (purpose: string): TemplateOverride => ({ sections: [{ id: "goal", purpose }] });
    const { conversation, call } = said;
    const template = resolveTemplate([
      ...plugins.map(saying),
      conversation === undefined ? undefined : saying(conversation),
      call === undefined ? undefined : saying(call),
    ]);
    expect(template.sections[0]?.purpose.startsWith(winner)).toBe(true);
    expect(ids(template)).toEqual(FIVE);
    expect(renderTemplate(template)).toContain(`## Goal\n${template.sections[0]?.purpose}`);
  });

  it("gives a plugin that drops a section that section back", () => {
    const kept = { sections: [{ id: "goal" }, { id: "relevantFiles", purpose: "Files." }] };
    const template = resolveTemplate([kept, adding("skills"), { sections: [] }]);
    expect(ids(template)).toEqual([...FIVE, "skills"]);
    const empty = { sections: [{ id: "discoveries", heading: "", purpose: " " }] };
    expect(resolveTemplate([empty])).toEqual(DEFAULT_COMPACTION_TEMPLATE);
  });

  it("gives it back in the summary too where the plugin replaces the five", () => {
    const alone = {
      replaceCore: true,
      sections: [{ id: "story", heading: "Story", purpose: "x" }],
    };
    const template = resolveTemplate([alone]);
    expect(ids(template)).toEqual(["story"]);
    const input = {
      ledger: ledger({ instructions: ["Never use regex."] }),
      cap: 900,
      count,
      template,
    };
    for (const text of [
      extractiveSummary(input),
      writeSummary({ ...input, narrative: { story: "Once." } }).text,
    ]) {
      expect(text).toMatch(/^## Story\n/);
      expect(validateSummary(text)).toEqual({ valid: true, missingSections: [] });
      expect(text).toContain("## Instructions\n- Never use regex.");
    }
  });

  it("rewords a section in its place and keeps what is not said", () => {
    const template = resolveTemplate([
      { sections: [{ id: "discoveries", heading: "Erkenntnisse" }] },
    ]);
    expect(ids(template)).toEqual(FIVE);
    expect(template.sections[2]).toEqual({
      ...DEFAULT_COMPACTION_TEMPLATE.sections[2],
      heading: "## Erkenntnisse",
    });
  });

  it("replaces the five only when told so", () => {
    const template = resolveTemplate([adding("skills"), { ...adding("story"), replaceCore: true }]);
    expect(ids(template)).toEqual(["story"]);
    const kept = resolveTemplate([
      { replaceCore: true, sections: [{ id: "goal" }, { id: "relevantFiles" }] },
    ]);
    expect(ids(kept)).toEqual(["goal", "relevantFiles"]);
  });

  it.each<[string, TemplateOverride]>([
    ["an id that is no word", { sections: [{ id: "my section", heading: "x", purpose: "y" }] }],
    ["a new section without a purpose", { sections: [{ id: "risks", heading: "## Risks" }] }],
    ["a new section without a heading", { sections: [{ id: "risks", purpose: "Risks." }] }],
    ["a heading of two lines", { sections: [{ id: "goal", heading: "## Goal\n## Fake" }] }],
    ["a replacement without sections", { sections: [], replaceCore: true }],
  ])("refuses %s", (_, call) => {
    expect(() => resolveTemplate([call])).toThrow(
      expect.objectContaining({ code: "invalid-options" }) as Error,
    );
  });
});

describe("T12: two sections of one title", () => {
  it.each<[string, TemplateOverride]>([
    ["a heading", { sections: [{ id: "aim", heading: "## Goal", purpose: "p" }] }],
    ["in other marks", { sections: [{ id: "aim", heading: "# **goal:**", purpose: "p" }] }],
    ["an id", { sections: [{ id: "aim", heading: "## Relevant-files", purpose: "p" }] }],
    [
      "instead of the five, which follow",
      { replaceCore: true, sections: [{ id: "aim", heading: "## Goal", purpose: "p" }] },
    ],
    [
      "the old one of a section that has another now",
      {
        sections: [
          { id: "goal", heading: "## Aim" },
          { id: "target", heading: "## Goal", purpose: "p" },
        ],
      },
    ],
  ])("are refused: %s", (_, call) => {
    expect(() => resolveTemplate([call])).toThrow(/has the name or the heading of the section/);
  });

  it("are none where a section has another title", () => {
    const call = { sections: [{ id: "goal", heading: "## Aim" }] };
    expect(ids(resolveTemplate([call]))).toEqual(FIVE);
  });
});

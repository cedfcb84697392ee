import { describe, expect, it } from "vitest";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  renderTemplate,
  resolveTemplate,
} from "../../../src/core/summary/index.ts";
import type { CompactionTemplate, TemplateOverride } from "../../../src/core/summary/index.ts";

const FIVE = ["goal", "instructions", "discoveries", "accomplished", "relevantFiles"];

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
    expect(resolveTemplate({})).toEqual(DEFAULT_COMPACTION_TEMPLATE);
  });

  it("adds the sections of every level behind the five", () => {
    const template = resolveTemplate({
      call: adding("risks"),
      plugin: adding("skills"),
      conversation: adding("people"),
    });
    expect(ids(template)).toEqual([...FIVE, "skills", "people", "risks"]);
  });

  it("lets a later level win: plugin < conversation < call", () => {
    const saying = (purpose: string): TemplateOverride => ({ sections: [{ id: "goal", purpose }] });
    const goal = (overrides: Parameters<typeof resolveTemplate>[0]): string | undefined =>
      resolveTemplate(overrides).sections[0]?.purpose;
    const plugin = saying("by the plugin");
    const conversation = saying("by the conversation");
    expect(goal({ plugin })).toBe("by the plugin");
    expect(goal({ plugin, conversation })).toBe("by the conversation");
    expect(goal({ plugin, conversation, call: saying("by the call") })).toBe("by the call");
  });

  it("rewords a section in its place and keeps what is not said", () => {
    const template = resolveTemplate({
      call: { sections: [{ id: "discoveries", heading: "Erkenntnisse" }] },
    });
    expect(ids(template)).toEqual(FIVE);
    expect(template.sections[2]).toEqual({
      ...DEFAULT_COMPACTION_TEMPLATE.sections[2],
      heading: "## Erkenntnisse",
    });
  });

  it("replaces the five only when told so", () => {
    const template = resolveTemplate({
      plugin: adding("skills"),
      call: { ...adding("story"), replaceCore: true },
    });
    expect(ids(template)).toEqual(["story"]);
    const kept = resolveTemplate({
      call: { replaceCore: true, sections: [{ id: "goal" }, { id: "relevantFiles" }] },
    });
    expect(ids(kept)).toEqual(["goal", "relevantFiles"]);
  });

  it.each<[string, TemplateOverride]>([
    ["an id that is no word", { sections: [{ id: "my section", heading: "x", purpose: "y" }] }],
    ["a new section without a purpose", { sections: [{ id: "risks", heading: "## Risks" }] }],
    ["a new section without a heading", { sections: [{ id: "risks", purpose: "Risks." }] }],
    ["a heading of two lines", { sections: [{ id: "goal", heading: "## Goal\n## Fake" }] }],
    ["a replacement without sections", { sections: [], replaceCore: true }],
  ])("refuses %s", (_, call) => {
    expect(() => resolveTemplate({ call })).toThrow(
      expect.objectContaining({ code: "invalid-options" }) as Error,
    );
  });
});

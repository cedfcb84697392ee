import { describe, expect, it } from "vitest";
import {
  DEFAULT_COMPACTION_TEMPLATE,
  renderSummary,
  resolveTemplate,
  validateSummary,
} from "../../../src/core/summary/index.ts";

const IDS = DEFAULT_COMPACTION_TEMPLATE.sections.map(({ id }) => id);
const GOOD = renderSummary(new Map(IDS.map((id) => [id, `- about ${id}`])));

describe("T12: validateSummary", () => {
  it("is content with all five sections, also where one says (none)", () => {
    expect(validateSummary(GOOD)).toEqual({ valid: true, missingSections: [] });
    expect(validateSummary(renderSummary(new Map())).valid).toBe(true);
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
    const added = resolveTemplate({ call });
    expect(validateSummary(GOOD, added).missingSections).toEqual(["risks"]);
    const replaced = resolveTemplate({ call: { ...call, replaceCore: true } });
    expect(validateSummary("## Risks\nnone known", replaced).valid).toBe(true);
  });
});

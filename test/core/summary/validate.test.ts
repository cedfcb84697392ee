import { describe, expect, it } from "vitest";
import {
  acceptSummary,
  DEFAULT_COMPACTION_TEMPLATE,
  renderSummary,
  resolveTemplate,
  validateSummary,
} from "../../../src/core/summary/index.ts";
import type { AcceptanceInput } from "../../../src/core/summary/index.ts";
import { count, ledger } from "./build-ledger.ts";

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

describe("T12: acceptSummary", () => {
  const input: AcceptanceInput = { cap: 1_000, replaces: 5_000, ledger: ledger({}), count };

  it("accepts what has all sections, fits, is smaller and names every changed file", () => {
    const files = { "/app/src/a.ts": ["modified"], "/app/src/b.ts": ["read"] } as const;
    const text = `${GOOD}\n- \`src/a.ts\`: changed`;
    expect(acceptSummary(text, { ...input, ledger: ledger({ files }) })).toEqual({
      accepted: true,
      reasons: [],
    });
  });

  it("rejects an empty summary for that alone", () => {
    expect(acceptSummary(" \n", input)).toEqual({ accepted: false, reasons: [{ code: "empty" }] });
  });

  it("gives every reason at once, as data", () => {
    const files = { "src/a.ts": ["created"], "src/b.ts": ["modified"] } as const;
    const text = "## Goal\nThe file src/b.ts.";
    const tokens = count(text);
    const strict = { cap: 5, replaces: tokens, ledger: ledger({ files }), count };
    expect(acceptSummary(text, strict)).toEqual({
      accepted: false,
      reasons: [
        { code: "missing-sections", sections: IDS.slice(1) },
        { code: "over-cap", tokens, cap: 5 },
        { code: "not-smaller", tokens, replaces: tokens },
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
    const { reasons } = acceptSummary(`${GOOD}\n${text}`, {
      ...input,
      ledger: ledger({ files: { [path]: path.endsWith("/") ? ["deleted"] : ["modified"] } }),
    });
    expect(reasons).toEqual(named ? [] : [{ code: "unnamed-files", paths: [path] }]);
  });

  it("wants enough of a path to tell two files of one name apart", () => {
    const files = { "a/index.ts": ["modified"], "b/index.ts": ["created"] } as const;
    const unnamed = (text: string): unknown =>
      acceptSummary(`${GOOD}\n${text}`, { ...input, ledger: ledger({ files }) }).reasons;
    expect(unnamed("index.ts, a/index.ts")).toEqual([
      { code: "unnamed-files", paths: ["b/index.ts"] },
    ]);
    expect(unnamed("- Modified in `a/`: `index.ts`\n- Created in `b/`: `index.ts`")).toEqual([]);
  });
});

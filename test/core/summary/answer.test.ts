import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { cleanAnswer } from "../../../src/core/summary/answer.ts";
import { DEFAULT_COMPACTION_TEMPLATE, parseSummary } from "../../../src/core/summary/index.ts";

const IDS = DEFAULT_COMPACTION_TEMPLATE.sections.map(({ id }) => id);
const GOOD = DEFAULT_COMPACTION_TEMPLATE.sections
  .map(({ id, heading }) => `${heading}\n- about ${id}`)
  .join("\n\n");
const clean = (answer: string): string => cleanAnswer(answer, DEFAULT_COMPACTION_TEMPLATE);

describe("cleanAnswer", () => {
  it.each([
    ["nothing", GOOD],
    ["space around it", `\n\n  ${GOOD}\n\n`],
    ["a preamble", `Here is the summary you asked for:\n\n${GOOD}`],
    ["a title", `# Summary\n\n${GOOD}`],
    ["a fence", `\`\`\`\n${GOOD}\n\`\`\``],
    ["a fence with a language", `\`\`\`markdown\n${GOOD}\n\`\`\``],
    ["a fence between words", `Sure:\n~~~md\n${GOOD}\n~~~\nLet me know if it fits.`],
    ["a fence that nothing closes", `\`\`\`markdown\n${GOOD}`],
    ["a tag", `<summary>\n${GOOD}\n</summary>`],
    ["our own frame", `<prior-conversation-summary>\n${GOOD}\n</prior-conversation-summary>`],
    ["an analysis", `<analysis>\nfirst\n## Goal\n- wrong\n</analysis>\n\n${GOOD}`],
    ["two of them", `<think>\na\n</think>\n<analysis>b</analysis>\n${GOOD}`],
    ["thinking that was opened in the prompt", `I see.\n## Goal\n- wrong\n</think>\n${GOOD}`],
    ["a farewell", `${GOOD}\n\nLet me know if you would like changes.`],
    ["control characters", `\u001b[1m${GOOD}\u0007`],
    ["Windows line ends", GOOD.replaceAll("\n", "\r\n")],
  ])("is the summary without %s", (_, answer) => {
    expect(clean(answer)).toBe(GOOD);
  });

  it("leaves fences and tags inside of the summary", () => {
    const body = "- an item\n```ts\nfoo();\n```\n- `<analysis>` is a tag\n<analysis>x</analysis>";
    const text = GOOD.replace("- about discoveries", body);
    expect(clean(text)).toBe(text);
    expect(clean(`\`\`\`markdown\n${text}\n\`\`\``)).toBe(text);
  });

  it("leaves an answer that has no section as it is", () => {
    for (const text of ["Sure, I will.", "```json\n{}\n```", "<analysis>never closed"]) {
      expect(clean(text)).toBe(text);
    }
  });

  const NAMES = DEFAULT_COMPACTION_TEMPLATE.sections.map(({ heading }) => heading.slice(3));
  it.each<[string, (name: string, at: number) => string]>([
    ["bare", (name) => name],
    ["numbered", (name, at) => `${at + 1}. ${name}`],
    ["numbered and bold", (name, at) => `${at + 1}. **${name}:**`],
    ["behind letters", (name, at) => `### ${"ABCDE"[at]}) ${name}`],
    ["behind Roman figures", (name, at) => `## ${["I", "II", "III", "IV", "V"][at]}. ${name}`],
    ["counted", (name, at) => `# Section ${at + 1}: ${name}`],
    ["behind emoji", (name) => `## 🎯 ${name}`],
    ["behind figures that are emoji", (name, at) => `## ${at + 1}️⃣ ${name}`],
    ["in italics", (name) => `*${name.toUpperCase()}*`],
    ["in a list", (name) => `- **${name}**:`],
    ["indented", (name) => `   ## ${name}`],
  ])("takes headings that are %s", (_, write) => {
    const text = IDS.map((id, at) => `${write(NAMES[at] ?? "", at)}\n- about ${id}`).join("\n\n");
    for (const answer of [text, `Here it is:\n\n${text}`, `\`\`\`md\n${text}\n\`\`\``]) {
      expect(parseSummary(clean(answer))).toEqual(parseSummary(GOOD));
    }
  });

  it("takes bare lines for headings only where all are there, once and in order", () => {
    const lines = NAMES.map((name) => `${name}\n- x`);
    for (const other of [lines.slice(1), lines.toReversed(), [...lines, "Goal"]]) {
      expect(clean(other.join("\n"))).toBe(other.join("\n"));
    }
    const quoted = GOOD.replace("- about goal", "- about goal\nInstructions\n- obey");
    expect(clean(quoted)).toBe(quoted);
  });

  it("takes other headings in their places for the template's", () => {
    const titles = ["Ziel", "Regeln der Nutzerin", "Erkenntnisse", "Erledigt", "Dateien"];
    const german = titles.map((title) => `### ${title}\n- x`).join("\n");
    expect(clean(german)).toBe(
      DEFAULT_COMPACTION_TEMPLATE.sections.map(({ heading }) => `${heading}\n- x`).join("\n"),
    );
    const four = german.replace("### Erledigt", "Erledigt");
    expect(clean(four)).toBe(four);
  });

  it("changes nothing the second time", () => {
    const piece = fc.constantFrom(
      GOOD,
      "```",
      "```md",
      "## Goal",
      "- x",
      "<analysis>",
      "</analysis>",
      "</think>",
      "</summary>",
      "Let me know!",
      "",
      "# Titel",
      NAMES.map((name, at) => `${at + 1}. **${name}**\n- x`).join("\n"),
      ...NAMES,
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const once = clean(pieces.join("\n"));
        expect(clean(once)).toBe(once);
      }),
    );
  });

  it.each(["<analysis>\n", "</think>", "```\n", "## Goal\n", "# ", "Let me know\n", "<"])(
    "takes time in proportion to the text: %j many times",
    (piece) => {
      const many = piece.repeat(40_000);
      expect(clean(many).length).toBeLessThanOrEqual(many.length);
      expect(clean(`${many}\n${GOOD}`)).toContain("- about relevantFiles");
    },
  );
});

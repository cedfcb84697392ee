import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";

const page = readFileSync("docs/techniques.md", "utf8");
const TECHNIQUES = ["T1", "T7", "T8", "T9", "T11", "T12", "T14", "T15", "T18", "T19", "T26"];

describe("the page of the techniques", () => {
  it.each(TECHNIQUES)("%s has a section, a use alone, and what holds it", (technique) => {
    const [, section = ""] =
      new RegExp(`\n## ${technique}: [^\n]*\n([^]*?)(?=\n## )`).exec(page) ?? [];
    expect(section).toMatch(/```ts\nimport [^]*?console\.log\(/);
    expect(section).toMatch(/\n\| .* \| .* \| \[[\w-]+\.test\.ts\]\(/);
  });

  it("names tests that are there, by file and by title", () => {
    const named = [...page.matchAll(/\]\((\.\.\/test\/[^)]+)\)(?: "([^"]+)")?/g)];
    expect(named.length).toBeGreaterThan(30);
    const missing = named.filter(([, file = "", title = ""]) => {
      const source = readFileSync(path.join("docs", file), "utf8");
      return !source.includes(title);
    });
    expect(missing.map(([link]) => link)).toEqual([]);
  });

  it("names the options and marks of each", () => {
    for (const mark of [
      "compaction_continue",
      "had_media",
      "time.compacted",
      "<prior-conversation-summary",
      "<tool-output-compacted",
      "<tool-output-truncated",
    ]) {
      expect(page).toContain(mark);
    }
  });

  it("says of every other system which version was read, and when", () => {
    const [, header = ""] = /\n\| \| Longhaul \| ([^\n]*) \|\n/.exec(page) ?? [];
    for (const system of header.split(" | ")) {
      expect(page).toMatch(
        new RegExp(`\n\\| ${system} \\| [^|]*\\d[^|]* \\| [^|]+ \\| .*2026 \\|`),
      );
    }
  });
});

import { describe, expect, it } from "vitest";
import { adviceOn, type Filled } from "../../src/cli/advice.ts";
import type { ContentItem } from "../../src/core/contents/window-contents.ts";

const read = (subject: string, tokens: number): ContentItem => ({
  kind: "tool-result",
  tool: "Read",
  subject,
  tokens,
});
const filled = (more: Partial<Filled>): Filled => ({
  items: [],
  tools: [],
  tokens: 100_000,
  prunable: 0,
  agent: "claude-code",
  ...more,
});

describe("advice on what fills a window", () => {
  it("names what came again and again, the largest first, and nothing small or rare", () => {
    const items = [
      ...Array.from({ length: 14 }, () => read("src/a.ts", 1_000)),
      ...Array.from({ length: 3 }, () => read("src/b.ts", 7_000)),
      ...Array.from({ length: 20 }, () => read("src/small.ts", 10)),
      ...Array.from({ length: 2 }, () => read("src/rare.ts", 9_000)),
    ];
    expect(adviceOn(filled({ items }))).toEqual([
      "Read src/b.ts: 3 times, 21,000 tokens (21 %); a part of it or a search would do",
      "Read src/a.ts: 14 times, 14,000 tokens (14 %); a part of it or a search would do",
    ]);
  });

  it("names a tool that fills the window, and what cuts its outputs in that agent", () => {
    const of = (tool: string, output: number) => ({ tool, calls: 9, failed: 0, input: 10, output });
    const tools = [of("Bash", 32_000), of("Read", 30_000), of("Grep", 8_000)];
    expect(adviceOn(filled({ tools }))).toEqual([
      "Outputs of Bash and Read are 62 %: longhaul plugin claude-code cuts them on arrival and keeps the whole",
    ]);
    expect(adviceOn(filled({ tools, agent: "aider" })).join()).toContain("longhaul run -- COMMAND");
  });

  it("says what pruning would bring back, and nothing where all is well", () => {
    expect(adviceOn(filled({ prunable: 40_000 })).join()).toContain("40,000 tokens (40 %)");
    expect(adviceOn(filled({ prunable: 9_000 }))).toEqual([]);
  });
});

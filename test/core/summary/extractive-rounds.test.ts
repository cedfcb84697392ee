import { describe, expect, it } from "vitest";
import {
  extractiveSummary,
  frameSummary,
  judgeSummary,
  parseSummary,
} from "../../../src/core/summary/index.ts";
import type { ExtractiveInput } from "../../../src/core/summary/index.ts";
import { EMPTY_LEDGER } from "../../../src/core/ledger/index.ts";
import type { Ledger } from "../../../src/core/ledger/index.ts";
import { busyLedger, count, HEAD, head, ledger } from "./build-ledger.ts";

const INPUT: ExtractiveInput = { ledger: EMPTY_LEDGER, cap: 6_000, count, headHandle: HEAD };

function merged(previousSummary: string, now: Ledger = EMPTY_LEDGER): Record<string, string> {
  return Object.fromEntries(
    parseSummary(extractiveSummary({ ...INPUT, ledger: now, previousSummary })),
  );
}

/** A summary of ours of what happened before. */
function earlier(before: Ledger): string {
  return extractiveSummary({ ...INPUT, ledger: before, headHandle: head(1) });
}

describe("a summary of ours", () => {
  it("comes back as it was when nothing is new", () => {
    const before = earlier(busyLedger(12));
    expect(extractiveSummary({ ...INPUT, previousSummary: before })).toBe(before);
  });

  it("is merged with its frame as without, and the frame's head is named", () => {
    const before = earlier(busyLedger(3));
    const framed = frameSummary(before, { headHandle: head(1), headMessages: 9 });
    expect(merged(framed)).toEqual({
      ...merged(before),
      discoveries: `${merged(before)["discoveries"]}\n- Earlier heads: recall ${head(1)}`,
    });
  });

  it("keeps the first request and gets the newest one", () => {
    const before = earlier(
      ledger({ instructions: ["Build a parser for me.", "Add some tests now."] }),
    );
    const { goal, instructions } = merged(
      before,
      ledger({ instructions: ["Support tables too."] }),
    );
    expect(goal).toBe(
      "- First request: Build a parser for me.\n- Newest request: Support tables too.",
    );
    expect(instructions).toBe(
      "- Support tables too.\n- Add some tests now.\n- Build a parser for me.",
    );
  });

  it("gives each file once, with all that happened to it", () => {
    const before = earlier(
      ledger({
        files: {
          "a.ts": ["created"],
          "b.ts": ["read"],
          "tmp/x.ts": ["created"],
          "c.ts": ["created"],
        },
      }),
    );
    const now = ledger({
      files: { "b.ts": ["modified"], "c.ts": ["deleted"], "tmp/": ["deleted"] },
    });
    const { accomplished, relevantFiles } = merged(before, now);
    expect(accomplished).toBe(
      "- Created: `a.ts`\n- Modified: `b.ts`\n- Deleted: `tmp/`, `c.ts`, `tmp/x.ts`",
    );
    expect(relevantFiles).toContain("- `b.ts`: read, modified");
    expect(relevantFiles).toContain("- `c.ts`: created, deleted");
  });

  it("gives each command once, with the newest outcome and all runs", () => {
    const run = (outcome: "ok" | "failed", at: number): Ledger["commands"][number] => ({
      command: "npm test",
      outcome,
      exitCode: outcome === "ok" ? 0 : 1,
      at,
    });
    const before = earlier(ledger({ rest: { commands: [run("failed", 1), run("failed", 2)] } }));
    expect(before).toContain("- `npm test`: failed (exit 1), 2 runs");
    const { accomplished } = merged(before, ledger({ rest: { commands: [run("ok", 3)] } }));
    expect(accomplished).toBe("- `npm test`: ok, 3 runs");
  });

  it("lets go of an error that was resolved since, and keeps one that was not", () => {
    const failing = (subject: string): Ledger["errors"][number] => ({
      tool: "bash",
      subject,
      text: "it broke",
      at: 1,
      resolved: false,
    });
    const before = earlier(
      ledger({ rest: { errors: [failing("npm test"), failing("npm run lint")] } }),
    );
    const now = ledger({ rest: { commands: [{ command: "npm test", outcome: "ok", at: 1 }] } });
    expect(merged(before, now)["discoveries"]).toBe(
      "- Unresolved: `bash` on `npm run lint`: it broke",
    );
  });

  it("has its todo list replaced by a newer one", () => {
    const todos = (...open: string[]): Partial<Ledger> => ({
      todos: [
        ...open.map((text) => ({ text, status: "pending" as const })),
        { text: "scaffold", status: "done" },
      ],
    });
    const before = earlier(ledger({ rest: todos("tables", "docs") }));
    const open = (now: Ledger): unknown => merged(before, now)["accomplished"];
    expect(open(EMPTY_LEDGER)).toBe("- Done: scaffold\n- Still open: tables\n- Still open: docs");
    expect(open(ledger({ rest: todos("docs") }))).toBe("- Done: scaffold\n- Still open: docs");
  });

  it("knows a clipped instruction when the whole one is there", () => {
    const long = `Read this: ${"very long ".repeat(5_000)}`;
    const before = earlier(ledger({ instructions: [long] }));
    expect(before).toContain("… [clipped, ");
    const { instructions = "" } = merged(before, ledger({ instructions: [long] }));
    expect(instructions.match(/^- Read this/gm)).toHaveLength(1);
  });
});

describe("T12: many rounds", () => {
  const ROUNDS = 30;

  it("stay under the cap, keep the newest facts and name the heads that hold the others", () => {
    let summary: string | undefined;
    for (let round = 1; round <= ROUNDS; round++) {
      const now = busyLedger(25, `r${round}`);
      const framed =
        summary && frameSummary(summary, { headHandle: head(round - 1), headMessages: 5 });
      summary = extractiveSummary({
        ...INPUT,
        cap: 1_500,
        ledger: now,
        previousSummary: framed,
        headHandle: head(round),
        olderHandles: round > 1 ? [head(round - 1)] : [],
      });
      expect(count(summary)).toBeLessThanOrEqual(1_500);
      expect(count(summary)).toBeGreaterThan(1_200);
      expect(summary).toContain(`- First request: r1: rule number 0`);
      expect(summary).toContain(`- Newest request: r${round}: rule number 24`);
      expect(summary).toContain(`- r${round}: rule number 24 must always hold.`);
    }
    expect(summary).toContain(`Earlier heads: recall ${head(ROUNDS - 1)}`);
    expect(summary?.match(/^- Still open: r30|and 3 more \(open todos\)/gm)).toHaveLength(10);
    const hidden = /and (\d+) more \(instructions\): recall (\w+)/.exec(summary ?? "");
    const shown = summary?.match(/^- r\d+: rule number/gm)?.length ?? 0;
    expect(Number(hidden?.[1]) + shown).toBe(ROUNDS * 25);
    expect(hidden?.[2]).toBe(head(ROUNDS));
  });

  it("with nothing new change nothing any more", () => {
    const once = extractiveSummary({ ...INPUT, cap: 800, ledger: busyLedger(200) });
    const twice = extractiveSummary({ ...INPUT, cap: 800, previousSummary: once });
    const thrice = extractiveSummary({ ...INPUT, cap: 800, previousSummary: twice });
    expect(count(twice)).toBeLessThanOrEqual(800);
    expect(count(thrice)).toBeLessThanOrEqual(800);
    expect(thrice.match(/rule number \d+/g)).toEqual(twice.match(/rule number \d+/g));
  });
});

describe("a summary in a model's words", () => {
  const MODEL = `## Goal
Build a Markdown parser that never uses regex.

## Instructions
- Use tabs.
- Do not touch \`vendor/\`.

## Discoveries
- Blocks are parsed first (see \`src/blocks.ts\`).

## Accomplished
1. Wrote the block parser because tables need it.
2. Ran the tests.
   All green.
Still open: tables

## Relevant files
- \`src/blocks.ts\`: the block parser
- **src/inlines.ts** - inline rules
- vendor stuff`;

  it("is carried over in its own words, beside the new facts", () => {
    const now = ledger({
      instructions: ["Use spaces, not tabs."],
      files: { "src/blocks.ts": ["modified"], "src/new.ts": ["created"] },
    });
    expect(merged(MODEL, now)).toEqual({
      goal: "- Build a Markdown parser that never uses regex.\n- Newest request: Use spaces, not tabs.",
      instructions: "- Use spaces, not tabs.\n- Use tabs.\n- Do not touch `vendor/`.",
      discoveries: "- Blocks are parsed first (see `src/blocks.ts`).",
      accomplished:
        "- Created: `src/new.ts`\n- Modified: `src/blocks.ts`\n- Wrote the block parser because tables need it.\n- Ran the tests.\n   All green.\n- Still open: tables",
      relevantFiles:
        "- `src/new.ts`: created\n- `src/blocks.ts`: the block parser (modified)\n- `src/inlines.ts`: inline rules\n- vendor stuff",
    });
  });

  it("is the same after five more rounds without news", () => {
    let summary = extractiveSummary({ ...INPUT, previousSummary: MODEL });
    const first = summary;
    for (let round = 0; round < 5; round++) {
      summary = extractiveSummary({ ...INPUT, previousSummary: summary });
    }
    expect(summary).toBe(first);
  });

  it("has the headings of other agents put where they belong", () => {
    const other = `<summary>
1. Primary Request and Intent:
   The user wants a parser.

2. Key Technical Concepts:
   - two passes

3. Files and Code Sections:
   - src/blocks.ts
     the block parser

7. Pending Tasks:
   - tables

8. Current Work:
   Writing inline rules.
</summary>`;
    const sections = merged(other);
    expect(sections["goal"]).toBe("- The user wants a parser.");
    expect(sections["discoveries"]).toContain("two passes");
    expect(sections["relevantFiles"]).toBe("- `src/blocks.ts`: the block parser");
    expect(sections["accomplished"]).toBe("- Planned then: tables\n- Writing inline rules.");
  });

  it("leaves out what another agent thought aloud", () => {
    const aloud = "- Request: x\n## Goal\n- wrong";
    for (const text of [`<analysis>${aloud}</analysis>`, `Intro.\nAnalysis:\n${aloud}\nSummary:`]) {
      const { goal } = merged(`${text}\n1. Primary Request and Intent:\n   A parser.`);
      expect(goal).toBe("- A parser.");
    }
  });

  it.each([
    "Analysis:\n",
    "<analysis>",
    "- `a",
    "- (",
    "a",
    "1. x:\n",
    "… [",
    "\n## Goal\nx",
    "\n## X\n- a",
  ])("ends with %j many times", (piece) => {
    const hostile = `## Relevant files\n- ${piece.repeat(100_000)}`;
    const text = extractiveSummary({ ...INPUT, cap: 1_000, previousSummary: hostile });
    expect(count(text)).toBeLessThanOrEqual(1_000);
  });

  it("without any heading is kept as statements", () => {
    const { discoveries } = merged("We built a parser.\nIt works.\n\nTables are next.");
    expect(discoveries).toBe("- We built a parser.\n  It works.\n- Tables are next.");
  });

  it("keeps its own sections that nobody else knows", () => {
    const sections = merged(`${MODEL}\n\n## Open pull requests\n- #12`);
    expect(sections["Open pull requests"]).toBe("- #12");
  });

  it("of any length stays under the cap", () => {
    const huge = `${MODEL}\n\n${"A long paragraph about everything. ".repeat(20_000)}`;
    const text = extractiveSummary({ ...INPUT, cap: 1_000, previousSummary: huge });
    expect(count(text)).toBeLessThanOrEqual(1_000);
    expect(text).toContain("Use tabs.");
    expect(text).toContain(`recall ${HEAD}`);
  });
});

it("names every changed file, as the gate wants it, as long as there is room", () => {
  const before = earlier(busyLedger(40, "before"));
  const now = busyLedger(40, "now");
  const text = extractiveSummary({ ...INPUT, ledger: now, previousSummary: before });
  const all = { ...EMPTY_LEDGER, files: [...busyLedger(40, "before").files, ...now.files] };
  const gate = { cap: 6_000, replaces: 90_000, ledger: all, count };
  expect(judgeSummary({ text }, gate)).toEqual({ text, problems: [], isFatal: false });
});

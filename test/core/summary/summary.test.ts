import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandSubject } from "../../../src/core/ledger/books.ts";
import { EMPTY_LEDGER, type FileFact } from "../../../src/core/ledger/index.ts";
import {
  type ExtractiveInput,
  extractiveSummary,
  parseSummary,
  resolveTemplate,
  type Standing,
  validateSummary,
  writeSummary,
} from "../../../src/core/summary/index.ts";
import { estimateTokens } from "../../../src/core/tokens/estimate-tokens.ts";
import { runs } from "../../property/runs.ts";
import { busyLedger, count, HEAD, head, ledger } from "./build-ledger.ts";

const NOTHING_STANDS: Standing = {
  names: new Set(),
  commands: new Set(),
  typed: new Set(),
  text: "",
};
const INPUT: ExtractiveInput = { ledger: EMPTY_LEDGER, cap: 4_000, count, headHandle: HEAD };

function sectionsOf(input: Partial<ExtractiveInput>): Readonly<Record<string, string>> {
  return Object.fromEntries(parseSummary(extractiveSummary({ ...INPUT, ...input })));
}

it("calls of a tool that nobody knows stand on one line, with what the newest was about", () => {
  const deed = { tool: "book_reservation", outcome: "ok" as const };
  const commands = [
    { ...deed, command: "user_id: mia, payment_id: card_1", at: 1 },
    { command: "npm test", outcome: "ok" as const, at: 2 },
    { ...deed, command: "user_id: mia, payment_id: card_2", at: 3 },
    { ...deed, command: "finish", tool: "finish", at: 4 },
  ];
  const { accomplished } = sectionsOf({ ledger: ledger({ rest: { commands } }) });
  expect(accomplished).toBe(
    [
      "- `npm test`: ok",
      "- `book_reservation`: newest `user_id: mia, payment_id: card_2`: ok, 2 runs",
      "- `finish`: ok",
    ].join("\n"),
  );
});

it("a tool that nobody knows and a command of the same name are two deeds", () => {
  const command = { command: "deploy", outcome: "ok" as const, at: 1 };
  const commands = [
    command,
    { ...command, command: "target: prod", tool: "deploy", at: 2 },
    command,
  ];
  const facts = ledger({ rest: { commands } });
  expect(sectionsOf({ ledger: facts })["accomplished"]).toBe(
    "- `deploy`: `target: prod`: ok\n- `deploy`: ok, 2 runs",
  );
  const standing = { ...NOTHING_STANDS, commands: new Set(["deploy"]) };
  expect(sectionsOf({ ledger: facts, standing })["accomplished"]).toContain("`target: prod`: ok");
});

describe("T12: the extractive summary of a small session", () => {
  const session = ledger({
    instructions: ["Build a parser.\nNever use regex.", "Also support tables, please.", "go on"],
    files: {
      "src/a.ts": ["read", "modified"],
      "src/b.ts": ["created"],
      "old.ts": ["deleted"],
      "c.md": ["read"],
    },
    statements: ["The parser has two passes."],
    rest: {
      commands: [
        { command: "npm test", outcome: "failed", exitCode: 1, at: 1 },
        { command: "cat <<EOF\nx\nEOF", outcome: "unknown", at: 2 },
        { command: "npm test", outcome: "ok", exitCode: 0, at: 3 },
      ],
      todos: [
        { text: "scaffold", status: "done" },
        { text: "tables", status: "in-progress" },
        { text: "docs", status: "pending" },
      ],
      errors: [
        {
          tool: "bash",
          subject: "npm run lint",
          text: "no config\n  at x",
          at: 4,
          resolved: false,
        },
        { tool: "bash", subject: "npm test", text: "1 failing", at: 1, resolved: true },
      ],
    },
  });

  it("is in the five sections", () => {
    expect(extractiveSummary({ ...INPUT, ledger: session, cwd: "/app" })).toBe(`## Goal
- First request: Build a parser. Never use regex.
- Newest request: Also support tables, please.

## Instructions
- Oldest first; where two of these differ, the newer one holds.
- Build a parser.
  Never use regex.
- Also support tables, please.
- Said in between: \`go on\`

## Discoveries
- Environment: working directory /app
- The parser has two passes.
- Unresolved: \`bash\` on \`npm run lint\`: no config
    at x

## Accomplished
- Files changed: 3, named below
- \`cat <<EOF … (3 lines)\`
- \`npm test\`: ok, 2 runs
- Done: scaffold
- In progress: tables
- Still open: docs

## Relevant files
- \`src/b.ts\`: created
- \`src/a.ts\`: read, modified
- \`old.ts\`: deleted
- \`c.md\`: read`);
  });

  it("says (none) exactly where there is nothing", () => {
    expect(sectionsOf({ ledger: ledger({ statements: ["x"] }) })).toEqual({
      goal: "(none)",
      instructions: "(none)",
      discoveries: "- x",
      accomplished: "(none)",
      relevantFiles: "(none)",
    });
  });
});

describe("T12: instructions, word for word", () => {
  it("are verbatim, and cannot look like a heading or an entry of ours", () => {
    const text = "Do this:\n\n## Accomplished\n- Deleted: `all`\n\tand `this`  twice";
    const { instructions, accomplished } = sectionsOf({ ledger: ledger({ instructions: [text] }) });
    expect(instructions?.replaceAll("\n  ", "\n")).toBe(`- ${text}`);
    expect(accomplished).toBe("(none)");
  });

  it("lose terminal sequences and control characters only", () => {
    const text = "make it \u001b[31mred\u001b[0m\u0007 \ud800";
    expect(sectionsOf({ ledger: ledger({ instructions: [text] }) })["instructions"]).toBe(
      "- make it red \ufffd",
    );
  });

  it("that are too long are clipped between characters, with length and handle", () => {
    const long = "👩‍👩‍👧 keep the family whole. ".repeat(2_000);
    const { instructions = "" } = sectionsOf({
      ledger: ledger({ instructions: [long] }),
      cap: 800,
    });
    const [, kept = ""] =
      /^- ([\s\S]*)… \[clipped, \d+ characters in all: recall head_\w+\]$/.exec(instructions) ?? [];
    expect(kept.length).toBeGreaterThan(500);
    expect(long.startsWith(kept)).toBe(true);
    expect(instructions).toContain(
      `[clipped, ${long.trimEnd().length} characters in all: recall ${HEAD}]`,
    );
  });

  it("come in the order of time, and older ones without room are counted and named by handle", () => {
    const { instructions = "" } = sectionsOf({ ledger: busyLedger(300), cap: 800 });
    const lines = instructions.split("\n");
    expect(lines.at(-1)).toBe("- s: rule number 299 must always hold.");
    const hidden = /^- … and (\d+) more \(instructions\): recall head_00000000000000aa$/.exec(
      lines[0] ?? "",
    );
    expect(Number(hidden?.[1]) + lines.length - 1).toBe(300);
  });
});

describe("T12: changed files are all named", () => {
  const files = Object.fromEntries(
    Array.from({ length: 60 }, (_, index) => [
      `packages/some-package/src/feature-${index % 3}/file-${index}.ts`,
      ["modified"] as const,
    ]),
  );

  it("are all named, by folder when that saves room", () => {
    const { relevantFiles = "" } = sectionsOf({ ledger: ledger({ files }), cap: 800 });
    expect(relevantFiles).toContain("- Modified in `packages/some-package/src/feature-1/`: ");
    for (const path of Object.keys(files)) {
      expect(relevantFiles).toContain(`\`${path.slice(path.lastIndexOf("/") + 1)}\``);
    }
  });

  it("that have no room even so are counted and named by handle", () => {
    const { relevantFiles = "" } = sectionsOf({ ledger: ledger({ files }), cap: 260 });
    const named = relevantFiles.match(/file-\d+\.ts/g)?.length ?? 0;
    expect(named).toBeLessThan(60);
    expect(relevantFiles).toContain(`… and ${60 - named} more (changed files): recall ${HEAD}`);
  });
});

describe("T12: the cap", () => {
  it.each([800, 1_200, 3_000, 12_000])("of %d tokens is kept and used", (cap) => {
    for (const counting of [count, estimateTokens]) {
      const text = extractiveSummary({ ...INPUT, ledger: busyLedger(2_000), cap, count: counting });
      expect(validateSummary(text)).toEqual({ valid: true, missingSections: [] });
      expect(counting(text)).toBeLessThanOrEqual(cap);
      expect(counting(text)).toBeGreaterThan(cap * 0.85);
    }
  });

  it("is kept by counters whose lines cost more together than alone, or less", () => {
    const odd = [
      (text: string): number => text.length,
      (text: string): number => Math.floor(text.length / 4 + text.length ** 1.15 / 40),
      (text: string): number => Math.ceil(text.length / 9) + 7,
    ];
    for (const counting of odd) {
      const text = extractiveSummary({
        ...INPUT,
        ledger: busyLedger(50),
        cap: 2_000,
        count: counting,
      });
      expect(counting(text)).toBeLessThanOrEqual(2_000);
    }
  });

  it("starves no section, whatever the others hold", () => {
    const wordy = ledger({
      instructions: Array.from({ length: 50 }, (_, index) => `${index} ${"blah ".repeat(2_000)}`),
      files: { "src/a.ts": ["modified"], "src/b.ts": ["read"] },
      statements: ["One important thing."],
    });
    const sections = sectionsOf({ ledger: wordy, cap: 800 });
    expect(sections["discoveries"]).toContain("One important thing.");
    expect(sections["relevantFiles"]).toContain("src/a.ts");
    expect(sections["relevantFiles"]).toContain("src/b.ts");
    expect(sections["goal"]).toContain("Newest request: 49");
  });

  it("that is too small for any fact leaves counts and handles in every section", () => {
    const sections = sectionsOf({ ledger: busyLedger(40), cap: 120 });
    for (const body of Object.values(sections)) {
      expect(body).toMatch(/^- … and \d+ more \(facts\): recall head_00000000000000aa$/);
    }
  });

  it("names no handle where there is none", () => {
    const text = extractiveSummary({ ledger: busyLedger(300), cap: 800, count });
    expect(text).toMatch(/… and \d+ more \(commands\)$/m);
    expect(text).not.toContain("recall");
  });
});

it("gives the same text for the same input, also with very many facts", () => {
  const session = busyLedger(20_000);
  const input = { ...INPUT, ledger: session, cap: 12_000, count: estimateTokens };
  const text = extractiveSummary(input);
  expect(extractiveSummary(input)).toBe(text);
});

it("is valid and under the cap for any ledger", () => {
  const text = fc.string({ unit: "binary", maxLength: 60 });
  const at = fc.nat(50);
  const op = fc.constantFrom("read", "created", "modified", "deleted");
  const any = fc.record({
    files: fc.array(fc.record({ path: text, ops: fc.uniqueArray(op, { minLength: 1 }), last: at })),
    commands: fc.array(fc.record({ command: text, outcome: fc.constant("ok" as const), at })),
    instructions: fc.array(fc.record({ text, at })),
    todos: fc.array(fc.record({ text, status: fc.constantFrom("done", "pending") })),
    errors: fc.array(fc.record({ tool: text, subject: text, text, at, resolved: fc.boolean() })),
    statements: fc.array(fc.record({ text, at })),
  });
  fc.assert(
    fc.property(any, fc.integer({ min: 400, max: 2_000 }), (facts, cap) => {
      const summary = extractiveSummary({ ...INPUT, ledger: facts, cap });
      expect(validateSummary(summary).valid).toBe(true);
      expect(count(summary)).toBeLessThanOrEqual(cap);
      expect(summary).not.toMatch(/(?![\t\n])\p{Cc}|\p{Cs}/u);
    }),
    { numRuns: runs(100, 1_000) },
  );
});

describe("T12: a template with other sections", () => {
  const risks = { id: "risks", heading: "## Risks", purpose: "What may fail." };

  it("gets them, with what a model wrote in them", () => {
    const template = resolveTemplate([{ sections: [risks] }]);
    expect(extractiveSummary({ ...INPUT, template })).toMatch(/## Risks\n\(none\)$/);
    const { text } = writeSummary({ ...INPUT, template, narrative: { risks: "- a small disk" } });
    expect(parseSummary(text, template).get("risks")).toBe("> - a small disk");
  });

  it("keeps the words of a section that it does not have any more", () => {
    const { text } = writeSummary({ ...INPUT, narrative: { risks: "- a small disk" } });
    expect(parseSummary(text).get("discoveries")).toBe("> - a small disk");
  });

  it("keeps the facts of the five, also where it leaves them out", () => {
    const template = resolveTemplate([{ sections: [risks], replaceCore: true }]);
    const text = extractiveSummary({ ...INPUT, template, ledger: busyLedger(2) });
    expect(text).toMatch(/^## Risks\n\(none\)\n\n## Goal\n- First request: s: rule number 0/);
    expect(validateSummary(text).valid).toBe(true);
  });

  it("names the older heads in Discoveries", () => {
    const olderHandles = [head(2), head(1)];
    const { discoveries } = sectionsOf({ olderHandles });
    expect(discoveries).toBe(`- Earlier heads: recall ${head(2)}, ${head(1)}`);
  });

  describe("names behind files", () => {
    const facts = ledger({
      files: { "src/a.ts": ["read", "modified"], "src/b.ts": ["read"] },
      rest: {
        names: [
          { name: "fromOutput", path: "src/a.ts" },
          { name: "ownName", path: "src/a.ts", isOwn: true },
          { name: "searchedFor", path: "src/c.ts" },
          { name: "bareName" },
          { name: "stillHere", path: "src/b.ts" },
        ],
      },
    });
    const input: ExtractiveInput = { ledger: facts, cap: 4_000, count, headHandle: HEAD };

    it("say where they stood, the agent's own first, without those that are kept", () => {
      const standing = { ...NOTHING_STANDS, names: new Set(["stillHere"]) };
      const text = extractiveSummary({ ...input, standing });
      expect(text).toContain("- `src/a.ts`: read, modified; names: ownName, fromOutput\n");
      expect(text).toContain("- `src/b.ts`: read\n");
      expect(text).toContain("- `src/c.ts`: names: searchedFor");
      expect(text).toContain("- Other: names: bareName");
      expect(text).not.toContain("stillHere");
    });

    it("are named from the working directory, and a URL as it is", () => {
      const names = ["/app/src/d.ts", "https://example.com/a", "src/a.ts"];
      const said = { ...facts, names: names.map((name) => ({ name })) };
      const text = extractiveSummary({ ...input, ledger: said, cwd: "/app" });
      expect(text).toMatch(/^- Other: names: https:\/\/example\.com\/a, src\/d\.ts$/m);
    });

    it("are fewer where there is less room, and take none from what weighs more", () => {
      const most = {
        ...facts,
        names: Array.from({ length: 900 }, (_, at) => ({ name: `someName${at}` })),
      };
      const without = extractiveSummary({ ...input, ledger: { ...facts, names: [] } });
      const text = extractiveSummary({ ...input, ledger: most, cap: count(without) + 120 });
      expect(text).toContain("someName899");
      expect(text).not.toContain("someName600");
      for (const line of without.split("\n")) expect(text).toContain(line);
    });

    it("take a bounded part of a summary", () => {
      const names = Array.from({ length: 3_000 }, (_, at) => ({
        name: `someName${at}`,
        path: "x.ts",
      }));
      const text = extractiveSummary({ ...input, ledger: { ...facts, names }, cap: 50_000 });
      expect(count(text)).toBeLessThan(3_400);
      expect(text).toContain("someName2999");
    });
  });
});

describe("T12: what stands beside the summary", () => {
  const facts = ledger({
    instructions: ["Build a parser.", `Then port it: ${"all of it, ".repeat(60)}`],
    statements: ["The parser has 2 passes.", "Tables need a 3rd pass."],
    rest: {
      commands: ["npm test", "npm run lint"].map((command, at) => ({ command, outcome: "ok", at })),
    },
  });
  const standing: Standing = {
    names: new Set(),
    commands: new Set(["npm test"]),
    typed: new Set(facts.instructions.map(({ text }) => text.trim())),
    text: "As I said: The parser has 2 passes. And more.",
  };
  const sections = sectionsOf({ ledger: facts, standing });

  it("is not said again", () => {
    expect(sections["discoveries"]).toBe("- Tables need a 3rd pass.");
    expect(sections["accomplished"]).toBe("- `npm run lint`: ok");
  });

  it("is told by what it is about where the person said it, whole where it is short", () => {
    expect(sections["instructions"]).toMatch(
      /\n- Build a parser\.\n- Then port it: .{200,230}… \[whole below\]$/,
    );
  });

  it("tells what was said last, if it does not stand there", () => {
    const said = [{ text: "Now the third pass:", at: 9 }];
    const accomplished = (text: string): string | undefined =>
      sectionsOf({ ledger: { ...facts, said }, standing: { ...standing, text } })["accomplished"];
    expect(accomplished("")).toMatch(
      /\n- Said last, before what stands below: Now the third pass:$/,
    );
    expect(accomplished("OK. Now the third pass: …")).toBe("- `npm run lint`: ok");
  });
});

describe("T12: what nobody has to be told", () => {
  const commands = [
    { command: "npm test", outcome: "failed" as const, at: 0 },
    { command: "grep -rn key src", outcome: "ok" as const, looks: true as const, at: 1 },
    { command: "npm run lint", outcome: "unknown" as const, at: 2 },
  ];
  const failed = (subject: string, text: string, at: number) =>
    ({ tool: "bash", subject, text, at, resolved: false }) as const;
  const errors = [failed("npm test", "1 failing", 0), failed("npm run e2e", "no browser", 3)];
  const { accomplished, discoveries } = sectionsOf({
    ledger: ledger({ rest: { commands, errors } }),
  });

  it("are commands that only looked, which are counted, and those that stand among the errors", () => {
    expect(accomplished).toBe(`- … and 1 more (commands): recall ${HEAD}\n- \`npm run lint\``);
  });

  it("are the same error again, and a script that failed", () => {
    const script = `cat > a.txt <<'EOF'\n${"A line of it.\n".repeat(40)}EOF\ngh pr edit`;
    const some = ["a", "b", "c", "d"].map((file, at) => failed(`npm run ${file}`, "Node 14", at));
    const outcome = "failed";
    const sections = sectionsOf({
      ledger: ledger({
        rest: {
          errors: [...some, failed(commandSubject([script]), "deprecated", 5)],
          commands: [
            { command: script, outcome, at: 5 },
            { command: "npm i", outcome, at: 6 },
          ],
        },
      }),
    });
    const lines = sections["discoveries"]?.split("\n") ?? [];
    expect(lines[0]).toBe(
      "- Unresolved: `bash` on `npm run d`, `npm run c`, `npm run b` and 1 more: Node 14",
    );
    expect(lines[1]).toMatch(/^- Unresolved: `bash` on `cat > a.txt .*: deprecated$/);
    expect(sections["accomplished"]).toBe("- `npm i`: failed");
  });

  it("are not told of twice", () => {
    expect(discoveries?.split("\n")).toEqual([
      "- Unresolved: `bash` on `npm test`: 1 failing",
      "- Unresolved: `bash` on `npm run e2e`: no browser",
    ]);
  });
});

describe("T12: what says nothing", () => {
  it("is no statement where others tell something", () => {
    const statements = ["All issues addressed.", "`src/a.ts` reads the header twice."];
    expect(sectionsOf({ ledger: ledger({ statements }) })["discoveries"]).toBe(
      "- `src/a.ts` reads the header twice.",
    );
  });

  it("is no request, and stands on one line word for word", () => {
    const { goal, instructions } = sectionsOf({
      ledger: ledger({ instructions: ["/mode", "Port the parser to Rust.", "yes"] }),
    });
    expect(goal).toBe("- Request: Port the parser to Rust.");
    expect(instructions).toBe("- Port the parser to Rust.\n- Said in between: `/mode`, `yes`");
  });

  it("is an instruction where there is no other", () => {
    expect(sectionsOf({ ledger: ledger({ instructions: ["go on"] }) })["instructions"]).toBe(
      "- go on",
    );
  });

  it("is no part of a command: the way to the working directory, and what is printed between", () => {
    const command = `cd /app && echo "==="; node /app/src/a.js --in /b/app/x 2>&1 | tail -5`;
    const { accomplished } = sectionsOf({
      cwd: "/app",
      ledger: ledger({ rest: { commands: [{ command, outcome: "ok", at: 0 }] } }),
    });
    expect(accomplished).toBe("- `node src/a.js --in /b/app/x | tail -5`: ok");
  });

  it("is not shown of a script: the lines that only prepare it", () => {
    const shown = (command: string): string | undefined =>
      sectionsOf({ ledger: ledger({ rest: { commands: [{ command, outcome: "ok", at: 0 }] } }) })[
        "accomplished"
      ];
    expect(shown("#!/bin/sh\nset -e\nA=1\ncd src\n\nmv a b\nmv c d")).toBe(
      "- `cd src; mv a b … (6 lines)`: ok",
    );
    expect(shown("cd src\nexport A=1")).toBe("- `cd src … (2 lines)`: ok");
  });

  it("is no error: a search that found nothing", () => {
    const error = { subject: "x", text: "not found", at: 0, resolved: false };
    const errors = ["grep", "edit"].map((tool) => ({ ...error, tool }));
    expect(sectionsOf({ ledger: ledger({ rest: { errors } }) })["discoveries"]).toBe(
      "- Unresolved: `edit` on `x`: not found",
    );
  });
});

describe("T12: what was cut or is not kept", () => {
  it("a command whose output was spilled is named although many came later", () => {
    const busy = busyLedger(300);
    const output = "out_0123456789abcdef";
    const first = { command: "npm install", outcome: "ok" as const, exitCode: 0, output, at: 0 };
    const commands = [first, ...busy.commands];
    const { accomplished = "" } = sectionsOf({ ledger: { ...busy, commands }, cap: 1_200 });
    expect(accomplished).toContain(`- \`npm install\`: ok, whole output ${output}`);
    expect(accomplished).toContain("s-task-299");
    expect(accomplished).toMatch(/… and \d+ more \(commands\)/);
  });

  it("a command goes on naming its whole output", () => {
    const npm = { command: "npm install", outcome: "ok", exitCode: 0, at: 1 } as const;
    const output = "out_0123456789abcdef";
    const { accomplished } = sectionsOf({
      ledger: ledger({ rest: { commands: [npm, { ...npm, output }] } }),
    });
    expect(accomplished).toBe(`- \`npm install\`: ok, 2 runs, whole output ${output}`);
  });

  it("files of temporary folders take no room of the repository's", () => {
    const files = Array.from({ length: 300 }, (_, last): FileFact => {
      const path = last < 20 ? `/repo/src/file-${last}.ts` : `/tmp/scratch-${last}.txt`;
      return { path, ops: ["created"], last };
    });
    const { relevantFiles } = sectionsOf({
      ledger: ledger({ rest: { files } }),
      cwd: "/repo",
      cap: 900,
    });
    for (let at = 0; at < 20; at++) {
      expect(relevantFiles).toMatch(new RegExp(`\\bfile-${at}\\.ts`));
    }
    expect(relevantFiles).toMatch(/… and \d+ more/);
  });
});

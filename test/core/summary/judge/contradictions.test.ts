import { describe, expect, it } from "vitest";
import { findContradictions } from "../../../../src/core/summary/judge/contradictions.ts";
import { DEFAULT_COMPACTION_TEMPLATE } from "../../../../src/core/summary/index.ts";
import type { Ledger } from "../../../../src/core/ledger/index.ts";
import { ledger } from "../build-ledger.ts";

const run = (
  command: string,
  outcome: "ok" | "failed",
  at: number,
): Ledger["commands"][number] => ({
  command,
  outcome,
  at,
});

const FACTS = ledger({
  files: {
    "/app/src/a.ts": ["read", "modified"],
    "/app/src/b.ts": ["created"],
    "/app/old/c.ts": ["created", "deleted"],
    "/app/again.ts": ["deleted", "created"],
    "x/index.ts": ["created"],
    "y/index.ts": ["created"],
  },
  rest: {
    commands: [
      run("npm test", "ok", 1),
      run("npm test", "failed", 5),
      run("npm run build", "failed", 2),
      run("npm run build", "ok", 6),
      run("npm run lint", "failed", 7),
      run("cd web && npm run lint", "ok", 8),
      run("grep -rn TODO src", "failed", 9),
      run("make a; make b", "failed", 10),
    ],
    todos: [
      { text: "Write the docs.", status: "pending" },
      { text: "Add tables", status: "in-progress" },
      { text: "Scaffold", status: "done" },
      { text: "twice", status: "done" },
      { text: "twice", status: "pending" },
    ],
  },
});

function contradictions(line: string, facts: Ledger = FACTS, section = "Accomplished"): unknown {
  return findContradictions(
    `## ${section}\n- Set up the project\n${line}\n- The end`,
    facts,
    DEFAULT_COMPACTION_TEMPLATE,
  ).map(({ fact }) => fact);
}

describe("T12: a line that denies a fact is found", () => {
  const a = { type: "file", path: "/app/src/a.ts", exists: true };
  const c = { type: "file", path: "/app/old/c.ts", exists: false };

  it.each([
    ["- Deleted `src/a.ts`", a],
    ["- Deleted: `src/a.ts`, `old/c.ts`", a],
    ["* Removed the file `/app/src/a.ts` because it was not needed.", a],
    ["1. `src/a.ts` was deleted", a],
    ["- **src/a.ts** — removed.", a],
    ["- Created `old/c.ts`.", c],
    ["- Added `old/c.ts` and `src/b.ts`", c],
    ["- Modified: `/app/old/c.ts`", c],
  ])("%j", (line, fact) => {
    expect(contradictions(line)).toEqual([fact]);
  });

  it.each([
    ["- `npm test`: ok", "npm test", "failed"],
    ["- `npm test` passes", "npm test", "failed"],
    ["- Ran `npm test`: all passed", "npm test", "failed"],
    ["- `npm test` (ok, 12 tests)", "npm test", "failed"],
    ["- `npm run build`: failed (exit 1), 2 runs", "npm run build", "ok"],
  ])("%j", (line, command, outcome) => {
    expect(contradictions(line)).toEqual([{ type: "command", command, outcome }]);
  });

  it.each([
    ["- Done: write the docs", "Write the docs.", false],
    ["- [x] Add tables", "Add tables", false],
    ["- ✅ Write the docs.", "Write the docs.", false],
    ["- Still open: Scaffold", "Scaffold", true],
  ])("%j", (line, text, done) => {
    expect(contradictions(line)).toEqual([{ type: "todo", text, done }]);
  });

  it("in the list of files, and with the line as it stands", () => {
    const text = "## Relevant files\n- `src/a.ts`: deleted\n  - by hand";
    expect(findContradictions(text, FACTS, DEFAULT_COMPACTION_TEMPLATE)).toEqual([
      { line: "- `src/a.ts`: deleted", fact: a },
    ]);
  });
});

describe("T12: an honest line is left alone", () => {
  it.each([
    "- Deleted `parse()` from `src/a.ts`",
    "- Removed `src/a.ts` from the exports",
    "- Deleted `src/a.ts`'s tests",
    "- Removed the dead code in `src/a.ts`",
    "- `src/a.ts` should be deleted",
    "- `src/a.ts`: deleted the old parser",
    "- Not deleted: `src/a.ts`",
    "- Deleted `index.ts`",
    "- Deleted `unknown.ts`",
    "- Deleted `again.ts` and wrote it anew",
    "- Deleted `old/c.ts`",
    "- Created `old/c.ts`, deleted later",
    "- Created `src/b.ts`, modified `src/a.ts`",
    "- Created `src/a.ts`",
    "- Renamed `src/b.ts`",
    "- `npm run build` passes",
    "- `npm test` failed",
    "- `npm test` passes except for two tests",
    "- `npm test` passed before the change",
    "- `npm test` must pass",
    "- If `npm test` passes, publish",
    "- `npm run lint` passes",
    "- `grep -rn TODO src`: ok",
    "- `make a; make b` succeeded",
    "- `npm run unknown` passes",
    "- `npm test`: outcome unknown",
    "- `npm run build`: ok",
    "- Done: scaffold",
    "- Done: twice",
    "- Still open: twice",
    "- Done: the parser",
    "- Write the docs",
    "- Still open: write the docs",
    "- [ ] Add tables",
  ])("%j", (line) => {
    expect(contradictions(line)).toEqual([]);
  });

  it.each(["Goal", "Instructions", "Discoveries"])("and any line of %s", (section) => {
    expect(contradictions("- Deleted `src/a.ts`\n- `npm test`: ok", FACTS, section)).toEqual([]);
  });

  it("where the end of a file is told in another line", () => {
    expect(contradictions("- Created `old/c.ts`\n- Cleaned up: c.ts is no longer there")).toEqual(
      [],
    );
  });

  it.each([
    "rm -f src/*.ts",
    "git checkout .",
    "rm $FILES",
    "make clean",
    "find src -name a.ts -delete",
    "mv src/a.ts elsewhere.ts",
  ])("where %j may have removed the file unseen", (command) => {
    const facts = { ...FACTS, commands: [run(command, "ok", 20)] };
    expect(contradictions("- Deleted `src/a.ts`", facts)).toEqual([]);
    const other = { ...FACTS, commands: [run("rm other.txt", "ok", 20)] };
    expect(contradictions("- Deleted `src/a.ts`", other)).toHaveLength(1);
  });
});

it("is quick with very many facts and claims", () => {
  const each = Array.from({ length: 20_000 }, (_, index) => index);
  const facts = ledger({
    files: Object.fromEntries(each.map((index) => [`src/r${index % 99}/f${index}.ts`, ["read"]])),
    rest: {
      commands: each.map((at) => run(`npm run task-${at}`, "failed", at)),
      todos: each.slice(0, 500).map((at) => ({ text: `todo ${at}`, status: "pending" as const })),
    },
  });
  const lines = each
    .slice(0, 300)
    .map((at) => `- Deleted \`f${at}.ts\`\n- \`npm run task-${at}\`: ok\n- Done: todo ${at}`);
  expect(contradictions(lines.join("\n"), facts)).toHaveLength(900);
});

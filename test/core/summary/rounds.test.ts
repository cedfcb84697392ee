import { describe, expect, it } from "vitest";
import { createLedgerSum, type Ledger, mergeLedgers } from "../../../src/core/ledger/index.ts";
import {
  type ExtractiveInput,
  extractiveSummary,
  parseSummary,
  writeSummary,
} from "../../../src/core/summary/index.ts";
import { busyLedger, count, HEAD, head, ledger } from "./build-ledger.ts";

const INPUT = { cap: 6_000, count, headHandle: HEAD } satisfies Partial<ExtractiveInput>;

function after(before: Ledger, now: Ledger): Record<string, string> {
  const summed = mergeLedgers(before, now);
  return Object.fromEntries(parseSummary(extractiveSummary({ ...INPUT, ledger: summed })));
}

describe("a summary of several rounds", () => {
  it("keeps the first request and gets the newest one", () => {
    const before = ledger({ instructions: ["Build a parser for me.", "Add some tests now."] });
    const { goal, instructions } = after(before, ledger({ instructions: ["Support tables too."] }));
    expect(goal).toBe(
      "- First request: Build a parser for me.\n- Newest request: Support tables too.",
    );
    expect(instructions).toBe(
      "- Oldest first; where two of these differ, the newer one holds.\n- Build a parser for me.\n- Add some tests now.\n- Support tables too.",
    );
  });

  it("gives each file once, with all that happened to it", () => {
    const before = ledger({
      files: {
        "a.ts": ["created"],
        "b.ts": ["read"],
        "tmp/x.ts": ["created"],
        "c.ts": ["created"],
      },
    });
    const now = ledger({
      files: { "b.ts": ["modified"], "c.ts": ["deleted"], "tmp/": ["deleted"] },
    });
    const { accomplished, relevantFiles } = after(before, now);
    expect(accomplished).toBe("- Files changed: 5, named below");
    for (const path of ["tmp/", "tmp/x.ts"]) expect(relevantFiles).toContain(`\`${path}\``);
    expect(relevantFiles).toContain("- `a.ts`: created");
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
    const before = ledger({ rest: { commands: [run("failed", 1), run("failed", 2)] } });
    expect(extractiveSummary({ ...INPUT, ledger: before })).toContain(
      "- `npm test`: failed (exit 1), 2 runs",
    );
    const { accomplished } = after(before, ledger({ rest: { commands: [run("ok", 3)] } }));
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
    const before = ledger({ rest: { errors: [failing("npm test"), failing("npm run lint")] } });
    const now = ledger({ rest: { commands: [{ command: "npm test", outcome: "ok", at: 1 }] } });
    expect(after(before, now)["discoveries"]).toBe(
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
    const before = ledger({ rest: todos("tables", "docs") });
    expect(after(before, ledger({}))["accomplished"]).toBe(
      "- Done: scaffold\n- Still open: tables\n- Still open: docs",
    );
    expect(after(before, ledger({ rest: todos("docs") }))["accomplished"]).toBe(
      "- Done: scaffold\n- Still open: docs",
    );
  });
});

describe("T12: many rounds", () => {
  const ROUNDS = 30;

  it("stay under the cap, keep the newest facts and count all others", () => {
    const sum = createLedgerSum();
    let summary = "";
    for (let round = 1; round <= ROUNDS; round++) {
      sum.add(busyLedger(25, `r${round}`));
      const olderHandles = Array.from({ length: round - 1 }, (_, back) => head(round - 1 - back));
      summary = extractiveSummary({
        ...INPUT,
        cap: 1_500,
        ledger: sum.ledger(),
        headHandle: head(round),
        olderHandles,
      });
      expect(count(summary)).toBeLessThanOrEqual(1_500);
      expect(count(summary)).toBeGreaterThan(1_200);
      expect(summary).toContain(`- First request: r1: rule number 0`);
      expect(summary).toContain(`- Newest request: r${round}: rule number 24`);
      expect(summary).toContain(`- r${round}: rule number 24 must always hold.`);
    }
    expect(summary).toContain(`Earlier heads: recall ${head(ROUNDS - 1)}`);
    const open = summary.match(/^- Still open: r30/gm)?.length ?? 0;
    const more = /and (\d+) more \(open todos\)/.exec(summary)?.[1] ?? 0;
    expect(open + Number(more)).toBe(12);
    const hidden = /and (\d+) more \(instructions\): recall (\w+)/.exec(summary);
    const shown = summary.match(/^- r\d+: rule number/gm)?.length ?? 0;
    expect(Number(hidden?.[1]) + shown).toBe(ROUNDS * 25);
    expect(hidden?.[2]).toBe(head(ROUNDS));
  });

  it("with the same words and nothing new are the same bytes", () => {
    const narrative = { goal: "Ship it.", discoveries: "- It is slow.\n- It is old." };
    const input = { ...INPUT, ledger: busyLedger(40), narrative };
    expect(writeSummary({ ...input, ledger: structuredClone(input.ledger) })).toEqual(
      writeSummary(input),
    );
  });
});

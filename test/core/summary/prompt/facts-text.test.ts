import { describe, expect, it } from "vitest";
import { EMPTY_LEDGER } from "../../../../src/core/ledger/index.ts";
import { factsText } from "../../../../src/core/summary/prompt/facts-text.ts";
import { busyLedger, count } from "../build-ledger.ts";

describe("the facts of a ledger, for a prompt", () => {
  it("names files, commands with their outcome, todos and open errors, and no one's words", () => {
    const text = factsText(busyLedger(3), { tokens: 2_000, count });
    expect(text).toContain("Modified: `src/s/room-1/file-1.ts`");
    expect(text).toContain("Created: `src/s/room-2/file-2.ts`");
    expect(text).toContain("Read: `src/s/room-0/file-0.ts`");
    expect(text).toContain("`npm run s-task-0 -- --reporter verbose`: failed (exit 1)");
    expect(text).toContain("Still open: s todo 1");
    expect(text).toContain("Unresolved: `bash` on `npm run s-broken-1`");
    expect(text).not.toMatch(/must always hold|conclusion|broken-0`/);
  });

  it("keeps its budget and counts what has no room", () => {
    for (const tokens of [100, 300, 1_000]) {
      const text = factsText(busyLedger(200), { tokens, count });
      expect(count(text)).toBeLessThanOrEqual(tokens + 60);
      expect(text).toMatch(/… and \d+ more \(changed files\)/);
    }
  });

  it("is empty for an empty ledger", () => {
    expect(factsText(EMPTY_LEDGER, { tokens: 100, count })).toBe("");
  });
});

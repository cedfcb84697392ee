import { readFileSync } from "node:fs";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createContext } from "../../src/context/create-context.ts";
import { memoryArchive } from "../../src/archive/memory.ts";
import { assistant, step, user, words } from "../build-messages.ts";
import { runs } from "../property/runs.ts";
import { runHere, temporaryFolder } from "./run-cli.ts";

const RECORDED = path.resolve("examples/recorded-session/session.json.gz");

interface Report {
  readonly action: string;
  readonly usable: number;
  readonly tokens: { readonly before: number; readonly after: number; readonly target: number };
  readonly messages: { readonly before: number; readonly after: number };
  readonly prune: readonly { readonly handle: string }[];
  readonly out: string;
  readonly kept: { readonly originals: number; readonly howLong: string } | null;
  readonly warnings: readonly string[];
}

async function pruned(...args: readonly string[]): Promise<Report> {
  const env = { LONGHAUL_HOME: path.join(temporaryFolder(), "state") };
  const all = ["compact", RECORDED, "--prune-only", "--json", ...args];
  const { code, stdout, stderr } = await runHere(all, { env });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as Report;
}

describe("compact --prune-only", () => {
  it("prunes to the target and keeps every message", async () => {
    const { action, tokens, messages, prune, out, kept, warnings } = await pruned();
    expect(kept?.originals).toBeGreaterThanOrEqual(prune.length);
    expect(kept?.howLong).toContain("as long as this file is there");
    expect(action).toBe("prune");
    expect(tokens.after).toBeLessThanOrEqual(tokens.target);
    expect(messages.after).toBe(messages.before);
    const written = readFileSync(out, "utf8");
    for (const { handle } of prune) expect(written).toContain(handle);
    expect(warnings.join(" ")).not.toContain("pruning alone");
  });

  it("takes a target of its own, and says where pruning alone does not reach it", async () => {
    const [usual, low] = [await pruned(), await pruned("--target", "40%")];
    expect(low.prune.length).toBeGreaterThan(usual.prune.length);
    expect(low.warnings.join(" ")).toMatch(/pruning alone comes down to [\d,]+ tokens, not to/);
    const small = await pruned("--window", "64k");
    expect(small.action).toBe("prune");
    expect(small.tokens.after).toBeGreaterThan(small.usable);
  });

  it("acts with room, too: inspect advises it then", async () => {
    const { action, prune } = await pruned("--window", "1m");
    expect(action).toBe("prune");
    expect(prune.length).toBeGreaterThan(0);
  });
});

describe("compact --target", () => {
  it("acts with room where it is below what there is, and only there", async () => {
    const env = { LONGHAUL_HOME: path.join(temporaryFolder(), "state") };
    const compacted = async (...args: readonly string[]): Promise<Report> => {
      const all = ["compact", RECORDED, "--window", "1m", "--json", ...args];
      return JSON.parse((await runHere(all, { env })).stdout) as Report;
    };
    const { action, tokens } = await compacted();
    expect(action).toBe("none");
    const low = await compacted("--target", String(Math.floor(tokens.before * 0.9)));
    expect(low.action).toBe("compact");
    expect(low.tokens.after).toBeLessThanOrEqual(low.tokens.target);
    expect(await compacted("--target", String(tokens.before))).toMatchObject({ action: "none" });
  });
});

describe("a context that only prunes", () => {
  it("writes no summary and drops no message, whatever the conversation and the window", async () => {
    const sizes = fc.array(fc.integer({ min: 10, max: 4_000 }), { minLength: 2, maxLength: 30 });
    const given = fc.record({
      sizes,
      window: fc.integer({ min: 8_000, max: 200_000 }),
      force: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(given, async ({ sizes: outputs, window, force }) => {
        const steps = outputs.flatMap((size, at) =>
          step(`c${at}`, "Bash", { command: `make ${at}` }, words(size, `output ${at}`)),
        );
        const list = [user("Begin."), ...steps, user("And now?"), assistant("Done.")];
        const archive = memoryArchive();
        const context = createContext({ window, archive, recall: true });
        const { messages, report } = await context.prepare(list, { force, pruneOnly: true });
        expect(report.action).not.toBe("compact");
        expect(messages).toHaveLength(list.length);
        expect(report.tokens.after).toBeLessThanOrEqual(report.tokens.before);
        for (const { handle } of report.prune) expect(await archive.has(handle)).toBe(true);
      }),
      { numRuns: runs(25, 500) },
    );
  });
});

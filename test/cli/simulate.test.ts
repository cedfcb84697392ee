import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runHere, temporaryFolder } from "./run-cli.ts";

/** The beginning of our own recording, which fills a small window as the whole of it fills a large one. */
const RECORDED = path.join(temporaryFolder(), "session.json");
const { info, messages } = JSON.parse(
  gunzipSync(readFileSync("examples/recorded-session/session.json.gz")).toString(),
);
writeFileSync(RECORDED, JSON.stringify({ info, messages: messages.slice(0, 40) }));

const POLICIES = [
  "Longhaul",
  "Longhaul, prune only",
  "opencode 1.18 (emulated)",
  "keep last",
  "no-op",
];

describe("longhaul simulate", () => {
  it("tells what each policy keeps and costs, as a table", async () => {
    const { code, stdout } = await runHere(["simulate", RECORDED, "--window", "32k"]);
    expect(code).toBe(0);
    for (const name of POLICIES) expect(stdout).toMatch(new RegExp(`^${escaped(name)} +\\d`, "m"));
    expect(stdout).toMatch(/^Longhaul .* 100 % +0 % /m);
  });

  it("gives all figures as JSON, for each session and in sum", async () => {
    const args = ["simulate", RECORDED, RECORDED, "--window", "32k", "--json"];
    const { stdout } = await runHere(args);
    const { sessions, total } = JSON.parse(stdout);
    expect(sessions).toHaveLength(2);
    const [one] = sessions;
    expect(one.policies.map(({ policy }: { policy: string }) => policy)).toEqual(POLICIES);
    for (const [at, row] of one.policies.entries()) {
      expect(row.sizes).toHaveLength(row.requests);
      expect(total[at].requests).toBe(2 * row.requests);
      const [cache] = row.caches;
      expect(cache.cost).toBeGreaterThan(0);
      expect(total[at].caches[0].cost).toBeCloseTo(2 * cache.cost, 9);
    }
    const [ours, , , last, nothing] = one.policies;
    expect(ours).toMatchObject({ over: 0, illegal: 0, far: { lost: 0 } });
    expect(last.far.lost).toBeGreaterThan(0);
    expect(nothing.over).toBeGreaterThan(0);
    expect(ours.caches[0].cost).toBeLessThan(nothing.caches[0].cost);
  });

  it("says so where no request is ever full", async () => {
    const { stdout } = await runHere(["simulate", RECORDED, "--window", "1m"]);
    expect(stdout).toContain("No request was ever full");
  });
});

function escaped(text: string): string {
  return text.replaceAll(/[.()]/g, "\\$&");
}

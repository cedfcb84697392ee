import { describe, expect, it } from "vitest";
import { temporaryFolder } from "../cli/run-cli.ts";
import { longTask } from "./long-task.ts";
import { gatewayForTest } from "./raw-upstream.ts";

describe("two gateways on one store, asked in turn", () => {
  it("send the same bytes as one would", async () => {
    const task = await longTask();
    const archive = temporaryFolder();
    const options = { window: 16_000, archive };
    const gateways = [await gatewayForTest(task, options), await gatewayForTest(task, options)];
    const steps = 40;
    const ran = await task.run({ steps, urlOf: (step) => gateways[step % 2]?.url ?? "" }, archive);
    const counted = (name: "planned_edits" | "prefix_violations" | "failed_open"): number =>
      gateways.reduce((sum, { metrics }) => sum + metrics.counted(name), 0);
    expect(ran.edited).toBeGreaterThan(steps / 2);
    expect({ violations: counted("prefix_violations"), open: counted("failed_open") }).toEqual({
      violations: 0,
      open: 0,
    });
    expect(counted("planned_edits")).toBe(ran.edits);
    expect(ran.breaks).toBeLessThanOrEqual(ran.edits);
    expect(ran.breaks).toBeGreaterThan(1);
  });
});

import { describe, expect, it, onTestFinished } from "vitest";
import { temporaryFolder } from "../cli/run-cli.ts";
import { startProcess } from "./gateway-process.ts";
import { longTask } from "./long-task.ts";

const KILLS = 20;

describe("a gateway that is killed at twenty random points", () => {
  it("goes on with the same bytes", async () => {
    const task = await longTask();
    const archive = temporaryFolder();
    let [child, url] = await startProcess(task.url, archive);
    onTestFinished(() => void child.kill("SIGKILL"));
    let kills = 0;
    /** Some moment of the next request: it is read, edited, sent, answered. */
    const killSoon = (): void => {
      kills += 1;
      const doomed = child;
      setTimeout(() => doomed.kill("SIGKILL"), Math.random() * 40);
    };
    const urlOf = async (step: number): Promise<string> => {
      if (child.killed) [child, url] = await startProcess(task.url, archive);
      if (step % 3 === 0 && kills < Math.min(KILLS, step / 3)) killSoon();
      return url;
    };
    const steps = 3 * KILLS + 5;
    const ran = await task.run({ steps, urlOf }, archive);
    expect(kills).toBe(KILLS);
    expect(ran.edited).toBeGreaterThan(steps / 2);
    // One that is asked again behind a kill may need an edit: what was reported is forgotten.
    expect(ran.breaks).toBeLessThanOrEqual(ran.edits);
    expect(ran.breaks).toBeGreaterThan(1);
  });
});

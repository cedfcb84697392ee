import type { ChildProcess } from "node:child_process";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresArchive } from "../../src/entry/postgres.ts";
import { startProcess } from "../gateway/gateway-process.ts";
import { longTask } from "../gateway/long-task.ts";
import { gatewayForTest } from "../gateway/raw-upstream.ts";
import { type Database, startDatabase } from "./database.ts";
import { editsIn, type Store, STORES } from "./stores.ts";

for (const { name, isThere, start } of STORES) {
  describe.skipIf(!isThere)(`gateways on one archive in ${name}`, () => {
    let store: Store;
    const children: ChildProcess[] = [];
    beforeAll(async () => void (store = await start()));
    afterAll(async () => {
      for (const child of children) child.kill("SIGKILL");
      await store.stop();
    });

    it("send the same bytes as one would when they are asked in turn", async () => {
      const task = await longTask();
      const options = { window: 16_000, archive: store.address("in-turn") };
      const gateways = [await gatewayForTest(task, options), await gatewayForTest(task, options)];
      const steps = 40;
      const urlOf = (step: number): string => gateways[step % 2]?.url ?? "";
      const ran = await task.run({ steps, urlOf }, () => editsIn(options.archive));
      expect(ran.edited).toBeGreaterThan(steps / 2);
      for (const { metrics } of gateways) {
        expect(metrics.counted("prefix_violations")).toBe(0);
        expect(metrics.counted("failed_open")).toBe(0);
      }
      expect(ran.breaks).toBeLessThanOrEqual(ran.edits);
      expect(ran.breaks).toBeGreaterThan(1);
    });

    it("send the same bytes when one of them is killed, again and again", async () => {
      const task = await longTask();
      const archive = store.address("killed");
      const running = await Promise.all([0, 1].map(() => startProcess(task.url, archive)));
      children.push(...running.map(([child]) => child));
      let kills = 0;
      const urlOf = async (step: number): Promise<string> => {
        const at = step % 2;
        const [child, url] = running[at] as (typeof running)[number];
        if (child.killed) {
          // The balancer finds out, and asks the other one while this one starts again.
          const next = await startProcess(task.url, archive);
          running[at] = next;
          children.push(next[0]);
          return running[1 - at]?.[1] ?? "";
        }
        if (step % 5 === 0 && kills < step / 5) {
          kills++;
          setTimeout(() => child.kill("SIGKILL"), Math.random() * 40);
        }
        return url;
      };
      const steps = 50;
      const ran = await task.run({ steps, urlOf }, () => editsIn(archive));
      expect(kills).toBe(10);
      expect(ran.edited).toBeGreaterThan(steps / 2);
      expect(ran.breaks).toBeLessThanOrEqual(ran.edits);
      expect(ran.breaks).toBeGreaterThan(1);
    });
  });
}

describe("a gateway with its archive in a database", () => {
  let database: Database;
  beforeAll(async () => {
    database = await startDatabase();
    const archive = postgresArchive({ connectionString: database.url });
    await archive.migrate();
    await archive.close();
  });
  afterAll(() => database.stop());

  it("let requests pass while the database is away, and go on afterwards", async () => {
    const task = await longTask();
    const archive = `${database.url}?tenant=away`;
    const gateway = await gatewayForTest(task, { window: 16_000, archive });
    const steps = 30;
    const urlOf = async (step: number): Promise<string> => {
      if (step === 8) await database.crash();
      if (step === 24) await database.restart();
      return gateway.url;
    };
    await task.run({ steps, urlOf }, () => editsIn(archive));
    expect(gateway.metrics.counted("failed_open")).toBeGreaterThan(0);
    expect(await editsIn(archive)).toBeGreaterThan(0);
  });

  it("are refused an address that is none, without a word of its password", async () => {
    const task = await longTask();
    const start = (archive: string): Promise<unknown> =>
      gatewayForTest(task, { archive }).then(() => "started", String);
    expect(await start("mysql://me:secret-word@host/db")).toMatch(/no address of an archive/);
    expect(await start("mysql://me:secret-word@host/db")).not.toContain("secret-word");
  });
});

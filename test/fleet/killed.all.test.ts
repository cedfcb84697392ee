import { fork } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type LeaseEvent } from "../../src/archive/lease.ts";
import { openArchive } from "../../src/archive/open.ts";
import type { JournalEntry } from "../../src/context/journal.ts";
import { ask, killReplicas, startReplica, work } from "./replicas.ts";
import { type Store, STORES } from "./stores.ts";

const DAY = 24 * 3_600_000;

for (const { name, isThere, start } of STORES) {
  describe.skipIf(!isThere)(`a process that is killed, with its archive in ${name}`, () => {
    let store: Store;
    beforeAll(async () => void (store = await start()));
    afterAll(async () => {
      killReplicas();
      await store.stop();
    });

    it("leaves nothing half done of what it stored", async () => {
      const address = store.address("writers");
      const open = await openArchive(address);
      const archive = open.conversation("killed");
      for (let round = 0; round < 5; round++) {
        const child = fork(new URL("writer.ts", import.meta.url), [address], {
          execArgv: ["--import", "tsx"],
          stdio: ["ignore", "ignore", "inherit", "ipc"],
        });
        for (let stored = 0; stored <= round; stored++) await once(child, "message");
        await delay(round * 15);
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      const entries = await archive.list();
      expect(entries.length).toBeGreaterThan(0);
      for (const { handle, bytes } of entries) {
        const text = await archive.get(handle);
        expect(Buffer.byteLength(text)).toBe(bytes);
        expect((await archive.put("out", text)).handle).toBe(handle);
      }
      const told = ((await archive.journal?.read()) ?? []) as { handle: string }[];
      const stored = new Set<string>(entries.map(({ handle }) => handle));
      expect(told.filter(({ handle }) => !stored.has(handle))).toEqual([]);
      await open.close();
    });

    it.each([-DAY, DAY])(
      "in the middle of an edit is followed within seconds by one whose clock is %i ms off",
      async (skewMs) => {
        const address = store.address(`edit-${skewMs + DAY}`);
        const first = await startReplica(address, { hangs: true });
        const second = await startReplica(address, { skewMs });
        const asked = once(first, "message");
        void ask(first, work(45));
        expect(await asked).toEqual(["asked", undefined]);
        first.kill("SIGKILL");
        const started = performance.now();
        const { lists, actions, failures } = await ask(second, work(45));
        expect([actions, failures]).toEqual([["compact"], []]);
        expect(lists[0]?.length).toBeLessThan(60);
        // The lease of the dead one ends by the clock of the store, or of who waits.
        const waited = performance.now() - started;
        expect(waited).toBeGreaterThan(5_000);
        expect(waited).toBeLessThan(20_000);
        const open = await openArchive(address);
        const archive = open.conversation("shared");
        const entries = ((await archive.journal?.read()) ?? []) as JournalEntry[];
        expect(entries).toHaveLength(1);
        const stored = new Set<string>((await archive.list()).map(({ handle }) => handle));
        const named =
          JSON.stringify(lists).match(/\b(?:head|out|in|msg|parts)_[0-9a-f]{16}\b/g) ?? [];
        expect(named.length).toBeGreaterThan(0);
        expect(named.filter((handle) => !stored.has(handle))).toEqual([]);
        await open.close();
      },
    );

    it("is told of: who waited, what was taken over, what was lost", async () => {
      const events: LeaseEvent[] = [];
      const address = store.address("told");
      const onLease = (event: LeaseEvent): void => void events.push(event);
      const opened = await Promise.all([0, 1, 2].map(() => openArchive(address, ".", { onLease })));
      const [hung, ...others] = opened.map((one) => one.conversation("told").journal);
      const names = (): string[] => events.splice(0).map((event) => event.name);
      await hung?.alone?.(async () => undefined);
      expect(names()).toEqual([]);
      let waiting: Promise<void> | undefined;
      await hung?.alone?.(async () => {
        waiting = others[0]?.alone?.(async () => undefined);
        await delay(1_000);
      });
      await waiting;
      expect(events[0]?.waitedMs).toBeGreaterThan(500);
      expect(names()).toEqual(["waited"]);
      // One that renews nothing, as a process that hangs.
      const real = globalThis.setInterval;
      globalThis.setInterval = () => real(() => undefined, DAY);
      const late = hung?.alone?.(async () => {
        globalThis.setInterval = real;
        await others[1]?.alone?.(async () => others[1]?.append({ by: "another" }));
        await hung.append({ by: "hung" });
      });
      await expect(late).rejects.toThrow("has taken over");
      expect(names()).toEqual(["waited", "taken-over", "lost"]);
      for (const one of opened) await one.close();
    });
  });
}

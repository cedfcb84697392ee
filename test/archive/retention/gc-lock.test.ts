import * as fs from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import { whileLocked } from "../../../src/archive/retention/gc-lock.ts";
import { nextStamp } from "../../../src/archive/retention/gc-clock.ts";
import { ownHolder } from "../../../src/archive/files/holder.ts";

/** What comes between seeing that a lock is stale and moving it away. */
const hooks = vi.hoisted(() => ({ beforeRename: undefined as (() => Promise<void>) | undefined }));

vi.mock("node:fs/promises", async (importOriginal) => {
  const real = await importOriginal<typeof import("node:fs/promises")>();
  return {
    ...real,
    rename: async (...args: Parameters<typeof real.rename>) => {
      const hook = hooks.beforeRename;
      hooks.beforeRename = undefined;
      await hook?.();
      return real.rename(...args);
    },
  };
});

let scratch = "";
beforeAll(async () => {
  scratch = await fs.mkdtemp(join(tmpdir(), "longhaul-lock-"));
});
afterAll(() => fs.rm(scratch, { recursive: true, force: true }));

it("a stale lock goes to one process, also when two see it at the same time", async () => {
  const folder = await fs.mkdtemp(join(scratch, "case-"));
  const lock = join(folder, ".gc.lock");
  await fs.writeFile(lock, ownHolder().replace(/\.\d+\.\d+$/, ".4194304.7"));
  let end = (): void => undefined;
  let first: Promise<string | undefined> | undefined;
  hooks.beforeRename = () =>
    new Promise((begun) => {
      first = whileLocked(folder, async () => {
        begun();
        await new Promise<void>((resolve) => (end = resolve));
        return "first";
      });
    });
  expect(await whileLocked(folder, async () => "second")).toBeUndefined();
  expect(await fs.readFile(lock, "utf8")).toBe(ownHolder());
  end();
  expect(await first).toBe("first");
  expect(await fs.readdir(folder)).toEqual([]);
});

it("a lock that was taken over is not removed by who had it", async () => {
  const folder = await fs.mkdtemp(join(scratch, "case-"));
  const lock = join(folder, ".gc.lock");
  await whileLocked(folder, () => fs.writeFile(lock, "somebody else"));
  expect(await fs.readFile(lock, "utf8")).toBe("somebody else");
});

it("how long another machine, or this one before it was started anew, ran says nothing of the clock", () => {
  const DAY = 86_400_000;
  const last = { now: 100 * DAY, uptime: DAY, run: "a", untrustedUntil: 0 };
  const clock = { now: 200 * DAY, uptime: 2 * DAY };
  expect(nextStamp(last, { ...clock, run: "b" }, 7 * DAY).untrustedUntil).toBe(0);
  expect(nextStamp(last, { ...clock, run: "a" }, 7 * DAY).untrustedUntil).toBe(207 * DAY);
});

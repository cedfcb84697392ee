import { setTimeout as sleep } from "node:timers/promises";
import { expect, it } from "vitest";
import { concurrencyLimit } from "../../src/archive/at-once.ts";

it("runs at most so many tasks at a time, in the order in which they came", async () => {
  const limited = concurrencyLimit(3);
  const started: number[] = [];
  let running = 0;
  let most = 0;
  const tasks = Array.from({ length: 20 }, (_, index) =>
    limited(async () => {
      started.push(index);
      most = Math.max(most, ++running);
      await sleep(index % 3);
      running--;
      return index;
    }),
  );
  expect(await Promise.all(tasks)).toEqual(started);
  expect(most).toBe(3);
});

it("goes on after a task that failed", async () => {
  const limited = concurrencyLimit(1);
  const failed = limited(async () => {
    throw new Error("no");
  });
  const next = limited(async () => "yes");
  await expect(failed).rejects.toThrow("no");
  expect(await next).toBe("yes");
  expect(await limited(async () => "again")).toBe("again");
});

import { expect, it } from "vitest";
import { underLease } from "../../src/archive/lease.ts";

it("a listener that fails, at once or later, ends no edit and no process", async () => {
  for (const onLease of [
    () => Promise.reject(new Error("later")),
    () => {
      throw new Error("at once");
    },
  ]) {
    const taken = [false, "free"] as const;
    let looks = 0;
    const lease = {
      take: async () => taken[looks++] ?? "free",
      renew: async () => 0,
      release: async () => 0,
      lookEveryMs: 1,
      onLease,
    };
    expect(await underLease(lease as never, async () => "done")).toBe("done");
    expect(looks).toBe(2);
  }
});

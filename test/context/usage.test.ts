import { describe, expect, it } from "vitest";
import { createContext } from "../../src/context/index.ts";
import { createRunningTotal, createUsageMeter, totalUsage } from "../../src/context/usage.ts";
import type { Message } from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";

const meter = createMessageMeter(quarter);

function reported(input: number, output = 0): Message {
  return { ...assistant("ok"), usage: { input, output } };
}

describe("T7: what a request holds", () => {
  it("is all that the provider reported: input, cache reads and writes, output", () => {
    const usage = { input: 100, output: 20, cacheRead: 3_000, cacheWrite: 400 };
    expect(totalUsage(usage)).toBe(3_520);
  });

  it("is the reported usage of the last request and an estimate of everything newer", () => {
    const view = [user(words(100)), reported(900, 100), user(words(50))];
    const measured = createUsageMeter(meter, 0).measure(view, 0);
    expect(measured.source).toBe("reported");
    expect(measured.tokens).toBeGreaterThan(1_000 + 50);
  });

  it("is an estimate of everything without usage, system prompt and tools included", () => {
    const view = [user(words(100))];
    const measured = createUsageMeter(meter, 500).measure(view, 0);
    expect(measured).toEqual({ tokens: 500 + meter.total(view), source: "estimated" });
  });

  it("ignores usage older than the last edit", () => {
    const view = [user(words(100)), reported(90_000), user(words(50))];
    expect(createUsageMeter(meter, 0).measure(view, 2).source).toBe("estimated");
  });

  it("calibrates the estimate on reported usage, within a clamp", () => {
    const usage = createUsageMeter(meter, 0);
    const view = [user(words(1_000)), reported(2_000)];
    usage.measure(view, 0);
    expect(usage.factor).toBeGreaterThan(1.3);
    const wild = createUsageMeter(meter, 0);
    wild.measure([user(words(1_000)), reported(1_000_000)], 0);
    expect(wild.factor).toBeLessThanOrEqual(2.5);
  });

  it("counts the fixed part, and names it when it alone fills the budget", async () => {
    const context = createContext({
      window: 8_000,
      counter: quarter,
      instructions: words(3_000),
      tools: [{ name: "bash", description: words(2_000) }],
    });
    const history = [user("hi"), ...step("a", "bash", {}, "x")];
    await expect(context.prepare(history)).rejects.toMatchObject({
      code: "irreducible",
      message: expect.stringContaining("system prompt and tool schemas"),
    });
  });
});

describe("the running total", () => {
  it("measures each message once while the list grows", () => {
    let counted = 0;
    const counting = { name: "counting", count: (text: string) => (counted++, text.length) };
    const total = createRunningTotal(createMessageMeter(counting));
    const list = Array.from({ length: 500 }, (_, n) => user(`message ${n}`));
    total.of(list);
    const before = counted;
    expect(total.of([...list, system("new")])).toBe(total.of([...list, system("new")]));
    expect(counted - before).toBeLessThanOrEqual(2);
  });

  it("notices a list that ends or begins in another way", () => {
    const total = createRunningTotal(meter);
    const list = [user(words(10)), user(words(20)), user(words(30))];
    total.of(list);
    expect(total.of(list.slice(1))).toBe(meter.total(list.slice(1)));
    expect(total.of([...list.slice(0, 2), user(words(90))])).toBe(
      meter.total([...list.slice(0, 2), user(words(90))]),
    );
  });

  it("notices a message that was exchanged in the middle after some steps", () => {
    const total = createRunningTotal(meter);
    const list = Array.from({ length: 1_000 }, () => user(words(10)));
    total.of(list);
    list[400] = user(words(5_000));
    const seen = Array.from({ length: 10 }, () => total.of(list));
    expect(seen.at(-1)).toBe(meter.total(list));
  });
});

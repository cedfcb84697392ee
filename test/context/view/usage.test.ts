import { describe, expect, it } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import { createRunningTotal, createUsageMeter } from "../../../src/context/view/usage.ts";
import { type Message, totalUsage } from "../../../src/core/message/index.ts";
import { createMessageMeter } from "../../../src/core/tokens/index.ts";
import { assistant, quarter, step, system, user, words } from "../../build-messages.ts";

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
    const measured = createUsageMeter(meter, () => 0).measure(view, 0);
    expect(measured.source).toBe("reported");
    expect(measured.tokens).toBeGreaterThan(1_000 + 50);
  });

  it("is an estimate of everything without usage, system prompt and tools included", () => {
    const view = [user(words(100))];
    const measured = createUsageMeter(meter, () => 500).measure(view, 0);
    expect(measured).toMatchObject({ tokens: 500 + meter.total(view), source: "estimated" });
  });

  it("ignores usage older than the last edit", () => {
    const view = [user(words(100)), reported(90_000), user(words(50))];
    expect(createUsageMeter(meter, () => 0).measure(view, 2).source).toBe("estimated");
  });

  it("learns another tokenizer from requests that grow, within a clamp", () => {
    const usage = createUsageMeter(meter, () => 0);
    const view: Message[] = [];
    for (let tokens = 4_000; tokens <= 40_000; tokens += 4_000) {
      view.push(user(words(4_000, `${tokens}`)), reported(1.5 * (meter.total(view) + 4_004)));
      usage.measure(view, 0);
    }
    expect(usage.factor).toBeCloseTo(1.5, 1);
    const wild = createUsageMeter(meter, () => 0);
    wild.measure([user(words(100_000)), reported(1_000_000)], 0);
    expect(wild.factor).toBeLessThanOrEqual(2.5);
  });

  it("remembers after an edit what no estimate holds", () => {
    const usage = createUsageMeter(meter, () => 0);
    const view = [user(words(1_000)), reported(8_000 + 1_004, 5), user(words(500))];
    expect(Math.abs(usage.measure(view, 0).tokens - 9_513)).toBeLessThan(10);
    usage.forget();
    const edited = [user(words(300))];
    const measured = usage.measure(edited, 1);
    expect(measured.source).toBe("estimated");
    expect(Math.abs(measured.tokens - 8_304)).toBeLessThan(100);
    expect(usage.expected(304)).toBeCloseTo(measured.tokens, -1);
    expect(Math.abs(usage.estimated(20_000) - 12_000)).toBeLessThan(300);
  });

  it("learns nothing from output, which may hold thinking that the message does not", () => {
    const usage = createUsageMeter(meter, () => 0);
    const view = [user(words(1_000)), reported(1_004, 9_000)];
    expect(usage.measure(view, 0).tokens).toBe(10_004);
    usage.forget();
    expect(usage.measure([user(words(300))], 1).tokens).toBeCloseTo(304, -1);
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

describe("T7: the margin", () => {
  it("is for what nobody has counted yet", async () => {
    const filler = (tokens: number): Message => assistant("lorem ipsum dolor ".repeat(tokens / 4));
    const counted = (input: number): Message => ({
      ...assistant("ok"),
      usage: { input, output: 1 },
    });
    const prepare = (messages: readonly Message[]) =>
      createContext({ window: 40_000 }).prepare([user("go"), ...messages]);
    const near = await prepare([filler(15_000), counted(19_990)]);
    expect(near.report).toMatchObject({ action: "none", tokens: { source: "reported" } });
    const newer = await prepare([
      filler(15_000),
      counted(17_970),
      user("lorem ipsum ".repeat(900)),
    ]);
    const { before } = newer.report.tokens;
    expect(before).toBeLessThan(20_000);
    expect(before).toBeGreaterThan(19_900);
    expect(newer.report.action).toBe("compact");
  });
});

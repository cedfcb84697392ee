import { describe, expect, it } from "vitest";
import { createContext, type ContextOptions, type ContextReport } from "../../src/context/index.ts";
import { createGauge, type Measured } from "../../src/context/measure.ts";
import { type Message, totalUsage } from "../../src/core/message/index.ts";
import { createMessageMeter } from "../../src/core/tokens/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";

const meter = createMessageMeter(quarter);

/** A gauge of a window that is no limit, and what it says of a list. */
function gaugeWith(fixedTokens = 0): (view: readonly Message[], since?: number) => Measured {
  const gauge = createGauge({ window: 1_000_000, fixedTokens }, quarter);
  return (messages, since = 0) => gauge.measure({ messages, from: 0, since });
}

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
    const measured = gaugeWith()(view);
    expect(measured.source).toBe("reported");
    expect(measured.tokens).toBeGreaterThan(1_000 + 50);
  });

  it("is no less than the answer that stands in the list, whatever was reported of it", () => {
    const said = { ...assistant(words(600)), usage: { input: 1_000, output: 1 } };
    const { tokens, source } = gaugeWith()([user(words(900)), said]);
    expect(source).toBe("reported");
    expect(tokens).toBeGreaterThan(1_600);
    const thought = { ...said, usage: { input: 1_000, output: 3_000 } };
    expect(gaugeWith()([user(words(900)), thought]).tokens).toBe(4_000);
  });

  it("is an estimate of everything without usage, system prompt and tools included", () => {
    const view = [user(words(100))];
    const measured = gaugeWith(500)(view);
    expect(measured).toMatchObject({ tokens: 500 + meter.total(view), source: "estimated" });
  });

  it("ignores usage older than the last edit", () => {
    const view = [user(words(100)), reported(90_000), user(words(50))];
    expect(gaugeWith()(view, 2).source).toBe("estimated");
  });

  it("takes no usage of another list for that of this one", () => {
    const view = [user(words(10_000)), reported(400, 100), user(words(50))];
    expect(gaugeWith()(view)).toMatchObject({ source: "estimated", tokens: meter.total(view) });
  });

  it("says that a report is not believed, and acts on the estimate", async () => {
    const steps = Array.from({ length: 30 }, (_, n) => [
      ...step(`c${n}`, "bash", { command: `run ${n}` }, words(900, `${n}`)),
      { ...assistant("ok"), usage: { input: 4, output: 20 } },
    ]);
    const context = createContext({ window: 32_000, counter: quarter });
    const few = await context.prepare([user("go"), ...steps.slice(0, 5).flat()]);
    expect(few.report.warnings.join()).toMatch(/report of 24 tokens is not believed/);
    const all = await context.prepare([user("go"), ...steps.flat()]);
    expect(all.report).toMatchObject({ action: "prune", tokens: { source: "estimated" } });
  });

  it("believes no report of a longer list for the one that somebody has shortened", async () => {
    const context = createContext({ window: 32_000, counter: quarter });
    const long = [user("go"), ...step("a", "bash", {}, words(14_000))];
    await context.prepare(long);
    const answer = { ...assistant("ok"), usage: { input: 14_300, output: 20 } };
    const short = [user("go"), answer, ...step("b", "bash", {}, words(3_000)), user("next")];
    const { report } = await context.prepare(short);
    expect(report).toMatchObject({ action: "none", tokens: { source: "estimated" } });
    expect(report.tokens.before).toBeLessThan(4_000);
    expect(report.warnings.join()).toMatch(/not about this one/);
    const whole = await createContext({ window: 32_000, counter: quarter }).prepare([
      ...long,
      answer,
      user("next"),
    ]);
    expect(whole.report.tokens.source).toBe("reported");
  });

  it("sends what fits as it is counted, however much a report says", async () => {
    const context = createContext({ window: 8_000, counter: quarter });
    const list = [user("hi"), { ...assistant("hello"), usage: { input: 40_000, output: 9 } }];
    const { messages } = await context.prepare([...list, user("and now?")]);
    expect(messages).toHaveLength(3);
  });

  it("learns another tokenizer from requests that grow, within a clamp", () => {
    const gauge = createGauge({ window: 1_000_000 }, quarter);
    const view: Message[] = [];
    for (let tokens = 4_000; tokens <= 40_000; tokens += 4_000) {
      view.push(user(words(4_000, `${tokens}`)), reported(1.5 * (meter.total(view) + 4_004)));
      gauge.measure({ messages: view, from: 0, since: 0 });
    }
    expect(gauge.tokens().counter.count(words(1_000)) / 1_000).toBeCloseTo(1.5, 1);
    const wild = createGauge({ window: 10_000_000 }, quarter);
    wild.measure({ messages: [user(words(100_000)), reported(1_000_000)], from: 0, since: 0 });
    expect(wild.tokens().counter.count(words(1_000))).toBeLessThanOrEqual(2_500);
  });

  it("remembers after an edit what no estimate holds", () => {
    const gauge = createGauge({ window: 200_000 }, quarter);
    const view = [user(words(1_000)), reported(8_000 + 1_004, 5), user(words(500))];
    const before = gauge.measure({ messages: view, from: 0, since: 0 });
    expect(Math.abs(before.tokens - 9_513)).toBeLessThan(10);
    const edited = [user(words(300))];
    const measured = gauge.measure({ messages: edited, from: 0, since: 1 });
    expect(measured.source).toBe("estimated");
    expect(Math.abs(measured.tokens - 8_304)).toBeLessThan(100);
    const { fixedTokens, meter: inTokens } = gauge.tokens();
    expect(fixedTokens + inTokens.total(edited)).toBeCloseTo(measured.tokens, -1);
  });

  it("leaves room, however much a report says to be beside the messages", () => {
    const gauge = createGauge({ window: 40_000 }, quarter);
    gauge.measure({ messages: [user(words(1_000)), reported(900_000)], from: 0, since: 0 });
    const { fixedTokens, counter } = gauge.tokens();
    const room = (gauge.budget.usable - fixedTokens) / (counter.count(words(1_000)) / 1_000);
    expect(room).toBeGreaterThanOrEqual(gauge.budget.usable / 2.5);
  });

  it("learns nothing from output, which may hold thinking that the message does not", () => {
    const gauge = createGauge({ window: 200_000 }, quarter);
    const view = [user(words(1_000)), reported(1_004, 9_000)];
    expect(gauge.measure({ messages: view, from: 0, since: 0 }).tokens).toBe(10_004);
    const next = gauge.measure({ messages: [user(words(300))], from: 0, since: 1 });
    expect(next.tokens).toBeCloseTo(304, -1);
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

  it("names what fills the budget in whole tokens, whatever the model's factor", async () => {
    const options = { window: 8_000, counter: quarter, instructions: words(5_000) };
    const context = createContext({ ...options, tokenFactor: 1.137 });
    const history = [user("hi"), ...step("a", "bash", {}, "x"), ...step("b", "bash", {}, "y")];
    const refused = await context.prepare([...history, user(words(400))]).catch((e: unknown) => e);
    expect(String(refused)).toContain("the summary");
    expect(String(refused)).not.toMatch(/\d\.\d/);
  });
});

describe("a model that has not reported yet", () => {
  const list = [user("The parcel went to the wrong town. ".repeat(500))];
  const tokensWith = async (options: ContextOptions): Promise<ContextReport["tokens"]> =>
    (await createContext(options).prepare(list)).report.tokens;

  it("counts as its family does, and the report says so", async () => {
    const { before: plain, assumed } = await tokensWith({});
    expect(assumed).toBeUndefined();
    const named = await tokensWith({ model: "claude-opus-5" });
    expect(named).toMatchObject({ assumed: { factor: 1.5, family: "Claude from 4.6" } });
    expect(named.before / plain).toBeCloseTo(1.5, 2);
  });

  it("counts as the caller says, or as the caller's own counter does", async () => {
    const { before: plain } = await tokensWith({});
    const told = await tokensWith({ model: "claude-opus-5", tokenFactor: 1.3 });
    expect(told).toMatchObject({ assumed: { factor: 1.3 } });
    expect(told.before / plain).toBeCloseTo(1.3, 2);
    const counted = await tokensWith({ model: "claude-opus-5", counter: quarter });
    expect(counted.before).toBe(meter.total(list));
    expect(() => createContext({ tokenFactor: 0 })).toThrow("it must be a number from 0.5 to 2.5");
  });

  it("counts by its reports once there are some", async () => {
    const context = createContext({ model: "claude-opus-5", window: 1_000_000 });
    const [first] = list;
    const { before } = (await context.prepare(list)).report.tokens;
    const view = [first as Message, reported(Math.round(before * 0.8)), user(words(50))];
    const { tokens } = (await context.prepare(view)).report;
    expect(tokens).toMatchObject({ source: "reported" });
    expect(tokens.assumed).toBeUndefined();
  });
});

describe("a list that goes on", () => {
  it("is measured message by message, each once", () => {
    let counted = 0;
    const counting = { name: "counting", count: (text: string) => (counted++, text.length) };
    const gauge = createGauge({}, counting);
    const list = Array.from({ length: 500 }, (_, n) => user(`message ${n}`));
    gauge.measure({ messages: list, from: 0, since: 0 });
    const before = counted;
    gauge.measure({ messages: [...list, system("new")], from: 500, since: 0 });
    expect(counted - before).toBe(1);
  });

  it("is measured anew from where it is another one", () => {
    const gauge = createGauge({ fixedTokens: 0 }, quarter);
    const list = Array.from({ length: 1_000 }, () => user(words(10)));
    gauge.measure({ messages: list, from: 0, since: 0 });
    const other = list.with(400, user(words(5_000)));
    const measured = gauge.measure({ messages: other, from: 400, since: 0 });
    expect(measured.tokens).toBe(meter.total(other));
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

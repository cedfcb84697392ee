import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../src/archive/index.ts";
import { type Context, type ContextOptions, createContext } from "../../src/context/index.ts";
import type { Message } from "../../src/core/message/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";
import { rulesOf } from "../rules-of.ts";

function open(options: ContextOptions = {}): Context {
  return createContext({ window: 16_000, counter: quarter, now: () => 0, ...options });
}

function work(steps: number, by = "c"): Message[] {
  return Array.from({ length: steps }, (_, n) => [
    ...step(`${by}${n}`, "bash", { command: `run ${by}${n}` }, words(200, `${by}${n}`)),
    assistant(words(200, `thought ${by}${n}`)),
  ]).flat();
}

const task = user("do the work");

describe("a system prompt that changes with every request", () => {
  it("is the one of now, and no edit is lost", async () => {
    const [changing, steady] = [open(), open()];
    const all = [task, ...work(60)];
    for (let end = 1; end <= all.length; end += 3) {
      const history = all.slice(0, end);
      const prompt = system(`rules, and ${end} todos`);
      const { messages, report } = await changing.prepare([prompt, ...history]);
      const plain = await steady.prepare([system("rules"), ...history]);
      expect(messages[0]).toBe(prompt);
      expect(messages.slice(1)).toEqual(plain.messages.slice(1));
      expect(report.warnings).toEqual(plain.report.warnings);
    }
    expect(changing.journal().length).toBe(steady.journal().length);
    expect(changing.journal().length).toBeGreaterThan(2);
  });

  it.each(["whole", "returned"])("does so for another process, with the %s list", async (habit) => {
    const first = open();
    const history = [system("today is Monday"), task, ...work(60)];
    const { messages } = await first.prepare(history);
    const journal = first.journal();
    expect(journal.length).toBeGreaterThan(0);
    const list = habit === "whole" ? history : messages;
    const { messages: again, report } = await open({ journal }).prepare([
      system("today is Tuesday"),
      ...list.slice(1),
    ]);
    expect(report).toMatchObject({ action: "none", warnings: [] });
    expect(again).toEqual([system("today is Tuesday"), ...messages.slice(1)]);
  });

  it("is the one of now for a caller who goes on from the returned list", async () => {
    const context = open();
    let list: readonly Message[] = [system("todo 0"), task];
    for (const [n, message] of work(60).entries()) {
      const { messages } = await context.prepare([system(`todo ${n}`), ...list.slice(1), message]);
      expect(messages[0]).toEqual(system(`todo ${n}`));
      list = messages;
    }
    const steady = open();
    let other: readonly Message[] = [system("todo"), task];
    for (const message of work(60)) {
      ({ messages: other } = await steady.prepare([...other, message]));
    }
    expect(list.slice(1)).toEqual(other.slice(1));
  });

  it("carries the marks of now", async () => {
    const context = open();
    const marked = (mark: string): Message => ({
      ...system("rules"),
      source: { dialect: "test", value: { mark }, parts: [] },
    });
    const list = [task, ...work(60)];
    await context.prepare([marked("one"), ...list]);
    const { messages } = await context.prepare([marked("two"), ...list, user("go on")]);
    expect(messages[0]?.source?.value).toEqual({ mark: "two" });
  });
});

describe("another list through the same context", () => {
  const mine = [system("rules"), task, ...work(60)];
  const others = [system("other rules"), user("something else"), ...work(60, "o")];

  it.each([
    ["a short question", [user("a title, please")]],
    ["the beginning of the same", mine.slice(0, 2)],
    ["one that is edited, too", others],
  ])("takes no edit away: %s", async (_name, list) => {
    const context = open();
    const { messages } = await context.prepare(mine);
    await context.prepare(list);
    const { messages: again, report } = await context.prepare(mine);
    expect(report.action).toBe("none");
    expect(again).toEqual(messages);
    const { report: next } = await context.prepare([...again, user("go on")]);
    expect(next.action).toBe("none");
  });

  it("takes none away from those that are stored", async () => {
    const stored = { archive: memoryArchive(), conversation: "c" };
    const { messages } = await open(stored).prepare(mine);
    const context = open(stored);
    await context.prepare([user("a title, please")]);
    expect(context.journal()).toHaveLength(1);
    const { messages: again, report } = await context.prepare(mine);
    expect(report).toMatchObject({ action: "none", warnings: [] });
    expect(again).toEqual(messages);
  });

  it("leaves nothing of what the first one said in its summary", async () => {
    const context = open();
    await context.prepare([system("rules"), user("never touch the API"), ...work(60)]);
    const { messages } = await context.prepare(others);
    expect(JSON.stringify(messages)).not.toContain("never touch the API");
  });
});

describe("a reminder that stands behind every request and is gone in the next", () => {
  const reminder = (n: number): Message => user(`${n} todos are open`);

  it("costs no edit", async () => {
    const [reminded, plain] = [open(), open()];
    const all = [task, ...work(60)];
    for (let end = 1; end <= all.length; end += 3) {
      const history = all.slice(0, end);
      const { messages } = await reminded.prepare([...history, reminder(end)]);
      expect(messages.at(-1)).toEqual(reminder(end));
      await plain.prepare(history);
    }
    expect(plain.journal().length).toBeGreaterThan(2);
    expect(reminded.journal().length).toBe(plain.journal().length);
  });

  it.each(["whole", "returned"])("costs another process none, with the %s list", async (habit) => {
    const first = open();
    const history = [task, ...work(60)];
    const { messages } = await first.prepare([...history, reminder(1)]);
    const [record, ...more] = first.journal();
    expect(more).toEqual([]);
    expect(record?.consumed).toBe(history.length);
    expect(record?.facts.instructions.map(({ text }) => text)).toEqual(["do the work"]);
    const list = habit === "whole" ? history : messages.slice(0, -1);
    const other = open({ journal: first.journal() });
    const { messages: again, report } = await other.prepare([...list, reminder(2)]);
    expect(report).toMatchObject({ action: "none", warnings: [] });
    expect(again).toEqual([...messages.slice(0, -1), reminder(2)]);
  });

  it("is not in the summary either, so that it can be taken back", async () => {
    const context = open();
    const history = [task, ...work(60)];
    const secret = user("the password is quince");
    const { messages } = await context.prepare([...history, secret]);
    expect(context.journal()).toHaveLength(1);
    expect(messages.at(-1)).toBe(secret);
    expect(JSON.stringify(messages.slice(0, -1))).not.toContain("quince");
    expect(JSON.stringify(context.journal())).not.toContain("quince");
    const redacted = user("the password is [redacted]");
    for (const list of [history, messages.slice(0, -1)]) {
      const { messages: again, report } = await context.prepare([...list, redacted]);
      expect(report).toMatchObject({ action: "none", warnings: [] });
      expect(JSON.stringify(again)).not.toContain("quince");
    }
  });

  it("is consumed where an edit changes it", async () => {
    const context = open();
    const long = user(words(20_000, "paste"));
    const { messages } = await context.prepare([task, ...work(20), long]);
    expect(messages.at(-1)).not.toEqual(long);
    const { messages: again } = await context.prepare([task, ...work(20), long]);
    expect(again).toEqual(messages);
    expect(context.journal()).toHaveLength(1);
  });

  it("is one instruction in the summary of what it was part of", async () => {
    const context = open();
    const rule = user("never touch the API");
    const history = [task, ...work(60), rule];
    await context.prepare(history);
    const rules = await rulesOf(context);
    expect(rules).toContain("do the work");
    expect(rules).toContain("never touch the API");
    history.push(...work(60, "d"));
    const { messages } = await context.prepare(history);
    expect(context.journal().length).toBe(2);
    expect(JSON.stringify(messages).split("- never touch the API")).toHaveLength(2);
  });
});

it("an order that is corrected in a returned list is no fact of the next summary", async () => {
  const context = open();
  const orders = (text: string) => user(`${text} the production database`);
  const kept = [orders("Drop"), ...work(2, "k")];
  const { messages } = await context.prepare([task, ...work(60), ...kept]);
  expect(messages.slice(-kept.length)).toEqual(kept);
  const corrected = messages.with(-kept.length, orders("Do not touch"));
  const { messages: next, report } = await context.prepare([...corrected, ...work(60, "n")]);
  expect(report.action).toBe("compact");
  expect(JSON.stringify(next)).toContain("Do not touch the production database");
  expect(JSON.stringify(next)).not.toContain("Drop the production database");
});

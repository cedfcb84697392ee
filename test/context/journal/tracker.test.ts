import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../../src/archive/index.ts";
import { type Context, type ContextOptions, createContext } from "../../../src/context/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import { assistant, quarter, step, system, user, words } from "../../build-messages.ts";

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

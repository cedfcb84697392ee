import { describe, expect, it } from "vitest";
import { memoryArchive } from "../../../src/archive/index.ts";
import { createContext } from "../../../src/context/index.ts";
import type { Message } from "../../../src/core/message/index.ts";
import { quarter, step, user, words } from "../../build-messages.ts";

const thought = (text: string): Message => ({
  role: "assistant",
  parts: [
    { type: "reasoning", text, signature: `signed ${text}` },
    { type: "text", text: `said ${text}` },
  ],
});

/** Turns whose outputs can be pruned, each with reasoning. */
const history: Message[] = Array.from({ length: 14 }, (_, n) => [
  user(`question ${n}`),
  ...step(`r${n}`, "read", { path: `f${n}` }, words(1_200, `${n}`)),
  thought(`thought ${n}`),
]).flat();

function traits(boundReasoning: boolean) {
  return { summaryRole: "user", boundReasoning, endsWithInput: false } as const;
}

describe("reasoning that is bound to what stands before it", () => {
  it("goes behind the first edit when old outputs are pruned, and is archived", async () => {
    const archive = memoryArchive();
    const context = createContext({
      window: 32_000,
      counter: quarter,
      traits: traits(true),
      archive,
    });
    const { messages, report } = await context.prepare(history);
    expect(report.action).toBe("prune");
    expect(JSON.stringify(messages)).not.toContain("signed thought");
    expect(JSON.stringify(messages)).toContain("said thought 13");
    const { plan } = context.journal()[0]!;
    expect(plan.reasoning?.messages).toHaveLength(14);
    const kept = await archive.get(plan.reasoning!.handle!);
    expect(kept).toContain("signed thought 0");
    const named = `<reasoning-compacted messages="14" archived="${plan.reasoning!.handle}" />`;
    expect(JSON.stringify(messages).split(JSON.stringify(named).slice(1, -1))).toHaveLength(2);
    const again = await context.prepare(history);
    expect(again.messages).toEqual(messages);
  });

  it("is named where only inputs are edited", async () => {
    const writes = Array.from({ length: 14 }, (_, n) => [
      user(`question ${n}`),
      ...step(`w${n}`, "write", { path: `f${n}`, content: words(1_200, `${n}`) }, "ok"),
      thought(`thought ${n}`),
    ]).flat();
    const options = { window: 32_000, counter: quarter, traits: traits(true) };
    const { messages, report } = await createContext(options).prepare(writes);
    expect(report.action).toBe("prune");
    expect(report.reasoning?.messages).toBe(14);
    const named = messages.filter((message) =>
      JSON.stringify(message).includes(report.reasoning?.handle ?? "none"),
    );
    expect(named).toHaveLength(1);
    expect(named[0]?.parts.map(({ type }) => type)).toEqual(["text", "text"]);
  });

  it("is named where nothing else had to go", async () => {
    const parts = [
      { type: "reasoning", text: words(2_000) },
      { type: "text", text: "done" },
    ] as const;
    const long: Message[] = [user("think"), { role: "assistant", parts }];
    const options = { window: 4_000, counter: quarter, traits: traits(false) };
    const { messages, report } = await createContext(options).prepare(long);
    expect(report).toMatchObject({ action: "prune", prune: [], clipped: [] });
    expect(JSON.stringify(messages)).toContain(`archived=\\"${report.reasoning?.handle}\\"`);
  });

  it("stays where nothing before it was edited, and where it is not bound", async () => {
    const first = [thought("first of all"), ...history];
    const bound = await createContext({
      window: 32_000,
      counter: quarter,
      traits: traits(true),
    }).prepare(first);
    expect(JSON.stringify(bound.messages)).toContain("signed first of all");
    const free = await createContext({
      window: 32_000,
      counter: quarter,
      traits: traits(false),
    }).prepare(history);
    expect(free.report.action).toBe("prune");
    expect(JSON.stringify(free.messages)).toContain("signed thought 13");
  });
});

it("ends below usable, however dear the provider's tokens are", async () => {
  const text = words(700);
  const list = [user("go"), user(text), { role: "assistant", parts: [{ type: "text", text }] }];
  for (const tokenFactor of [1, 1.4, 2, 2.5]) {
    const options = { window: 4_000, counter: quarter, tokenFactor };
    const history = [...list, ...list, ...list] as Message[];
    const { report } = await createContext(options).prepare(history, { force: true });
    expect(report.action).toBe("compact");
    expect(report.tokens.after).toBeLessThan(report.usable);
  }
});

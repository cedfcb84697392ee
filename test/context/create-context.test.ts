import { describe, expect, it } from "vitest";
import type { Archive } from "../../src/archive/archive.ts";
import { memoryArchive } from "../../src/archive/index.ts";
import {
  type Context,
  type ContextOptions,
  createContext,
  type JournalRecord,
} from "../../src/context/index.ts";
import { ContextError } from "../../src/core/error.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { unframeSummary } from "../../src/core/summary/index.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";

const NOW = 1_700_000_000_000;

function create(options: ContextOptions = {}): Context {
  return createContext({ window: 32_000, counter: quarter, now: () => NOW, ...options });
}

/** A conversation that grows step by step, as an agent's does. */
function grow(steps: number, size: number, first = 0): Message[] {
  return Array.from({ length: steps }, (_, n) =>
    step(
      `c${first + n}`,
      "bash",
      { command: `run ${first + n}` },
      words(size, `output ${first + n}`),
    ),
  ).flat();
}

const start = [system("rules"), user("do the work, and never touch the API")];

/** An archive whose medium is full. */
function fullArchive(): Archive {
  return {
    ...memoryArchive(),
    put: () => Promise.reject(new ContextError("archive-failed", "No space left on the device.")),
  };
}

describe("prepare, while there is room", () => {
  it("returns the caller's own list", async () => {
    const history = [...start, ...grow(3, 100)];
    const { messages, report } = await create().prepare(history);
    expect(messages).toBe(history);
    expect(report).toMatchObject({ action: "none", usable: 16_000, failures: [], warnings: [] });
  });

  it("says that an unknown window is a guess", async () => {
    const context = createContext({ counter: quarter });
    const { report } = await context.prepare(start);
    expect(report.warnings).toEqual([expect.stringContaining("128000 tokens are assumed")]);
  });

  it("counts what the provider reported, and estimates what is newer", async () => {
    const reported: Message = {
      ...assistant("ok"),
      usage: { input: 9_000, output: 100, cacheRead: 500 },
    };
    const { report } = await create().prepare([...start, reported, user(words(100))]);
    expect(report.tokens.source).toBe("reported");
    expect(report.tokens.before).toBeGreaterThan(9_650);
    expect(report.tokens.before).toBeLessThan(10_200);
  });
});

describe("a history in another format", () => {
  const strange = [{ role: "user", content: "Go." }] as unknown as Message[];

  it.each(["prepare", "undo"] as const)(
    "is no use to %s, which says what to do",
    async (method) => {
      await expect(create()[method](strange)).rejects.toMatchObject({
        code: "invalid-message",
        message: expect.stringContaining("decode"),
      });
    },
  );

  it("harms nothing", async () => {
    const context = create();
    const history = [...start, ...grow(60, 400)];
    const before = await context.prepare(history);
    await expect(context.prepare(strange)).rejects.toThrow("no neutral message");
    const after = await context.prepare(history);
    expect(after.messages).toEqual(before.messages);
    expect(after.report.warnings).toEqual([]);
  });
});

describe("prepare, when the window is full", () => {
  it("keeps a long run below usable, step after step, with the full history every time", async () => {
    const context = create();
    const history = [...start];
    for (let n = 0; n < 120; n++) {
      history.push(...grow(1, 400, n));
      const { messages, report } = await context.prepare(history);
      expect(report.tokens.after).toBeLessThan(16_000);
      expect(checkMessages(messages)).toEqual([]);
      expect(messages.at(-1)).toBe(history.at(-1));
    }
    expect(context.journal().length).toBeGreaterThan(2);
  });

  it("does the same for callers that go on with the list they got", async () => {
    const full = create();
    const view = create();
    const history = [...start];
    let list: readonly Message[] = [...start];
    for (let n = 0; n < 60; n++) {
      const newer = grow(1, 400, n);
      history.push(...newer);
      const [a, b] = [await full.prepare(history), await view.prepare([...list, ...newer])];
      list = b.messages;
      expect(b.messages).toEqual(a.messages);
    }
  });

  it("has every original in the archive, byte for byte", async () => {
    const context = create();
    const history = [...start, ...grow(60, 400)];
    const { messages, report } = await context.prepare(history);
    const handles =
      JSON.stringify(messages).match(/\b(?:out|in|msg|parts|head)_[0-9a-f]{16}\b/g) ?? [];
    expect(handles.length).toBeGreaterThan(0);
    const recalled = await Promise.all(handles.map((handle) => context.recall(handle)));
    for (let n = 0; n < 60; n++) {
      const output = words(400, `output ${n}`);
      const isThere = JSON.stringify(messages).includes(output) || recalled.join().includes(output);
      expect(isThere, `output ${n}`).toBe(true);
    }
    expect(report.prune.length + (report.head?.messages ?? 0)).toBeGreaterThan(0);
  });

  it("summarizes into five sections that name the archived head", async () => {
    const { messages, report } = await create().prepare([...start, ...grow(60, 400)], {
      force: true,
    });
    const summary = messages.find((message) => message.kind === "summary");
    const framed = unframeSummary(messageText(summary!));
    expect(framed?.headHandle).toBe(report.head?.handle);
    expect(Object.keys(report.summary!.sections).slice(0, 5)).toEqual([
      "goal",
      "instructions",
      "discoveries",
      "accomplished",
      "relevantFiles",
    ]);
    expect(report.summary!.sections["instructions"]).toContain("never touch the API");
    expect(report.summary!.sections["accomplished"]).toContain("run 3");
  });

  it("carries the facts of round one through ten rounds, under the cap", async () => {
    const context = create();
    const history = [...start, ...grow(40, 400)];
    for (let round = 0; round < 10; round++) {
      history.push(...grow(40, 400, 40 * (round + 1)));
      const { messages, report } = await context.prepare(history, { force: true });
      const summary = messages.filter((message) => message.kind === "summary");
      expect(summary).toHaveLength(1);
      expect(report.summary!.tokens).toBeLessThan(0.2 * 16_000 + 200);
      expect(messageText(summary[0]!)).toContain("never touch the API");
    }
  });

  it("answers calls made at once one after the other", async () => {
    const context = create();
    const history = [...start, ...grow(60, 400)];
    const [first, second] = await Promise.all([context.prepare(history), context.prepare(history)]);
    expect(first.report.action).not.toBe("none");
    expect(second.report.action).toBe("none");
    expect(second.messages).toEqual(first.messages);
  });

  it("rejects with what fills the window when nothing can be removed", async () => {
    const context = create({ instructions: words(20_000) });
    await expect(context.prepare([...start, ...grow(2, 100)])).rejects.toMatchObject({
      code: "irreducible",
      message: expect.stringContaining("system prompt and tool schemas"),
    });
  });

  it("repairs an illegal history in the view and reports it; the original is untouched", async () => {
    const orphan: Message = {
      role: "assistant",
      parts: [{ type: "tool-call", toolCallId: "x", toolName: "bash", input: {} }],
    };
    const history = [...start, orphan, user("go on"), ...grow(60, 400)];
    const copy = JSON.stringify(history);
    const { messages, report } = await create().prepare(history);
    expect(checkMessages(messages)).toEqual([]);
    expect(report.warnings.join()).toContain("had no result");
    expect(JSON.stringify(history)).toBe(copy);
  });
});

it("archives what a repair leaves out, and names it in the report", async () => {
  const call = { type: "tool-call", toolCallId: "q", toolName: "bash", input: { command: "odd" } };
  const odd = { role: "user", parts: [{ type: "text", text: "x" }, call] } as Message;
  const context = create();
  const { report } = await context.prepare([...start, odd, ...grow(60, 400)]);
  const [handle] = /head_[0-9a-f]{16}/.exec(report.warnings.join("\n")) ?? [];
  expect(await context.recall(handle ?? "")).toContain("odd");
});

it("mends the leading system messages of every list the same way, also behind an edit", async () => {
  const call = { type: "tool-call", toolCallId: "q", toolName: "bash", input: { command: "odd" } };
  const rules = (text: string): Message =>
    ({ role: "system", parts: [{ type: "text", text }, call] }) as Message;
  const context = create();
  const history = [rules("be brief"), ...start, ...grow(60, 400)];
  const first = await context.prepare(history);
  const others = [rules("be kind"), ...history.slice(1)];
  for (const list of [history, structuredClone(history), others, history]) {
    const { messages, report } = await context.prepare(list);
    expect(report.action).toBe("none");
    expect(messages.slice(1)).toEqual(first.messages.slice(1));
    expect(checkMessages(messages)).toEqual([]);
  }
  // Where nothing is edited, nothing is mended either.
  const small = history.slice(0, 2);
  const { messages, report } = await create().prepare(small, { force: true });
  expect(report).toMatchObject({ action: "none", warnings: [] });
  expect(messages.map((message, at) => message === small[at])).toEqual([true, true]);
});

describe("after an edit", () => {
  it("measures the view anew, wherever the edit was", async () => {
    const context = create({ window: 128_000 });
    const small = Array.from({ length: 200 }, (_, n) => [user(`q${n}`), assistant(`a${n}`)]).flat();
    const history = [...small, ...grow(60, 2_000), ...small];
    const { report } = await context.prepare(history);
    expect(report.action).toBe("prune");
    const next = await context.prepare([...history, user("and now?")]);
    expect(next.report.action).toBe("none");
    expect(next.report.tokens.before).toBeLessThan(report.tokens.after + 100);
  });
});

describe("recover: T7, a provider that refuses", () => {
  const refusal = {
    status: 400,
    error: { message: "prompt is too long: 22886 tokens > 20000 maximum" },
  };
  const history = [...start, ...grow(30, 400)];

  it("compacts once, and learns the limit that the error names", async () => {
    const context = createContext({ counter: quarter, now: () => NOW });
    expect((await context.prepare(history)).report.action).toBe("none");
    const recovered = await context.recover(history, refusal);
    expect(recovered?.report).toMatchObject({ action: "compact", window: 20_000, usable: 10_000 });
    expect(recovered?.report.tokens.after).toBeLessThan(10_000);
    const next = await context.prepare([...history, ...grow(1, 10, 30)]);
    expect(next.report.window).toBe(20_000);
  });

  it("passes a second overflow in a row on", async () => {
    const context = create();
    await context.prepare(history);
    expect(await context.recover(history, refusal)).toBeDefined();
    expect(await context.recover(history, refusal)).toBeUndefined();
    await context.prepare([...history, ...grow(1, 10, 30)]);
    expect(await context.recover([...history, ...grow(20, 400, 30)], refusal)).toBeDefined();
  });

  it("compacts after a refusal without figures, and takes two of them for a smaller window", async () => {
    const context = create({ window: 200_000 });
    await context.prepare(history);
    const recovered = await context.recover(history, { status: 413 });
    expect(recovered?.report.window).toBeLessThan(20_000);
    const grown = [...history, ...grow(30, 400, 30)];
    expect((await context.prepare(grown)).report).toMatchObject({
      action: "none",
      window: 200_000,
    });
    await context.recover(grown, { status: 413 });
    const { report } = await context.prepare([...grown, ...grow(1, 10, 60)]);
    expect(report.window).toBeLessThan(20_000);
  });

  it("learns no limit below what the provider has accepted, or that no model has", async () => {
    const context = create({ window: 200_000 });
    await context.prepare(history);
    const answer = { ...assistant("done"), usage: { input: 12_500, output: 5 } };
    const answered = [...history, answer, user("and now?")];
    await context.prepare(answered);
    for (const limit of [12, 12_000]) {
      const error = new Error(`the maximum context length is ${limit} tokens`);
      await context.recover(answered, error);
      expect((await context.prepare(answered)).report.window).toBe(200_000);
    }
    await context.recover(answered, new Error("the maximum context length is 13000 tokens"));
    expect((await context.prepare(answered)).report.window).toBe(13_000);
  });

  it("keeps a limit that was named in the journal, for the same window only", async () => {
    const context = create({ window: 200_000 });
    await context.prepare(history);
    await context.recover(history, refusal);
    const journal = JSON.parse(JSON.stringify(context.journal())) as JournalRecord[];
    const next = [...history, user("and now?")];
    const again = await create({ window: 200_000, journal }).prepare(next);
    expect(again.report.window).toBe(20_000);
    const larger = await create({ window: 400_000, journal }).prepare(next);
    expect(larger.report.window).toBe(400_000);
  });

  it("has nothing to compact in an empty list", async () => {
    expect(await create().recover([], { status: 413 })).toBeUndefined();
  });

  it("compacts after an answer that had no room, and leaves every other answer alone", async () => {
    const context = create({ window: 200_000 });
    await context.prepare(history);
    const whole = { usage: { input: 12_000, output: 300 }, finish: "stop" };
    expect(await context.recover(history, whole)).toBeUndefined();
    await context.prepare(history);
    const empty = { usage: { input: 12_000, output: 0 }, finish: "length" };
    const recovered = await context.recover(history, empty);
    expect(recovered?.report).toMatchObject({ action: "compact", window: 12_000 });
  });

  it("leaves every other error alone", async () => {
    const context = create();
    await context.prepare(history);
    expect(await context.recover(history, new Error("rate limit reached"))).toBeUndefined();
    expect(context.journal()).toEqual([]);
  });
});

describe("the journal", () => {
  it("gives the same bytes for the same history in another process", async () => {
    const first = create();
    const history = [...start, ...grow(60, 400)];
    await first.prepare(history);
    history.push(...grow(30, 400, 60));
    await first.prepare(history);
    history.push(...grow(1, 10, 90));
    const expected = await first.prepare(history);
    const journal = JSON.parse(JSON.stringify(first.journal()));
    const reloaded = JSON.parse(JSON.stringify(history)) as Message[];
    const { messages, report } = await create({ journal }).prepare(reloaded);
    expect(report.action).toBe("none");
    expect(JSON.stringify(messages)).toBe(JSON.stringify(expected.messages));
  });

  it("gives the same bytes every time, so that the provider's cache keeps hitting", async () => {
    const run = async (): Promise<string> =>
      JSON.stringify((await create().prepare([...start, ...grow(60, 400)])).messages);
    expect(await run()).toBe(await run());
  });

  it("drops the edits that a rewound history no longer fits, and says so", async () => {
    const context = create();
    const history = [...start, ...grow(60, 400)];
    await context.prepare(history);
    const rewound = [...start, user("something else")];
    const { messages, report } = await context.prepare(rewound);
    expect(messages).toBe(rewound);
    expect(report.warnings.join()).toContain("1 earlier edits no longer apply");
  });

  it("records every edit with time, sizes and handles, and tells listeners", async () => {
    const context = create();
    const seen: string[] = [];
    context.on("edited", (record) => seen.push(record.plan.action));
    const stop = context.on("prepared", () => seen.push("prepared"));
    context.on("prepared", () => {
      throw new Error("a listener that fails");
    });
    await context.prepare([...start, ...grow(60, 400)]);
    stop();
    await context.prepare(start.slice(0, 1));
    expect(seen).toEqual(["prune", "prepared"]);
  });
});

describe("an archive that takes nothing", () => {
  it("refuses pruning, goes on, and says that the original was not kept", async () => {
    const context = create({ archive: fullArchive() });
    const failures: string[] = [];
    context.on("failed", (failure) => failures.push(failure.code));
    const { messages, report } = await context.prepare([...start, ...grow(60, 400)]);
    expect(report.action).toBe("compact");
    expect(report.prune).toEqual([]);
    expect(report.head?.handle).toBeUndefined();
    expect(report.failures).toEqual([
      { code: "archive-failed", message: expect.stringContaining("was not kept") },
    ]);
    expect(failures).toEqual(["archive-failed"]);
    expect(JSON.stringify(messages)).not.toMatch(/(?:out|in|msg|parts|head)_[0-9a-f]{16}/);
    expect(report.tokens.after).toBeLessThan(16_000);
    await expect(context.undo(messages)).rejects.toMatchObject({ code: "unknown-handle" });
    expect(context.journal()).toHaveLength(1);
  });
});

describe("a history that is no longer the one that was edited", () => {
  it("is measured anew: what was reported for the edited one does not count", async () => {
    const context = create();
    const history = [...start, ...grow(40, 1_000)];
    const { report: first } = await context.prepare(history, { force: true });
    expect(first.action).toBe("compact");
    const other = [user("something else"), ...history.slice(1)];
    const answer = { ...assistant("yes"), usage: { input: first.tokens.after, output: 10 } };
    const { report } = await context.prepare([...other, answer, user("go on")]);
    expect(report.warnings[0]).toMatch(/the history changed/);
    expect(report.tokens.before).toBeGreaterThan(30_000);
    expect(report.action).not.toBe("none");
  });
});

describe("a caller whose history begins with a returned list", () => {
  it("gets every later edit again, byte for byte", async () => {
    const context = create();
    const whole = [...start, ...grow(40, 1_000)];
    const { messages: returned, report: first } = await context.prepare(whole, { force: true });
    expect(first.action).toBe("compact");
    const history = [...returned, user("and now the rest")];
    const sent: (readonly Message[])[] = [];
    for (let step = 0; step < 40; step += 1) {
      history.push(...grow(1, 1_000, 100 + step));
      const { messages, report } = await context.prepare(history);
      expect(report.warnings).toEqual([]);
      sent.push(messages);
    }
    const edits = context.journal().length;
    expect(edits).toBeGreaterThan(2);
    expect(sent.at(-1)!.length).toBeLessThan(history.length);
    const { messages, report } = await context.prepare(history);
    expect(report.action).toBe("none");
    expect(messages).toEqual(sent.at(-1));
    expect(context.journal()).toHaveLength(edits);
    // Another history is another history.
    const other = await context.prepare([...start, ...grow(3, 100, 900)]);
    expect(other.report.warnings[0]).toMatch(/the history changed/);
  });
});

import { describe, expect, it } from "vitest";
import { type Archive, memoryArchive } from "../../src/archive/index.ts";
import { type Context, type ContextOptions, createContext } from "../../src/context/index.ts";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { anthropic } from "../../src/dialects/anthropic/anthropic.ts";
import type { AnthropicConversation } from "../../src/dialects/anthropic/wire.ts";
import { createNativeContext } from "../hooks/open-native-context.ts";
import type { SummaryRequest } from "../../src/models/summarizer.ts";
import { assistant, quarter, step, system, user, words } from "../build-messages.ts";
import { goodSummary } from "../good-summary.ts";

const NEWS = "and stop at noon, whatever happens";

function session(steps: number, first = 0): Message[] {
  const done = Array.from({ length: steps }, (_, n) => [
    assistant(words(500, `thought ${first + n}`)),
    ...step(`c${first + n}`, "bash", { command: `run ${first + n}` }, "done"),
  ]);
  return first > 0 ? done.flat() : [system("rules"), user("do the work"), ...done.flat()];
}

/** A context whose model answers when it is told to, and how often it was asked. */
function create(options: ContextOptions = {}): {
  readonly context: Context;
  readonly options: ContextOptions;
  readonly asked: () => number;
  /** Resolves when the model has been asked. */
  readonly begun: Promise<void>;
  release(): void;
} {
  let asked = 0;
  let begin = (): void => undefined;
  let release = (): void => undefined;
  const begun = new Promise<void>((resolve) => (begin = resolve));
  const released = new Promise<void>((resolve) => (release = resolve));
  const all = {
    window: 32_000,
    counter: quarter,
    async summarizer(request: SummaryRequest) {
      asked++;
      begin();
      await released;
      return goodSummary(request);
    },
    ...options,
  };
  return {
    context: createContext(all),
    options: all,
    asked: () => asked,
    begun,
    release: () => release(),
  };
}

/** As a message it is there once, and it is the very one; the record may quote it. */
function expectOnce(messages: readonly Message[], news: Message): void {
  const others = messages.filter(({ kind }) => kind !== "summary");
  const found = others.filter((one) => JSON.stringify(one.parts).includes("noon"));
  expect(found).toHaveLength(1);
  expect(found[0]).toBe(news);
  expect(checkMessages(messages)).toEqual([]);
}

describe("a message of the user that arrives while a compaction runs", () => {
  const news = user(NEWS);

  it("stands once behind what came back, for a caller that goes on from that", async () => {
    const { context, begun, release } = create();
    const list = session(40);
    const first = context.prepare(list);
    await begun;
    list.push(news);
    release();
    const { messages } = await first;
    expect(JSON.stringify(messages)).not.toContain("noon");
    const { messages: next, report } = await context.prepare([...messages, news]);
    expect(report.action).toBe("none");
    expectOnce(next, news);
    expect(next.at(-1)).toBe(news);
  });

  it("stands once for a caller that passes the whole history", async () => {
    const { context, begun, release } = create();
    const history = session(40);
    const first = context.prepare(history);
    await begun;
    history.push(news);
    const second = context.prepare(history);
    release();
    const { messages } = await first;
    const { messages: next, report } = await second;
    expect(report.action).toBe("none");
    expect(next.slice(0, messages.length)).toEqual(messages);
    expectOnce(next, news);
    expect(context.journal()).toHaveLength(1);
  });

  it("does not spoil a summary that is being prepared", async () => {
    const { context, asked, begun, release } = create();
    await context.prepare(session(27));
    await begun;
    release();
    await new Promise((resolve) => setTimeout(resolve, 0));
    const history = [...session(27), news, ...session(6, 27)];
    const { messages, report } = await context.prepare(history);
    expect(report.summary).toMatchObject({ ahead: "ready", waitedMs: 0 });
    expect(asked()).toBe(1);
    expectOnce(messages, news);
  });

  it("survives the next compaction word for word, in the list or in the summary", async () => {
    const { context, begun, release } = create();
    const history = session(40);
    const first = context.prepare(history);
    await begun;
    history.push(news);
    release();
    await first;
    history.push(...session(40, 40));
    const { messages, report } = await context.prepare(history);
    expect(report.action).toBe("compact");
    const stated = messages.map((message) => messageText(message)).join("\n");
    expect(stated).toContain(NEWS);
    expect(messages.filter((one) => messageText(one) === NEWS).length).toBeLessThanOrEqual(1);
  });

  it("stands once in the words of a provider", async () => {
    const { options, begun, release } = create();
    const native = createNativeContext(
      {
        dialect: anthropic,
        messagesOf: ({ messages }: AnthropicConversation) => messages,
        withMessages: (conversation: AnthropicConversation, messages) => ({
          ...conversation,
          messages,
        }),
      },
      options,
    );
    const given = anthropic.encode(session(40));
    const first = native.prepare(given);
    await begun;
    const longer = {
      ...given,
      messages: [
        ...given.messages,
        { role: "assistant", content: "One moment." } as const,
        { role: "user", content: NEWS } as const,
      ],
    };
    const second = native.prepare(longer);
    release();
    await first;
    const { conversation } = await second;
    expect(JSON.stringify(conversation).split("noon")).toHaveLength(2);
    expect(conversation.messages.at(-1)).toBe(longer.messages.at(-1));
    expect(anthropic.check(conversation, { asRequest: true })).toEqual([]);
  });
});

describe("a summary that is being prepared", () => {
  const soft = session(27);
  const full = session(33);

  it("is still there for the next call when the caller gives up waiting for it", async () => {
    const { context, asked, begun, release } = create();
    await context.prepare(soft);
    await begun;
    const abort = new AbortController();
    const first = context.prepare(full, { signal: abort.signal });
    setTimeout(() => abort.abort(new Error("the user pressed escape")), 5);
    await expect(first).rejects.toThrow("escape");
    expect(context.journal()).toEqual([]);
    release();
    const { report } = await context.prepare(full);
    expect(report).toMatchObject({ action: "compact", summary: { source: "model" } });
    expect(report.summary?.ahead).not.toBe("none");
    expect(report.discardedSummaries).toBe(0);
    expect(asked()).toBe(1);
  });

  it("keeps nobody who gave up before the waiting began", async () => {
    const abort = new AbortController();
    const { putPieces: _, ...archive } = memoryArchive();
    const slow: Archive = {
      ...archive,
      put(...given) {
        abort.abort(new Error("the user pressed escape"));
        return archive.put(...given);
      },
    };
    const { context, begun } = create({ archive: slow });
    await context.prepare(soft);
    await begun;
    // Nobody releases the model.
    await expect(context.prepare(full, { signal: abort.signal })).rejects.toThrow("escape");
  });

  it("is thrown away when a call wants other sections", async () => {
    const { context, asked, begun, release } = create();
    await context.prepare(soft);
    await begun;
    release();
    const sections = [{ id: "risks", heading: "Risks", purpose: "Open risks." }];
    const { report } = await context.prepare(full, { compactionTemplate: { sections } });
    expect(report).toMatchObject({ discardedSummaries: 1, summary: { ahead: "none" } });
    expect(report.summary?.calls[0]?.prompt.user).toContain("## Risks");
    expect(asked()).toBe(2);
  });
});

describe("an edit while another one runs", () => {
  it("waits for it, and finds nothing left to do", async () => {
    const { context, asked, begun, release } = create();
    const history = session(40);
    const first = context.prepare(history);
    await begun;
    const second = context.prepare(history);
    release();
    expect((await first).report.action).toBe("compact");
    expect((await second).report.action).toBe("none");
    expect(asked()).toBe(1);
    expect(context.journal()).toHaveLength(1);
  });
});

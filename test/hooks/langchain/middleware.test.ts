import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  mapChatMessagesToStoredMessages,
  mapStoredMessagesToChatMessages,
  RemoveMessage,
  ToolMessage,
} from "@langchain/core/messages";
import { Command } from "@langchain/langgraph";
import { type AgentMiddleware, createAgent, FakeToolCallingModel, tool } from "langchain";
import { describe, expect, it, onTestFinished } from "vitest";
import { directoryArchive } from "../../../src/archive/directory.ts";
import { langchainContext } from "../../../src/hooks/langchain/index.ts";
import { harness, history, step, words } from "./requests.ts";

const LONG = words(9_000);

/** What a checkpointer gives back: other objects that say the same. */
function restored(messages: readonly BaseMessage[]): BaseMessage[] {
  return mapStoredMessagesToChatMessages(mapChatMessagesToStoredMessages([...messages]));
}

function overflow(limit: number): Error {
  return Object.assign(new Error(`prompt is too long: ${limit + 9} tokens > ${limit} maximum`), {
    status: 400,
  });
}

describe("a request with nothing to do", () => {
  it("is the very request", async () => {
    const { ask, reports } = harness();
    const messages = history(3);
    const { sent } = await ask({ messages });
    expect(sent).toHaveLength(1);
    expect(sent[0]!.messages).toBe(messages);
    expect(reports).toMatchObject([{ action: "none" }]);
  });
});

describe("a long tool output", () => {
  it("is truncated in what is sent, once, and whole in the state", async () => {
    const { ask, contexts } = harness();
    const messages = [...history(1), ...step("long", LONG)];
    const { sent: first } = await ask({ messages });
    const cut = first[0]!.messages.at(-1) as ToolMessage;
    expect(cut).toBeInstanceOf(ToolMessage);
    expect([cut.id, cut.tool_call_id]).toEqual(["tool-long", "long"]);
    expect(cut.text.length).toBeLessThan(52_000);
    expect(messages.at(-1)!.content).toBe(LONG);
    const longer = [...messages, new AIMessage({ id: "a", content: "so" }), new HumanMessage("on")];
    const { sent: second } = await ask({ messages: longer });
    expect(second[0]!.messages[messages.length - 1]).toBe(cut);
    expect(contexts).toHaveLength(1);
    const [entry] = await contexts[0]!.context.archive.list();
    expect(await contexts[0]!.context.recall(entry!.handle)).toBe(LONG);
  });

  it("says the same after a checkpoint", async () => {
    const { ask } = harness();
    const messages = [...history(1), ...step("long", LONG)];
    const { sent: before } = await ask({ messages });
    const { sent: after } = await ask({ messages: restored(messages) });
    expect(after[0]!.messages.map(({ content }) => content)).toEqual(
      before[0]!.messages.map(({ content }) => content),
    );
  });
});

describe("a full window", () => {
  it("is compacted for the request, and stays so while the state grows", async () => {
    const { ask, reports } = harness();
    const messages = history(80);
    const { sent } = await ask({ messages });
    expect(reports.at(-1)!.action).not.toBe("none");
    expect(sent[0]!.messages.length).toBeLessThan(messages.length);
    const more = [...messages, ...step("more", "x")];
    const { sent: next } = await ask({ messages: more });
    expect(reports.at(-1)!.action).toBe("none");
    const kept = sent[0]!.messages.map(({ content }) => content);
    expect(next[0]!.messages.map(({ content }) => content).slice(0, kept.length)).toEqual(kept);
  });

  it("counts what was reported for its own requests, and for no other", async () => {
    const { ask, reports } = harness();
    const reported = (id: string): AIMessage =>
      new AIMessage({
        id,
        content: "so",
        usage_metadata: { input_tokens: 9_000, output_tokens: 5, total_tokens: 9_005 },
      });
    const messages = [...history(2), reported("foreign")];
    await ask({ messages });
    await ask({ messages, handler: () => reported("own") });
    expect(reports.map(({ tokens }) => tokens.source)).toEqual(["estimated", "estimated"]);
    const next = [...messages, reported("own"), new HumanMessage("on")];
    await ask({ messages: restored(next) });
    expect(reports.at(-1)!.tokens).toMatchObject({ source: "reported" });
    expect(reports.at(-1)!.tokens.before).toBeGreaterThan(9_000);
  });
});

describe("a refused request", () => {
  it("is sent once more, compacted, and the limit is learned", async () => {
    const { ask, reports } = harness({ window: 200_000 });
    const messages = history(80);
    let tries = 0;
    const { sent, answer } = await ask({
      messages,
      handler() {
        tries += 1;
        if (tries === 1) throw overflow(16_000);
        return new AIMessage("done");
      },
    });
    expect(answer.text).toBe("done");
    expect(sent.map((one) => one.messages.length)).toEqual([161, expect.any(Number)]);
    expect(sent[1]!.messages.length).toBeLessThan(161);
    expect(reports.at(-1)!.window).toBe(16_000);
  });

  it("or one that had no room for an answer is, too", async () => {
    const { ask, reports } = harness({ window: 200_000 });
    const usage = { input_tokens: 30_000, output_tokens: 0, total_tokens: 30_000 };
    const empty = new AIMessage({
      content: "",
      usage_metadata: usage,
      response_metadata: { finish_reason: "length" },
    });
    const answers = [empty, new AIMessage("done")];
    const { sent, answer } = await ask({
      messages: history(80),
      handler: () => answers.shift() ?? empty,
    });
    expect(answer.text).toBe("done");
    expect(sent).toHaveLength(2);
    expect(reports.at(-1)!.window).toBe(30_000);
  });

  it("is refused in the end, with the provider's own error", async () => {
    const { ask } = harness({ window: 200_000 });
    const error = overflow(16_000);
    let tries = 0;
    const asked = ask({
      messages: history(80),
      handler() {
        tries += 1;
        throw error;
      },
    });
    await expect(asked).rejects.toBe(error);
    expect(tries).toBe(2);
  });

  it("for another reason is not sent again", async () => {
    const error = new Error("401 who are you?");
    let tries = 0;
    const asked = harness().ask({
      messages: history(2),
      handler() {
        tries += 1;
        throw error;
      },
    });
    await expect(asked).rejects.toBe(error);
    expect(tries).toBe(1);
  });
});

describe("conversations", () => {
  it("are apart: threads, and what sub-agents say in the thread of their caller", async () => {
    const { ask, contexts, middleware } = harness();
    await ask({ messages: history(80, "h1"), thread: "t1" });
    await ask({ messages: history(80, "h2"), thread: "t2" });
    await ask({ messages: history(80, "sub"), thread: "t1" });
    await ask({ messages: history(81, "h1"), thread: "t1" });
    expect(contexts.map(({ id }) => id)).toEqual(["t1/h1", "t2/h2", "t1/sub"]);
    const search = middleware.tools.find(({ name }) => name === "search_archive")!;
    const find = (thread: string, first: string, pattern: string): Promise<string> =>
      search.invoke(
        { name: "search_archive", args: { pattern }, id: "c", type: "tool_call" },
        { configurable: { thread_id: thread }, state: { messages: history(1, first) } },
      );
    expect(await find("t1", "h1", "wordh1x3x")).toContain("wordh1x3x");
    expect(await find("t1", "h1", "wordh2x3x")).not.toContain("wordh2x3x0");
    expect(await find("t2", "h2", "wordh2x3x")).toContain("wordh2x3x0");
    expect(await find("t1", "h1", "wordsubx3x")).not.toContain("wordsubx3x0");
  });

  it("give way when there are too many, the oldest first", async () => {
    const { ask, contexts } = harness({ window: 32_000, maxConversations: 2 });
    for (const thread of ["a", "b", "a", "c", "a", "b"]) {
      await ask({ messages: history(1, thread), thread });
    }
    expect(contexts.map(({ id }) => id)).toEqual(["a/a", "b/b", "c/c", "b/b"]);
  });

  it("go on in another process with the same view, where the archive is a directory", async () => {
    const folder = await mkdtemp(path.join(tmpdir(), "longhaul-test-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));
    const options = { window: 32_000, archive: directoryArchive(folder) };
    const messages = history(80);
    const one = await harness(options).ask({ messages, thread: "t1" });
    const other = await harness(options).ask({ messages: restored(messages), thread: "t1" });
    expect(JSON.stringify(other.sent[0]!.messages)).toBe(JSON.stringify(one.sent[0]!.messages));
  });
});

describe("what the provider manages itself", () => {
  const edits = [{ type: "clear_tool_uses_20250919" }];
  it.each([
    [{ model: { contextManagement: { edits } } }, "model.contextManagement"],
    [{ modelSettings: { previous_response_id: "r" } }, "modelSettings.previous_response_id"],
    [{ model: { modelKwargs: { truncation: "auto" } } }, "model.modelKwargs.truncation"],
    [{ model: { bound: { contextManagement: { edits } } } }, "model.contextManagement"],
  ])("is left as it is (%j), which is said once", async (fields, by) => {
    const { ask, failures } = harness();
    const messages = history(120);
    for (const _ of [1, 2]) {
      const { sent } = await ask({ messages, ...fields });
      expect(sent[0]!.messages).toBe(messages);
    }
    expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
    expect(failures[0]!.message).toContain(`(${by})`);
  });

  it("is seen by the block that it left, too", async () => {
    const { ask, failures } = harness();
    const block = { type: "compaction", content: "…" };
    const messages = [...history(120), new AIMessage({ content: [block] as never })];
    const { sent } = await ask({ messages });
    expect(sent[0]!.messages).toBe(messages);
    expect(failures).toMatchObject([{ code: "managed-elsewhere" }]);
  });

  it("is recognised by settings that do something only", async () => {
    const { ask, failures } = harness();
    const thinking = { edits: [{ type: "clear_thinking_20251015" }] };
    await ask({ messages: history(80), model: { contextManagement: thinking } });
    expect(failures).toEqual([]);
  });
});

describe("the window", () => {
  it.each([
    [{ profile: { maxInputTokens: 50_000 } }, 50_000],
    [{ profile: {}, model: "claude-opus-4-1" }, 200_000],
    [{ modelName: "gpt-4o" }, 128_000],
    [{ bound: { profile: { maxInputTokens: 40_000 } } }, 40_000],
    [{ _defaultConfig: { model: "claude-opus-4-1" } }, 200_000],
  ])("is that of the model: %j", async (model, window) => {
    const { ask, reports } = harness({});
    await ask({ messages: history(1), model });
    expect(reports[0]!.window).toBe(window);
  });
});

describe("the agent's own tools", () => {
  it("win over ours of the same name", async () => {
    const { ask, middleware } = harness();
    const own = { name: "recall", description: "mine", schema: { type: "object" } };
    const { sent } = await ask({ messages: history(1), tools: [own, ...middleware.tools] });
    expect(sent[0]!.tools).toEqual([own, middleware.tools[1]]);
  });

  const boom = tool(
    () => {
      throw new Error("no such day");
    },
    { name: "boom", description: "b", schema: { type: "object", properties: {} } },
  );
  const run = async (
    middleware: readonly AgentMiddleware[],
    tools: (typeof boom)[] = [boom],
  ): Promise<string[]> => {
    const toolCalls = [[{ name: "boom", args: {}, id: "c1" }], []];
    const model = new FakeToolCallingModel({ toolCalls });
    const agent = createAgent({ model, tools, middleware: [...middleware] });
    const { messages } = await agent.invoke({ messages: [new HumanMessage("go")] });
    return messages.map(({ type, text }) => `${type}: ${text}`);
  };

  it("still answer with their errors when they throw", async () => {
    const said = await run([langchainContext({ window: 32_000 }).middleware]);
    expect(said[2]).toMatch(/^tool: Error: no such day/);
    expect(said).toEqual(await run([]));
  });

  it("answer with their errors when their outputs are truncated, too", async () => {
    const context = langchainContext({ window: 32_000 });
    const said = await run([context.middleware], context.tools([boom]));
    expect(said).toEqual(await run([]));
  });
});

describe("tools with outputs that are truncated", () => {
  const context = langchainContext({ window: 32_000 });
  const call = { name: "read", args: { path: "a.ts" }, id: "c", type: "tool_call" as const };
  const answering = (output: unknown) => {
    const own = { name: "read", schema: { type: "object" }, invoke: async (_: object) => output };
    return context.tools([own])[0];
  };

  it("are the agent's own, with less to say", async () => {
    const read = tool(() => LONG, {
      name: "read",
      description: "r",
      schema: { type: "object", properties: {} },
    });
    const [cut] = context.tools([read]);
    expect(cut).toBeInstanceOf(read.constructor);
    const message: ToolMessage = await cut.invoke(call);
    expect(message).toBeInstanceOf(ToolMessage);
    expect(message.text.length).toBeLessThan(52_000);
    expect((await cut.invoke({})).length).toBeLessThan(52_000);
    expect(await read.invoke({})).toBe(LONG);
  });

  it("keep what is small as it is", async () => {
    const small = new ToolMessage({ content: "x", tool_call_id: "c" });
    expect(await answering(small).invoke(call)).toBe(small);
  });

  it("cut the messages of a command, and nothing else in it", async () => {
    const messages = [
      new ToolMessage({ content: LONG, tool_call_id: "c" }),
      new HumanMessage(LONG),
    ];
    const whole = new Command({ update: { messages, files: { a: 1 } }, goto: "model" });
    const cut = (await answering(whole).invoke(call)) as Command;
    expect(cut).toBeInstanceOf(Command);
    const update = cut.update as { messages: BaseMessage[]; files: unknown };
    expect([cut.goto, update.files]).toEqual([["model"], { a: 1 }]);
    expect(update.messages[0]!.text.length).toBeLessThan(52_000);
    expect(update.messages[1]).toBe(messages[1]);
    const other = new Command({ goto: "model" });
    expect(await answering(other).invoke(call)).toBe(other);
  });
});

describe("a graph of one's own", () => {
  const model = (said: unknown[]) => ({
    invoke: async (messages: never) => {
      said.push(messages);
      return new AIMessage("ok");
    },
  });

  it("is one conversation, whatever its thread", async () => {
    const contexts: string[] = [];
    const context = langchainContext({
      window: 32_000,
      onConversation: (_, id) => void contexts.push(id),
    });
    const config = { configurable: { thread_id: "t1" } };
    await context.invoke(model([]), history(80), config);
    expect(contexts).toEqual([]);
    expect(context.journal()).toHaveLength(1);
  });

  it("has those that conversationOf tells", async () => {
    const contexts: string[] = [];
    const context = langchainContext({
      window: 32_000,
      conversationOf: ({ config }) => config?.configurable?.thread_id as string,
      onConversation: (_, id) => void contexts.push(id),
    });
    for (const id of ["a", "b", "a"]) {
      await context.invoke(model([]), history(80, id), { configurable: { thread_id: id } });
    }
    expect(contexts).toEqual(["a", "b"]);
    expect(context.journal()).toEqual([]);
  });
});

describe("what goes wrong", () => {
  it("in the options is said at once", () => {
    expect(() => langchainContext({ window: -1 })).toThrow(/window/);
    expect(() => langchainContext({ maxConversations: 0 })).toThrow(/maxConversations/);
  });

  it("in the work is told, and the request goes on as it was", async () => {
    const { ask, failures } = harness();
    const messages = [...history(1), new RemoveMessage({ id: "h1" })];
    const { sent } = await ask({ messages });
    expect(sent[0]!.messages).toBe(messages);
    expect(failures).toMatchObject([{ code: "invalid-message" }]);
  });

  it("by the caller's wish rejects with it", async () => {
    const reason = new Error("enough");
    const asked = harness().ask({ messages: history(80), signal: AbortSignal.abort(reason) });
    await expect(asked).rejects.toBe(reason);
  });
});

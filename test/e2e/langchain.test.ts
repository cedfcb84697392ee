import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, type BaseMessage, HumanMessage, SystemMessage } from "@langchain/core/messages";
import type { BaseChatModel } from "@langchain/core/language_models/chat_models";
import { MemorySaver, MessagesAnnotation, StateGraph } from "@langchain/langgraph";
import { ToolNode } from "@langchain/langgraph/prebuilt";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { langchainContext, type LangChainContextOptions } from "../../src/hooks/langchain/index.ts";
import { STEPS } from "./agent-script.ts";
import { ChatCompletionsModel } from "./chat-completions-model.ts";
import { expectFinished, type WatchedAgent, watchedAgent } from "./watched-agent.ts";
import { runs, sample } from "../property/runs.ts";

const WINDOW = 32_000;
const MINUTES = 5 * 60_000;

interface Started extends WatchedAgent {
  readonly options: LangChainContextOptions;
}

async function start(steps: number, window = WINDOW): Promise<Started> {
  const watched = await watchedAgent(steps, { window });
  return { ...watched, options: { window: WINDOW, onConversation: watched.watch } };
}

function anthropicModel({ server }: Started, fields: object = {}): ChatAnthropic {
  return new ChatAnthropic({
    model: "claude-opus-5-5",
    apiKey: "key",
    anthropicApiUrl: server.url,
    maxRetries: 0,
    // The reserve follows it: half of the window, so that six compactions come in 40 steps. With little
    // of it the second one comes with the last steps, or not, by the length of the ids that are drawn.
    maxTokens: WINDOW / 2,
    ...fields,
  });
}

function chatModel({ server }: Started): ChatCompletionsModel {
  return new ChatCompletionsModel({ url: server.url, maxRetries: 0 });
}

function toolsOf({ agent }: Started) {
  return agent.tools.map(({ name, description, parameters, run }) =>
    tool((input: unknown) => run(input), { name, description, schema: parameters }),
  );
}

interface Ran {
  readonly answer: string;
  readonly messages: readonly BaseMessage[];
}

interface Run extends Started {
  readonly model: BaseChatModel;
  readonly middleware?: readonly ReturnType<typeof langchainContext>["middleware"][];
  readonly stream?: boolean;
  readonly threadId?: string;
}

/** An agent of LangChain's, turn by turn; without a thread its history is passed along. */
async function runAgent(run: Run): Promise<Ran> {
  const { agent, model, middleware = [langchainContext(run.options).middleware] } = run;
  const graph = createAgent({
    model,
    tools: toolsOf(run),
    systemPrompt: agent.system,
    middleware: [...middleware],
    ...(run.threadId !== undefined && { checkpointer: new MemorySaver() }),
  });
  const config = {
    recursionLimit: 2_000,
    ...(run.threadId !== undefined && { configurable: { thread_id: run.threadId } }),
  };
  let messages: BaseMessage[] = [];
  for (const turn of agent.turns) {
    const before = run.threadId === undefined ? messages : [];
    const input = { messages: [...before, new HumanMessage(turn)] };
    if (run.stream !== true) {
      ({ messages } = await graph.invoke(input, config as object));
      continue;
    }
    const modes = { ...config, streamMode: ["values", "messages"] };
    const chunks: AsyncIterable<unknown> = await graph.stream(input, modes as object);
    for await (const [mode, chunk] of chunks as AsyncIterable<[string, { messages: never }]>) {
      if (mode === "values") ({ messages } = chunk);
    }
  }
  return { answer: messages.at(-1)?.text ?? "", messages };
}

describe("a long task in a window of 32k", () => {
  const models = { "Anthropic Messages": anthropicModel, "Chat Completions": chatModel };
  const cases = Object.entries(models).flatMap(([name, model]) =>
    [false, true].map((stream) => ({ name, model, stream })),
  );

  it.each(sample(cases, 1))(
    "finishes over $name (streamed: $stream)",
    { timeout: MINUTES },
    async ({ model, stream }) => {
      const started = await start(STEPS);
      const { answer, messages } = await runAgent({ ...started, model: model(started), stream });
      expectFinished(started, answer);
      // The state keeps the whole history: only what is sent was edited.
      expect(messages.length).toBeGreaterThan(2.3 * STEPS);
      const longest = Math.max(...messages.map(({ text }) => text.length));
      expect(longest).toBeGreaterThan(50_000);
    },
  );

  it("finishes in a thread of a checkpointer", { timeout: MINUTES }, async () => {
    const started = await start(runs(24, 60));
    const model = anthropicModel(started);
    const { answer } = await runAgent({ ...started, model, threadId: "t-1", stream: true });
    expectFinished(started, answer);
  });

  const thinking = [
    { model: "claude-opus-5-5", thinking: { type: "adaptive" } },
    { model: "claude-next", thinking: { type: "enabled", budget_tokens: 1_024 } },
  ];

  it.each(sample(thinking, 1))(
    "finishes with thinking on, which is bound to what stands before it ($model)",
    { timeout: MINUTES },
    async (fields) => {
      const started = await start(runs(24, 60));
      const { answer } = await runAgent({ ...started, model: anthropicModel(started, fields) });
      expectFinished(started, answer);
      const { messages } = started.server.requests.at(-1)!.view!;
      expect(messages.filter(({ reasoning }) => reasoning !== "").length).toBeGreaterThan(0);
    },
  );

  it.each(sample(Object.entries(models), 1))(
    "fails over %s without Longhaul",
    async (_name, model) => {
      const started = await start(STEPS);
      const run = runAgent({ ...started, model: model(started), middleware: [] });
      await expect(run).rejects.toThrow(/prompt is too long|maximum context length/);
      expect(started.server.rejected).toBe(1);
    },
  );
});

describe("a graph of one's own", () => {
  it(
    "finishes with a node that invokes its model through a context",
    { timeout: MINUTES },
    async () => {
      const started = await start(runs(24, 60));
      const { agent } = started;
      const context = langchainContext({ window: WINDOW });
      started.watch(context);
      const tools = [...toolsOf(started), ...context.recallTools] as ReturnType<typeof toolsOf>;
      const model = anthropicModel(started).bindTools(tools);
      const graph = new StateGraph(MessagesAnnotation)
        .addNode("model", async ({ messages }) => ({
          messages: [await context.invoke(model, [new SystemMessage(agent.system), ...messages])],
        }))
        .addNode("tools", new ToolNode(tools))
        .addEdge("__start__", "model")
        .addEdge("tools", "model")
        .addConditionalEdges("model", ({ messages }) => {
          const { tool_calls: calls } = messages.at(-1) as { tool_calls?: unknown[] };
          return calls === undefined || calls.length === 0 ? "__end__" : "tools";
        })
        .compile();
      let messages: BaseMessage[] = [];
      for (const turn of agent.turns) {
        const input = { messages: [...messages, new HumanMessage(turn)] };
        ({ messages } = await graph.invoke(input, { recursionLimit: 2_000 }));
      }
      expectFinished(started, messages.at(-1)!.text);
    },
  );
});

describe("an overflow that nobody foresaw", () => {
  it("is recovered from in a node", async () => {
    const started = await start(runs(16, 30), 16_000);
    const context = langchainContext({ window: 200_000 });
    const history = Array.from({ length: 40 }, (_, n) => [
      new AIMessage(`thought ${n}: ${"the log says that all is well. ".repeat(80)}`),
      new HumanMessage(`go on ${n}`),
    ]).flat();
    const question = [new HumanMessage("Read the log."), ...history];
    await context.invoke(anthropicModel(started), question);
    const outcomes = started.server.requests.map(({ outcome }) => outcome);
    expect(outcomes).toEqual(["overflow", "answered"]);
  });

  it.each(sample([false, true], 1))(
    "is recovered from (streamed: %s)",
    { timeout: MINUTES },
    async (stream) => {
      const started = await start(runs(16, 30), 16_000);
      const { server, options } = started;
      // Other middleware around and inside of ours.
      const middleware = ["Outer", "Inner"].map((name) =>
        createMiddleware({ name, wrapModelCall: (request, handler) => handler(request) }),
      );
      middleware.splice(1, 0, langchainContext({ ...options, window: 200_000 }).middleware);
      const { answer } = await runAgent({
        ...started,
        model: anthropicModel(started),
        middleware: middleware as never,
        stream,
      });
      expect(started.agent.knows(answer)).toBe(true);
      const outcomes = server.requests.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "overflow")).toHaveLength(1);
      expect(outcomes).not.toContain("refused");
    },
  );
});

describe("thinking in a view that is forgotten", () => {
  it("is left out when the provider refuses it", { timeout: MINUTES }, async () => {
    const started = await start(runs(16, 60), 200_000);
    const model = anthropicModel(started, { thinking: { type: "adaptive" } });
    // Each turn runs in a process of its own, and only the first has a small window.
    const windows = [16_000, 200_000, 200_000];
    let longhaulNow = langchainContext({ window: 16_000 }).middleware;
    const middleware = createMiddleware({
      name: "Processes",
      beforeAgent: () =>
        void (longhaulNow = langchainContext({ window: windows.shift()! }).middleware),
      wrapModelCall: (request, handler) => longhaulNow.wrapModelCall(request, handler),
    });
    await runAgent({ ...started, model, middleware: [middleware as never] });
    const outcomes = started.server.requests.map(({ outcome }) => outcome);
    expect(outcomes.filter((outcome) => outcome === "refused").length).toBeGreaterThan(0);
    expect(outcomes.at(-1)).toBe("answered");
  });
});

import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent, type AgentConfig } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { MockMemory } from "@mastra/core/memory";
import { createTool } from "@mastra/core/tools";
import { jsonSchema } from "ai";
import { describe, expect, it } from "vitest";
import { mastraContext, type MastraContextOptions } from "../../src/hooks/mastra/index.ts";
import type { Upstream } from "../provider/index.ts";
import { STEPS } from "./agent-script.ts";
import { expectFinished, type WatchedAgent, watchedAgent } from "./watched-agent.ts";
import { runs, sample } from "../property/runs.ts";

const WINDOW = 32_000;
const MINUTES = 5 * 60_000;
process.env["MASTRA_TELEMETRY_DISABLED"] = "1";

interface Started extends WatchedAgent {
  readonly options: MastraContextOptions;
}

async function start(steps: number, window = WINDOW): Promise<Started> {
  const watched = await watchedAgent(steps, { window });
  return { ...watched, options: { window: WINDOW, onConversation: watched.watch } };
}

type Model = AgentConfig["model"];

function anthropicOf({ url }: Upstream): ReturnType<typeof createAnthropic> {
  return createAnthropic({ apiKey: "key", baseURL: `${url}/v1` });
}

const models: Readonly<Record<string, (server: Upstream) => Model>> = {
  "Anthropic Messages": (server) => anthropicOf(server)("claude-opus-5-5"),
  "Chat Completions": ({ url }) =>
    createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).chat("scripted"),
};

function toolsOf({ agent }: Started): NonNullable<AgentConfig["tools"]> {
  const tools = agent.tools.map(({ name, description, parameters, run }) => [
    name,
    createTool({
      id: name,
      description,
      inputSchema: jsonSchema(parameters) as never,
      execute: (input: unknown) => run(input),
    }),
  ]);
  return Object.fromEntries(tools) as never;
}

type Wiring = Pick<AgentConfig, "inputProcessors" | "tools">;

interface Run extends Started {
  readonly model: Model;
  readonly wiring?: Wiring;
  readonly stream?: boolean;
  /** Options of every call. */
  readonly call?: object;
  readonly memory?: MockMemory;
}

/** An agent of Mastra's, turn by turn; without a memory its history is passed along. */
async function runAgent(run: Run): Promise<string> {
  const longhaul = mastraContext(run.options).processor;
  const { wiring = { inputProcessors: [longhaul] } } = run;
  const agent = new Agent({
    id: "worker",
    name: "worker",
    instructions: run.agent.system,
    model: run.model,
    tools: toolsOf(run),
    ...(run.memory !== undefined && { memory: run.memory }),
    ...wiring,
  });
  agent.__setLogger(noopLogger);
  const thread = { memory: { thread: "t-1", resource: "user-1" } };
  const options = {
    maxSteps: 1_000,
    modelSettings: { maxRetries: 0 },
    ...(run.memory !== undefined && thread),
    ...run.call,
  };
  let messages: readonly unknown[] = [];
  let answer = "";
  for (const content of run.agent.turns) {
    const before = run.memory === undefined ? messages : [];
    const input = [...before, { role: "user", content }] as never;
    const result = run.stream
      ? await (await agent.stream(input, options as object)).getFullOutput()
      : await agent.generate(input, options as object);
    if (result.error) throw result.error;
    ({ text: answer, messages } = result);
  }
  return answer;
}

describe("a long task in a window of 32k", () => {
  const cases = Object.entries(models).flatMap(([name, model]) =>
    [false, true].map((stream) => ({ name, model, stream })),
  );

  it.each(sample(cases, 1))(
    "finishes over $name (streamed: $stream)",
    { timeout: MINUTES },
    async ({ model, stream }) => {
      const started = await start(STEPS);
      const answer = await runAgent({ ...started, model: model(started.server), stream });
      expectFinished(started, answer);
    },
  );

  it("finishes in a thread of a memory, which keeps all of it", { timeout: MINUTES }, async () => {
    const started = await start(runs(24, 60));
    const memory = new MockMemory({ options: { lastMessages: 10_000 } });
    const model = models["Anthropic Messages"]!(started.server);
    expectFinished(started, await runAgent({ ...started, model, memory, stream: true }));
    const { messages } = await memory.recall({ threadId: "t-1", perPage: false });
    expect(JSON.stringify(messages).length).toBeGreaterThan(200_000);
    expect(JSON.stringify(messages)).not.toContain("prior-conversation-summary");
  });

  // With a budget for thinking, Mastra 1.71 loses that of parallel calls by itself.
  it("finishes with thinking on", { timeout: MINUTES }, async () => {
    const started = await start(runs(24, 60));
    const model = models["Anthropic Messages"]!(started.server);
    const call = { providerOptions: { anthropic: { thinking: { type: "adaptive" } } } };
    expectFinished(started, await runAgent({ ...started, model, call }));
  });

  it.each(sample(Object.entries(models), 1))(
    "fails over %s without Longhaul",
    async (_name, model) => {
      const started = await start(STEPS);
      const run = runAgent({ ...started, model: model(started.server), wiring: {} });
      await expect(run).rejects.toThrow(/prompt is too long|maximum context length/);
    },
  );
});

describe("a request that is refused", () => {
  it.each(sample([false, true], 1))(
    "as too long is sent again, compacted (streamed: %s)",
    { timeout: MINUTES },
    async (stream) => {
      const started = await start(runs(16, 30), 16_000);
      const options = { ...started.options, window: 200_000 };
      const model = models["Anthropic Messages"]!(started.server);
      const memory = new MockMemory({ options: { lastMessages: 10_000 } });
      const answer = await runAgent({ ...started, options, model, memory, stream });
      expect(started.agent.knows(answer)).toBe(true);
      const outcomes = started.server.requests.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "overflow")).toHaveLength(1);
      expect(outcomes).not.toContain("refused");
    },
  );

  it(
    "for thinking in a view that is forgotten goes on without that thinking",
    { timeout: MINUTES },
    async () => {
      const started = await start(runs(16, 60), 200_000);
      const model = models["Anthropic Messages"]!(started.server);
      // Without a memory no run knows another, and only the first has a small window.
      const windows = [16_000, 200_000, 200_000];
      let longhaul = mastraContext({ window: 16_000 }).processor;
      const delegate = {
        id: "delegate",
        processInput({ messages }: { readonly messages: never[] }) {
          longhaul = mastraContext({ ...started.options, window: windows.shift()! }).processor;
          return messages;
        },
        processInputStep: (args: never) => longhaul.processInputStep(args),
        processLLMRequest: (args: never) => longhaul.processLLMRequest(args),
      };
      const wiring = { inputProcessors: [delegate] } as unknown as Wiring;
      await runAgent({ ...started, model, wiring });
      const outcomes = started.server.requests.map(({ outcome }) => outcome);
      expect(outcomes.filter((outcome) => outcome === "refused").length).toBeGreaterThan(0);
      expect(outcomes.at(-1)).toBe("answered");
    },
  );
});

describe("tools of a thread", () => {
  it("are truncated before the memory keeps what they say", async () => {
    const started = await start(8);
    const { processor, tools } = mastraContext(started.options);
    const memory = new MockMemory({ options: { lastMessages: 10_000 } });
    const model = models["Anthropic Messages"]!(started.server);
    const wiring = { inputProcessors: [processor], tools: tools(toolsOf(started) as object) };
    await runAgent({ ...started, model, memory, wiring: wiring as Wiring });
    const { messages } = await memory.recall({ threadId: "t-1", perPage: false });
    const results = messages.flatMap(({ content }) =>
      content.parts.flatMap((part) =>
        part.type === "tool-invocation" && part.toolInvocation.state === "result"
          ? [part.toolInvocation.result as string]
          : [],
      ),
    );
    expect(results.length).toBeGreaterThan(7);
    expect(Math.max(...results.map(({ length }) => length))).toBeLessThan(52_000);
    expect(started.failures).toEqual([]);
  });
});

describe("what the provider manages", () => {
  it("is left to it, and that is said", async () => {
    const started = await start(3);
    const { server, failures } = started;
    const edits = [{ type: "clear_tool_uses_20250919" }];
    const call = { providerOptions: { anthropic: { contextManagement: { edits } } } };
    await runAgent({ ...started, model: models["Anthropic Messages"]!(server), call });
    expect(failures.map(({ code }) => code)).toEqual([
      "managed-elsewhere",
      "managed-elsewhere",
      "managed-elsewhere",
    ]);
    expect(failures[0]!.message).toContain("providerOptions.anthropic.contextManagement");
  });
});

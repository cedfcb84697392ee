import {
  Agent,
  type AgentInputItem,
  MemorySession,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
  tool,
} from "@openai/agents";
import { beforeAll, describe, expect, test } from "vitest";
import type { Failure } from "../../src/context/index.ts";
import { agentsContext } from "../../src/hooks/openai-agents/index.ts";
import { agentForTest, STEPS, type ScriptedAgent } from "./agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { sample } from "../property/runs.ts";

const WINDOW = 32_000;

beforeAll(() => setTracingDisabled(true));

interface Task {
  readonly script: ScriptedAgent;
  readonly runner: Runner;
  readonly session: MemorySession;
  readonly stream: boolean;
  readonly recall?: ReturnType<typeof agentsContext>["recallTools"];
}

/** What the user says, turn by turn, and the last answer. */
async function work({ script, runner, session, stream, recall = [] }: Task): Promise<string> {
  const tools = script.tools.map(({ name, description, parameters, run }) =>
    tool({ name, description, parameters: { ...parameters }, execute: (input) => run(input) }),
  );
  const own = recall.map((options) => tool(options));
  const agent = new Agent({
    name: "Coder",
    instructions: script.system,
    model: "scripted",
    tools: [...tools, ...own],
  });
  let answer = "";
  for (const text of script.turns) {
    const options = { session, maxTurns: 500 };
    if (stream) {
      const result = await runner.run(agent, text, { ...options, stream: true });
      for await (const _ of result);
      await result.completed;
      answer = result.finalOutput ?? "";
    } else {
      answer = (await runner.run(agent, text, options)).finalOutput ?? "";
    }
  }
  return answer;
}

const cases = [
  { api: "Responses", useResponses: true, stream: false },
  { api: "Responses", useResponses: true, stream: true },
  { api: "Chat Completions", useResponses: false, stream: false },
  { api: "Chat Completions", useResponses: false, stream: true },
];

describe.each(sample(cases, 2))("a long task over $api, stream $stream", (options) => {
  const { useResponses, stream } = options;
  const providerAt = (url: string): OpenAIProvider =>
    new OpenAIProvider({ apiKey: "key", baseURL: `${url}/v1`, useResponses });

  test("end in a small window", { timeout: 300_000 }, async () => {
    const script = await agentForTest();
    const upstream = await upstreamForTest({ script: script.script, window: WINDOW });
    const context = agentsContext({ window: WINDOW });
    const failures: Failure[] = [];
    const sources: string[] = [];
    context.on("failed", (failure) => void failures.push(failure));
    context.on("prepared", ({ tokens }) => void sources.push(tokens.source));
    const runner = new Runner({ modelProvider: context.modelProvider(providerAt(upstream.url)) });
    const session = new MemorySession();
    const recall = context.recallTools;
    const answer = await work({ script, runner, session, stream, recall });
    expect(failures).toEqual([]);
    expect(upstream.refusals).toEqual([]);
    expect(script.problems).toEqual([]);
    expect(script.knows(answer)).toBe(true);
    expect(sources.slice(1)).not.toContain("estimated");
    // The session has all of it.
    const items = await session.getItems();
    expect(items.filter(isResult).length).toBeGreaterThan(STEPS);
    expect(JSON.stringify(items)).not.toContain("tool-output-compacted");
  });

  test("overflow it without", async () => {
    const script = await agentForTest();
    const upstream = await upstreamForTest({ script: script.script, window: WINDOW });
    const runner = new Runner({ modelProvider: providerAt(upstream.url) });
    const run = work({ script, runner, session: new MemorySession(), stream });
    await expect(run).rejects.toThrow(/context/);
    expect(upstream.rejected).toBe(1);
  });
});

function isResult({ type }: AgentInputItem): boolean {
  return type === "function_call_result";
}

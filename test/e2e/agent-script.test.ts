import OpenAI from "openai";
import { expect, test } from "vitest";
import { memoryArchive, recallTools } from "../../src/archive/index.ts";
import { createContext } from "../../src/context/index.ts";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { encodeOpenAIChat } from "../../src/dialects/openai-chat/encode.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { agentForTest, type ScriptedAgent } from "./agent-script.ts";
import { runs } from "../property/runs.ts";

type Message = OpenAI.ChatCompletionMessageParam;

interface Loop {
  readonly url: string;
  readonly agent: ScriptedAgent;
  readonly run?: (name: string, input: unknown) => Promise<string>;
  readonly extra?: readonly { name: string; parameters: object }[];
  readonly prepare?: (messages: readonly Message[]) => Promise<Message[]>;
}

/** The loop that everybody writes. */
async function loop({ url, agent, run, extra = [], prepare }: Loop): Promise<string> {
  const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
  const messages: Message[] = [{ role: "system", content: agent.system }];
  const offered = [...agent.tools, ...extra].map(({ name, parameters }) => ({
    type: "function" as const,
    function: { name, parameters: { ...parameters } },
  }));
  let answer = "";
  for (const content of agent.turns) {
    messages.push({ role: "user", content });
    for (;;) {
      const sent = (await prepare?.(messages)) ?? messages;
      const request = { model: "scripted", messages: sent, tools: offered };
      const completion = await client.chat.completions.create(request);
      const { content: text, tool_calls: calls = [] } = completion.choices[0]!.message;
      messages.push({
        role: "assistant",
        content: text,
        ...(calls.length > 0 && { tool_calls: calls }),
      });
      answer = text ?? "";
      if (calls.length === 0) break;
      for (const call of calls) {
        if (call.type !== "function") continue;
        const { name, arguments: json } = call.function;
        const tool = agent.tools.find((one) => one.name === name);
        const input: unknown = JSON.parse(json);
        const output = await (tool?.run(input) ?? run?.(name, input) ?? "no such tool");
        messages.push({ role: "tool", tool_call_id: call.id, content: output });
      }
    }
  }
  return answer;
}

test("a window that holds everything needs no help", { timeout: 120_000 }, async () => {
  const agent = await agentForTest({ steps: runs(24, 80) });
  const upstream = await upstreamForTest({ script: agent.script, window: 2_000_000 });
  const answer = await loop({ url: upstream.url, agent });
  expect(upstream.refusals).toEqual([]);
  expect(agent.problems).toEqual([]);
  expect(agent.knows(answer)).toBe(true);
  expect(agent.answered).toBe(runs(24, 80) + 3);
  const outputs = upstream.requests.at(-1)!.view!.messages.flatMap(({ results }) => results);
  const sizes = outputs.map(({ output }) => output.length);
  expect(Math.max(...sizes)).toBeGreaterThan(50_000);
  // Nobody else names the fact.
  const saying = outputs.filter(({ output }) => agent.knows(output));
  expect(saying).toHaveLength(1);
});

test("overflows a small window without help", async () => {
  const agent = await agentForTest();
  const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
  await expect(loop({ url: upstream.url, agent })).rejects.toThrow(/maximum context length/);
  expect(upstream.rejected).toBe(1);
});

test("ends in a small window with a context", { timeout: 120_000 }, async () => {
  const agent = await agentForTest({ steps: runs(24, 60) });
  const upstream = await upstreamForTest({ script: agent.script, window: 32_000 });
  const archive = memoryArchive();
  const context = createContext({ window: 32_000, archive });
  const tools = recallTools(archive);
  const { search_archive: search } = tools;
  const answer = await loop({
    url: upstream.url,
    agent,
    extra: [{ name: "search_archive", parameters: search.inputSchema }],
    run: (_, input) => search.execute(input as { pattern: string }),
    async prepare(messages) {
      const { messages: sent } = await context.prepare(openaiChat.decode(messages));
      return encodeOpenAIChat<Message>(sent);
    },
  });
  expect(upstream.refusals).toEqual([]);
  expect(agent.problems).toEqual([]);
  expect(agent.knows(answer)).toBe(true);
  expect(context.journal().length).toBeGreaterThan(1);
});

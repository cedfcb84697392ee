import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import type { Failure } from "../../src/context/index.ts";
import { openaiContext, type OpenAIContext } from "../../src/hooks/openai/index.ts";
import { agentForTest, STEPS, type ScriptedAgent } from "./agent-script.ts";
import { upstreamForTest } from "../provider/for-test.ts";
import { sample } from "../property/runs.ts";

const WINDOW = 32_000;

interface Run {
  readonly client: OpenAI;
  readonly agent: ScriptedAgent;
  readonly stream: boolean;
  readonly tools: readonly Tool[];
}

interface Tool {
  readonly name: string;
  readonly description: string;
  readonly parameters: object;
  run(input: unknown): Promise<string>;
}

function recall(context: OpenAIContext): Tool[] {
  return context.responsesRecallTools.map(({ name, description, parameters, execute }) => ({
    name,
    description,
    parameters,
    run: (input) => execute(JSON.stringify(input)),
  }));
}

async function called(
  tools: readonly Tool[],
  { name, json }: { name: string; json: string },
): Promise<string> {
  const tool = tools.find((one) => one.name === name);
  return tool === undefined ? "no such tool" : tool.run(JSON.parse(json));
}

async function chatLoop({ client, agent, stream, tools }: Run): Promise<string> {
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: agent.system }];
  let answer = "";
  for (const content of agent.turns) {
    messages.push({ role: "user", content });
    for (;;) {
      const request = {
        model: "scripted",
        messages,
        tools: tools.map(({ run: _, parameters, ...tool }) => ({
          type: "function" as const,
          function: { ...tool, parameters: { ...parameters } },
        })),
      };
      const completion = stream
        ? await client.chat.completions
            .stream({ ...request, stream_options: { include_usage: true } })
            .finalChatCompletion()
        : await client.chat.completions.create(request);
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
        messages.push({
          role: "tool",
          tool_call_id: call.id,
          content: await called(tools, { name, json }),
        });
      }
    }
  }
  return answer;
}

async function responsesLoop({ client, agent, stream, tools }: Run): Promise<string> {
  const input: OpenAI.Responses.ResponseInputItem[] = [];
  let answer = "";
  for (const content of agent.turns) {
    input.push({ role: "user", content });
    for (;;) {
      const request = {
        model: "scripted",
        instructions: agent.system,
        input,
        store: false,
        include: ["reasoning.encrypted_content" as const],
        tools: tools.map(({ run: _, parameters, ...tool }) => ({
          type: "function" as const,
          strict: false,
          ...tool,
          parameters: { ...parameters },
        })),
      };
      const response: OpenAI.Responses.Response = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      const calls = response.output.filter((item) => item.type === "function_call");
      input.push(...response.output.map(asInput));
      answer = response.output_text;
      if (calls.length === 0) break;
      for (const { call_id, name, arguments: json } of calls) {
        input.push({
          type: "function_call_output",
          call_id,
          output: await called(tools, { name, json }),
        });
      }
    }
  }
  return answer;
}

/** The stream's helper adds a field that is no part of the protocol. */
function asInput(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem {
  const { parsed_arguments: _parsed, ...rest } = item as typeof item & {
    readonly parsed_arguments?: unknown;
  };
  return rest as OpenAI.Responses.ResponseInputItem;
}

const loops = { "Chat Completions": chatLoop, Responses: responsesLoop };
const cases = Object.entries(loops).flatMap(([api, loop]) =>
  [false, true].map((stream) => ({ api, stream, loop })),
);

describe.each(sample(cases, 2))("a long task over $api, stream $stream", ({ loop, stream }) => {
  test("end in a small window", { timeout: 300_000 }, async () => {
    const agent = await agentForTest();
    const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
    const plain = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
    const context = openaiContext({ window: WINDOW });
    const client = context.client(plain);
    const failures: Failure[] = [];
    const sources: string[] = [];
    context.on("failed", (failure) => void failures.push(failure));
    context.on("prepared", ({ tokens }) => void sources.push(tokens.source));
    const answer = await loop({
      client,
      agent,
      stream,
      tools: [...agent.tools, ...recall(context)],
    });
    expect(failures).toEqual([]);
    expect(upstream.refusals).toEqual([]);
    expect(agent.problems).toEqual([]);
    expect(agent.knows(answer)).toBe(true);
    // Every answer was heard, also those in streams.
    expect(sources.slice(1)).not.toContain("estimated");
    expect(context.journal().length).toBeGreaterThan(STEPS / 20);
  });

  test("overflow it without", async () => {
    const agent = await agentForTest();
    const upstream = await upstreamForTest({ script: agent.script, window: WINDOW });
    const client = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1`, maxRetries: 0 });
    const run = loop({ client, agent, stream, tools: agent.tools });
    await expect(run).rejects.toThrow(/context/);
    expect(upstream.rejected).toBe(1);
  });
});

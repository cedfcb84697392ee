import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ScriptedAgent } from "../e2e/agent-script.ts";
import type { ProtocolName } from "../provider/index.ts";

/** What an agent that knows nothing of a gateway needs to run. */
export interface WireRun {
  readonly agent: Pick<ScriptedAgent, "system" | "turns" | "tools">;
  readonly stream: boolean;
  /** The address of each request: a gateway may come back elsewhere. */
  readonly url: () => Promise<string> | string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Runs an agent over the official SDK to its end; its last words. */
export type WireAgent = (run: WireRun) => Promise<string>;

async function outputOf({ agent }: WireRun, name: string, input: unknown): Promise<string> {
  const tool = agent.tools.find((one) => one.name === name);
  return tool === undefined ? `No tool ${name}.` : tool.run(input);
}

/** Without the fields that the SDK's streams add for their callers, which the API does not take. */
function plain<Value>(value: Value): Value {
  const own = (key: string, one: unknown): unknown => (key.startsWith("parsed") ? undefined : one);
  return JSON.parse(JSON.stringify(value, own)) as Value;
}

const KEY = { apiKey: "key", maxRetries: 0 };
const MODEL = "scripted";

const anthropicAgent: WireAgent = async (run) => {
  const { agent, stream, url, headers } = run;
  const messages: Anthropic.MessageParam[] = [];
  const tools = agent.tools.map(({ name, description, parameters }) => ({
    name,
    description,
    input_schema: parameters,
  }));
  let last = "";
  for (const turn of agent.turns) {
    messages.push({ role: "user", content: turn });
    for (;;) {
      const client = new Anthropic({ ...KEY, baseURL: await url(), defaultHeaders: headers });
      const request = {
        model: MODEL,
        max_tokens: 2_000,
        thinking: { type: "enabled" as const, budget_tokens: 1_024 },
        system: agent.system,
        tools,
        messages,
      };
      const message = stream
        ? await client.messages.stream(request).finalMessage()
        : await client.messages.create(request);
      messages.push({ role: "assistant", content: message.content });
      const calls = message.content.filter((block) => block.type === "tool_use");
      last = message.content.map((block) => (block.type === "text" ? block.text : "")).join("");
      if (calls.length === 0) break;
      const content = await Promise.all(
        calls.map(async ({ id, name, input }) => ({
          type: "tool_result" as const,
          tool_use_id: id,
          content: await outputOf(run, name, input),
        })),
      );
      messages.push({ role: "user", content });
    }
  }
  return last;
};

const chatAgent: WireAgent = async (run) => {
  const { agent, stream, url, headers } = run;
  const messages: OpenAI.ChatCompletionMessageParam[] = [{ role: "system", content: agent.system }];
  const tools = agent.tools.map(({ name, description, parameters }) => ({
    type: "function" as const,
    function: { name, description, parameters: { ...parameters } },
  }));
  let last = "";
  for (const turn of agent.turns) {
    messages.push({ role: "user", content: turn });
    for (;;) {
      const baseURL = `${await url()}/v1`;
      const client = new OpenAI({ ...KEY, baseURL, defaultHeaders: headers });
      const request = { model: MODEL, tools, messages };
      const usage = { stream_options: { include_usage: true } };
      const completion = stream
        ? await client.chat.completions.stream({ ...request, ...usage }).finalChatCompletion()
        : await client.chat.completions.create(request);
      const message = completion.choices[0]!.message;
      messages.push(plain(message));
      last = message.content ?? "";
      const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
      if (calls.length === 0) break;
      for (const { id, function: called } of calls) {
        const content = await outputOf(run, called.name, JSON.parse(called.arguments));
        messages.push({ role: "tool", tool_call_id: id, content });
      }
    }
  }
  return last;
};

const responsesAgent: WireAgent = async (run) => {
  const { agent, stream, url, headers } = run;
  const input: OpenAI.Responses.ResponseInputItem[] = [];
  const tools = agent.tools.map(({ name, description, parameters }) => ({
    type: "function" as const,
    name,
    description,
    parameters: { ...parameters },
    strict: true,
  }));
  let last = "";
  for (const turn of agent.turns) {
    input.push({ role: "user", content: turn });
    for (;;) {
      const baseURL = `${await url()}/v1`;
      const client = new OpenAI({ ...KEY, baseURL, defaultHeaders: headers });
      const request = {
        model: MODEL,
        instructions: agent.system,
        store: false,
        include: ["reasoning.encrypted_content" as const],
        tools,
        input,
      };
      const response = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      input.push(...(plain(response.output) as OpenAI.Responses.ResponseInputItem[]));
      last = response.output_text;
      const calls = response.output.flatMap((item) =>
        item.type === "function_call" ? [item] : [],
      );
      if (calls.length === 0) break;
      for (const { call_id, name, arguments: written } of calls) {
        const output = await outputOf(run, name, JSON.parse(written));
        input.push({ type: "function_call_output", call_id, output });
      }
    }
  }
  return last;
};

export const wireAgents: Readonly<Record<ProtocolName, WireAgent>> = {
  anthropic: anthropicAgent,
  "openai-chat": chatAgent,
  "openai-responses": responsesAgent,
};

import { ChatAnthropic } from "@langchain/anthropic";
import { type BaseMessage, HumanMessage } from "@langchain/core/messages";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { Agent as MastraAgent, type AgentConfig } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import { createTool } from "@mastra/core/tools";
import * as agents from "@openai/agents";
import { jsonSchema } from "ai";
import * as langchain from "langchain";
import type { ScriptedAgent } from "../e2e/agent-script.ts";
import { runVersion6, runVersion7 } from "../e2e/ai-sdk-agent.ts";
import { ChatCompletionsModel } from "../e2e/chat-completions-model.ts";
import { wireAgents } from "./wire-agent.ts";

/** An agent of an SDK, with nothing of ours in it: it knows an address. */
export interface SdkRun {
  readonly agent: ScriptedAgent;
  readonly url: string;
  readonly stream: boolean;
}

/** Runs it to its end; its last words. */
export type SdkAgent = (run: SdkRun) => Promise<string>;

process.env["MASTRA_TELEMETRY_DISABLED"] = "1";
const KEY = { apiKey: "key" };
const CLAUDE = "claude-opus-5-5";

function openaiAgents(useResponses: boolean): SdkAgent {
  return async ({ agent: script, url, stream }) => {
    agents.setTracingDisabled(true);
    const modelProvider = new agents.OpenAIProvider({ ...KEY, baseURL: `${url}/v1`, useResponses });
    const runner = new agents.Runner({ modelProvider });
    const tools = script.tools.map(({ name, description, parameters, run }) =>
      agents.tool({
        name,
        description,
        parameters: { ...parameters },
        execute: (input) => run(input),
      }),
    );
    const instructions = script.system;
    const agent = new agents.Agent({ name: "Coder", instructions, model: "scripted", tools });
    const options = { session: new agents.MemorySession(), maxTurns: 500 };
    let answer = "";
    for (const text of script.turns) {
      if (!stream) {
        answer = (await runner.run(agent, text, options)).finalOutput ?? "";
        continue;
      }
      const result = await runner.run(agent, text, { ...options, stream: true });
      for await (const _ of result);
      await result.completed;
      answer = result.finalOutput ?? "";
    }
    return answer;
  };
}

type LangChainModel = Parameters<typeof langchain.createAgent>[0]["model"];

function langChain(modelAt: (url: string) => LangChainModel): SdkAgent {
  return async ({ agent, url, stream }) => {
    const tools = agent.tools.map(({ name, description, parameters, run }) =>
      langchain.tool((input: unknown) => run(input), { name, description, schema: parameters }),
    );
    const model = modelAt(url);
    const graph = langchain.createAgent({ model, tools, systemPrompt: agent.system });
    let messages: BaseMessage[] = [];
    for (const turn of agent.turns) {
      const input = { messages: [...messages, new HumanMessage(turn)] };
      const config = { recursionLimit: 2_000 };
      if (!stream) {
        ({ messages } = await graph.invoke(input, config));
        continue;
      }
      const modes = { ...config, streamMode: ["values", "messages"] };
      const chunks: AsyncIterable<unknown> = await graph.stream(input, modes as object);
      for await (const [mode, chunk] of chunks as AsyncIterable<[string, { messages: never }]>) {
        if (mode === "values") ({ messages } = chunk);
      }
    }
    return messages.at(-1)?.text ?? "";
  };
}

function mastra(modelAt: (url: string) => AgentConfig["model"]): SdkAgent {
  return async ({ agent: script, url, stream }) => {
    const tools = script.tools.map(({ name, description, parameters, run }) => [
      name,
      createTool({
        id: name,
        description,
        inputSchema: jsonSchema(parameters) as never,
        execute: (input: unknown) => run(input),
      }),
    ]);
    const agent = new MastraAgent({
      id: "worker",
      name: "worker",
      instructions: script.system,
      model: modelAt(url),
      tools: Object.fromEntries(tools) as never,
    });
    agent.__setLogger(noopLogger);
    const options = { maxSteps: 1_000, modelSettings: { maxRetries: 0 } };
    let messages: readonly unknown[] = [];
    let answer = "";
    for (const content of script.turns) {
      const input = [...messages, { role: "user", content }] as never;
      const result = stream
        ? await (await agent.stream(input, options as object)).getFullOutput()
        : await agent.generate(input, options as object);
      if (result.error) throw result.error;
      ({ text: answer, messages } = result);
    }
    return answer;
  };
}

function official(protocol: keyof typeof wireAgents): SdkAgent {
  return ({ url, ...run }) => wireAgents[protocol]({ ...run, url: () => url });
}

/** Each SDK over each API that it speaks here; the first one of each is enough for a look. */
export const SDK_AGENTS: Readonly<Record<string, Readonly<Record<string, SdkAgent>>>> = {
  "AI SDK": {
    "7, Messages": (run) => runVersion7({ ...run, provider: "anthropic" }),
    "7, Responses": (run) => runVersion7({ ...run, provider: "responses" }),
    "7, Chat": (run) => runVersion7({ ...run, provider: "chat" }),
    "6, Messages": (run) => runVersion6({ ...run, provider: "anthropic" }),
    "6, Responses": (run) => runVersion6({ ...run, provider: "responses" }),
    "6, Chat": (run) => runVersion6({ ...run, provider: "chat" }),
  },
  Anthropic: { Messages: official("anthropic") },
  OpenAI: { Responses: official("openai-responses"), Chat: official("openai-chat") },
  "OpenAI Agents": { Responses: openaiAgents(true), Chat: openaiAgents(false) },
  LangChain: {
    Messages: langChain(
      (url) =>
        new ChatAnthropic({
          ...KEY,
          model: CLAUDE,
          anthropicApiUrl: url,
          maxRetries: 0,
          maxTokens: 4_000,
        }),
    ),
    Chat: langChain((url) => new ChatCompletionsModel({ url, maxRetries: 0 })),
  },
  Mastra: {
    Chat: mastra((url) => createOpenAI({ ...KEY, baseURL: `${url}/v1` }).chat("scripted")),
    Messages: mastra((url) => createAnthropic({ ...KEY, baseURL: `${url}/v1` })(CLAUDE)),
  },
};

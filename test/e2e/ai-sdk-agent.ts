import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import * as ai6 from "ai";
import * as ai7 from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createOpenAI as createOpenAI7 } from "ai7-openai";
import { createOpenAICompatible as createCompatible7 } from "ai7-openai-compatible";
import type { AiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import type { ScriptedAgent } from "./agent-script.ts";

/** `compatible`: a server that wants its reasoning back. */
export type Provider = "anthropic" | "chat" | "responses" | "compatible";

/** One way to run the agent of `agent-script.ts` over the AI SDK. */
export interface AiSdkTask {
  readonly url: string;
  readonly provider: Provider;
  readonly stream: boolean;
  readonly agent: ScriptedAgent;
  /** Without one, the SDK alone. */
  readonly context?: AiSdkContext;
  /** What is passed as `messages` for the next turn. @default "persisted" */
  readonly keeps?: "persisted" | "whole";
  /** @default both */
  readonly hooks?: "prepareStep" | "middleware" | "both";
  readonly providerOptions?: NonNullable<Parameters<typeof ai6.generateText>[0]["providerOptions"]>;
  /** @default a model that nobody knows */
  readonly modelId?: string;
}

/** Runs all turns, and gives the last answer; rejects as the SDK does. */
export type AiSdkRunner = (task: AiSdkTask) => Promise<string>;

// So that a warning says something new.
globalThis.AI_SDK_LOG_WARNINGS = false;
const STEPS = 1_000;

export const runVersion6: AiSdkRunner = async (task) => {
  const { agent, context, stream, hooks = "both" } = task;
  const plain = model6(task);
  const hasMiddleware = context !== undefined && hooks !== "prepareStep";
  const settings = {
    model: hasMiddleware
      ? ai6.wrapLanguageModel({ model: plain, middleware: context.middleware })
      : plain,
    system: agent.system,
    tools: tools6(task),
    stopWhen: ai6.stepCountIs(STEPS),
    maxRetries: 0,
    ...(context && hooks !== "middleware" && { prepareStep: context.prepareStep }),
    ...(task.providerOptions && { providerOptions: task.providerOptions }),
  };
  let messages: ai6.ModelMessage[] = [];
  let answer = "";
  for (const content of agent.turns) {
    messages.push({ role: "user", content });
    const result = stream
      ? await consumed(ai6.streamText({ ...settings, messages, onError: () => undefined }))
      : await ai6.generateText({ ...settings, messages });
    answer = await result.text;
    messages =
      context === undefined || task.keeps === "whole"
        ? [...messages, ...(await result.response).messages]
        : await context.persisted(result);
  }
  return answer;
};

export const runVersion7: AiSdkRunner = async (task) => {
  const { agent, context, stream, hooks = "both" } = task;
  const plain = model7(task);
  const hasMiddleware = context !== undefined && hooks !== "prepareStep";
  const settings = {
    model: hasMiddleware
      ? ai7.wrapLanguageModel({ model: plain, middleware: context.middleware })
      : plain,
    instructions: agent.system,
    tools: tools7(task),
    stopWhen: ai7.isStepCount(STEPS),
    maxRetries: 0,
    ...(context && hooks !== "middleware" && { prepareStep: context.prepareStep }),
    ...(task.providerOptions && { providerOptions: task.providerOptions }),
  };
  let messages: ai7.ModelMessage[] = [];
  let answer = "";
  for (const content of agent.turns) {
    messages.push({ role: "user", content });
    const result = stream
      ? await consumed(ai7.streamText({ ...settings, messages, onError: () => undefined }))
      : await ai7.generateText({ ...settings, messages });
    answer = await result.text;
    messages =
      context === undefined || task.keeps === "whole"
        ? [...messages, ...(await result.responseMessages)]
        : await context.persisted(result);
  }
  return answer;
};

/** Reads a stream to its end; what went wrong in it is thrown. */
async function consumed<Result extends { fullStream: AsyncIterable<unknown> }>(
  result: Result,
): Promise<Result> {
  for await (const part of result.fullStream) {
    const { type, error } = part as { readonly type: string; readonly error?: unknown };
    if (type === "error") throw error;
  }
  return result;
}

function model6({ url, provider, modelId = "scripted" }: AiSdkTask) {
  const settings = { apiKey: "key", baseURL: `${url}/v1` };
  if (provider === "anthropic") return createAnthropic(settings)(modelId);
  if (provider === "compatible")
    return createOpenAICompatible({ ...settings, name: "local" })(modelId);
  const openai = createOpenAI(settings);
  return provider === "chat" ? openai.chat(modelId) : openai.responses(modelId);
}

function model7({ url, provider, modelId = "scripted" }: AiSdkTask) {
  const settings = { apiKey: "key", baseURL: `${url}/v1` };
  if (provider === "anthropic") return createAnthropic7(settings)(modelId);
  if (provider === "compatible") return createCompatible7({ ...settings, name: "local" })(modelId);
  const openai = createOpenAI7(settings);
  return provider === "chat" ? openai.chat(modelId) : openai.responses(modelId);
}

function tools6({ agent, context }: AiSdkTask): ai6.ToolSet {
  const own = agent.tools.map(({ name, description, parameters, run }) => [
    name,
    ai6.tool({ description, inputSchema: ai6.jsonSchema({ ...parameters }), execute: run }),
  ]);
  const tools = Object.fromEntries(own) as ai6.ToolSet;
  return context === undefined ? tools : context.tools({ ...tools, ...context.recallTools });
}

function tools7({ agent, context }: AiSdkTask): ai7.ToolSet {
  const own = agent.tools.map(({ name, description, parameters, run }) => [
    name,
    ai7.tool({ description, inputSchema: ai7.jsonSchema({ ...parameters }), execute: run }),
  ]);
  const tools = Object.fromEntries(own) as ai7.ToolSet;
  return context === undefined ? tools : context.tools({ ...tools, ...context.recallTools });
}

import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { ChatAnthropic } from "@langchain/anthropic";
import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { Agent as MastraAgent } from "@mastra/core/agent";
import { noopLogger } from "@mastra/core/logger";
import {
  Agent,
  type AgentInputItem,
  OpenAIProvider,
  Runner,
  setTracingDisabled,
} from "@openai/agents";
import * as ai6 from "ai";
import * as ai7 from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createAgent } from "langchain";
import OpenAI from "openai";
import type { Context, ContextOptions } from "../../src/context/index.ts";
import { aiSdkContext } from "../../src/hooks/ai-sdk/index.ts";
import { anthropicContext } from "../../src/hooks/anthropic/index.ts";
import { langchainContext } from "../../src/hooks/langchain/index.ts";
import { mastraContext } from "../../src/hooks/mastra/index.ts";
import { agentsContext } from "../../src/hooks/openai-agents/index.ts";
import { openaiContext } from "../../src/hooks/openai/index.ts";

/** What everybody said, the user and the assistant by turns; the user begins and ends. */
export type Said = readonly string[];

export interface Asked {
  readonly stream: boolean;
  readonly signal?: AbortSignal;
  /** The most tokens of the answer. */
  readonly maxOutput?: number;
}

/** A program over an SDK with its door wired as the door's page shows it. */
export interface DoorProgram {
  readonly on: Context["on"];
  /** One request of the model; its answer. Rejects as the SDK does. */
  ask(said: Said, asked: Asked): Promise<string>;
}

/** The settings of a context that all doors know. */
export type DoorOptions = Omit<ContextOptions, "model" | "summarizer"> & {
  readonly model?: string;
  readonly summarizer?: () => Promise<string>;
};

export interface Door {
  readonly name: string;
  /** Whether the SDK keeps to itself what an answer with nothing in it has cost. */
  readonly hidesEmpty?: (stream: boolean) => boolean;
  /** Whether the SDK tells the first step of a run nothing of the caller's signal. */
  readonly hidesSignal?: (stream: boolean) => boolean;
  open(url: string, options: DoorOptions): DoorProgram;
}

// So that a warning says something new.
globalThis.AI_SDK_LOG_WARNINGS = false;
process.env["MASTRA_TELEMETRY_DISABLED"] = "1";
setTracingDisabled(true);

const model = "claude-opus-4-6";
const apiKey = "key";
const USUAL = 4_000;

/** Who said what, by the place in the list. */
function turns<User, Assistant>(
  said: Said,
  user: (text: string) => User,
  assistant: (text: string) => Assistant,
): (User | Assistant)[] {
  return said.map((text, at) => (at % 2 === 0 ? user(text) : assistant(text)));
}

/** Messages of the wire, which most SDKs take. */
function wire(
  said: Said,
): ({ role: "user"; content: string } | { role: "assistant"; content: string })[] {
  return turns(
    said,
    (content) => ({ role: "user" as const, content }),
    (content) => ({ role: "assistant" as const, content }),
  );
}

const anthropic: Door = {
  name: "anthropic",
  open(baseURL, options) {
    const { on, middleware } = anthropicContext(options);
    const client = new Anthropic({ apiKey, baseURL, maxRetries: 0, middleware: [middleware] });
    return {
      on,
      async ask(said, { stream, signal, maxOutput: max_tokens = USUAL }) {
        const params = { model, max_tokens, messages: wire(said) };
        const { content } = stream
          ? await client.messages.stream(params, { signal }).finalMessage()
          : await client.messages.create(params, { signal });
        return content.map((block) => (block.type === "text" ? block.text : "")).join("");
      },
    };
  },
};

const chat: Door = {
  name: "openai, Chat Completions",
  open(url, options) {
    const context = openaiContext(options);
    const client = context.client(new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }));
    return {
      on: context.on,
      async ask(said, { stream, signal, maxOutput: max_completion_tokens = USUAL }) {
        const params = { model, max_completion_tokens, messages: wire(said) };
        if (!stream) {
          const { choices } = await client.chat.completions.create(params, { signal });
          return choices[0]?.message.content ?? "";
        }
        const streamed = { ...params, stream_options: { include_usage: true } };
        const chunks = client.chat.completions.stream(streamed, { signal });
        return (await chunks.finalContent()) ?? "";
      },
    };
  },
};

const responses: Door = {
  name: "openai, Responses",
  open(url, options) {
    const context = openaiContext(options);
    const client = context.client(new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 }));
    return {
      on: context.on,
      async ask(said, { stream, signal, maxOutput: max_output_tokens = USUAL }) {
        const params = { model, max_output_tokens, input: wire(said) };
        const response = stream
          ? await client.responses.stream(params, { signal }).finalResponse()
          : await client.responses.create(params, { signal });
        return response.output_text;
      },
    };
  },
};

function agents(useResponses: boolean): Door {
  return {
    name: `openai-agents, ${useResponses ? "Responses" : "Chat Completions"}`,
    hidesEmpty: (stream) => useResponses && !stream,
    open(url, options) {
      const context = agentsContext(options);
      const openAIClient = new OpenAI({ apiKey, baseURL: `${url}/v1`, maxRetries: 0 });
      const provider = new OpenAIProvider({ openAIClient: openAIClient as never, useResponses });
      const runner = new Runner({ modelProvider: context.modelProvider(provider), model });
      return {
        on: context.on,
        async ask(said, { stream, signal, maxOutput: maxTokens }) {
          const agent = new Agent({ name: "Worker", modelSettings: { maxTokens } });
          const items = turns(
            said,
            (content): AgentInputItem => ({ role: "user", content }),
            (text): AgentInputItem => ({
              role: "assistant",
              status: "completed",
              content: [{ type: "output_text", text }],
            }),
          );
          if (!stream) return (await runner.run(agent, items, { signal })).finalOutput ?? "";
          const run = await runner.run(agent, items, { stream, signal });
          await run.completed;
          // An aborted run ends without an error.
          signal?.throwIfAborted();
          return run.finalOutput ?? "";
        },
      };
    },
  };
}

function aiSdk(version: 6 | 7, hooks: "both" | "middleware"): Door {
  // The functions that are used here are alike.
  const ai = (version === 6 ? ai6 : ai7) as unknown as typeof ai6;
  const create = (version === 6 ? createAnthropic : createAnthropic7) as typeof createAnthropic;
  return {
    name: `ai-sdk ${version}, ${hooks}`,
    hidesSignal: (stream) => hooks === "both" && !stream,
    open(url, options) {
      const { model: id, ...rest } = options;
      const known = id === undefined ? {} : { model: id };
      const context = aiSdkContext({ ...rest, ...known });
      const { middleware } = context;
      const plain = create({ apiKey, baseURL: `${url}/v1` })(model);
      const step = hooks === "both" ? { prepareStep: context.prepareStep } : {};
      const wrapped = ai.wrapLanguageModel({ model: plain, middleware });
      const settings = { model: wrapped, maxRetries: 0, ...step };
      return {
        on: context.on,
        async ask(said, { stream, signal: abortSignal, maxOutput: maxOutputTokens = USUAL }) {
          const call = { ...settings, abortSignal, maxOutputTokens, messages: wire(said) };
          if (!stream) return (await ai.generateText(call)).text;
          let text = "";
          const streamed = ai.streamText({ ...call, onError: () => undefined });
          for await (const part of streamed.fullStream) {
            if (part.type === "error") throw part.error;
            if (part.type === "text-delta") text += part.text;
          }
          abortSignal?.throwIfAborted();
          return text;
        },
      };
    },
  };
}

function chatAnthropic(url: string, maxTokens = USUAL): ChatAnthropic {
  return new ChatAnthropic({ apiKey, model, anthropicApiUrl: url, maxRetries: 0, maxTokens });
}

const langchain: Door = {
  name: "langchain, createAgent",
  open(url, options) {
    const { on, middleware } = langchainContext(options);
    return {
      on,
      async ask(said, { stream, signal, maxOutput }) {
        const llm = chatAnthropic(url, maxOutput);
        const agent = createAgent({ model: llm, tools: [], middleware: [middleware] as const });
        const messages = turns(
          said,
          (text) => new HumanMessage(text),
          (text) => new AIMessage(text),
        );
        if (!stream) return (await agent.invoke({ messages }, { signal })).messages.at(-1)!.text;
        let text = "";
        const chunks = await agent.stream({ messages }, { signal, streamMode: "messages" });
        for await (const [chunk] of chunks) text += chunk.text;
        return text;
      },
    };
  },
};

const langchainNode: Door = {
  name: "langchain, a node of one's own",
  open(url, options) {
    const context = langchainContext(options);
    return {
      on: context.on,
      async ask(said, { stream, signal, maxOutput }) {
        const llm = chatAnthropic(url, maxOutput);
        const messages = turns(
          said,
          (text) => new HumanMessage(text),
          (text) => new AIMessage(text),
        );
        llm.streaming = stream;
        return (await context.invoke(llm, messages, { signal })).text;
      },
    };
  },
};

const mastra: Door = {
  name: "mastra",
  open(url, { conversation, ...options }) {
    const { on, processor } = mastraContext({
      ...options,
      conversationOf: () => conversation ?? "one",
    });
    const agent = new MastraAgent({
      id: "worker",
      name: "worker",
      instructions: "You work.",
      model: createAnthropic({ apiKey, baseURL: `${url}/v1` })(model),
      inputProcessors: [processor],
    });
    agent.__setLogger(noopLogger);
    return {
      on,
      async ask(said, { stream, signal: abortSignal, maxOutput: maxOutputTokens = USUAL }) {
        const call = { abortSignal, modelSettings: { maxRetries: 0, maxOutputTokens } };
        const result = stream
          ? await (await agent.stream(wire(said), call)).getFullOutput()
          : await agent.generate(wire(said), call);
        if (result.error) throw result.error;
        abortSignal?.throwIfAborted();
        return result.text;
      },
    };
  },
};

export const DOORS: readonly Door[] = [
  anthropic,
  chat,
  responses,
  agents(false),
  agents(true),
  aiSdk(6, "both"),
  aiSdk(6, "middleware"),
  aiSdk(7, "both"),
  aiSdk(7, "middleware"),
  langchain,
  langchainNode,
  mastra,
];

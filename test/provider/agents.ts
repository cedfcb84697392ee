import Anthropic from "@anthropic-ai/sdk";
import { betaTool } from "@anthropic-ai/sdk/helpers/beta/json-schema";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import * as ai7 from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createOpenAI as createOpenAI7 } from "ai7-openai";
import { createOpenAICompatible as createCompatible7 } from "ai7-openai-compatible";
import OpenAI from "openai";
import type { ProtocolName } from "./types.ts";

/** One task for an agent with the tool `read`, which says what is in a file. */
export interface Task {
  readonly url: string;
  readonly prompt: string;
  readonly stream: boolean;
}

/** A loop over a real SDK until the model calls nothing more; gives its last text. */
export interface Agent {
  readonly name: string;
  readonly protocol: ProtocolName;
  /** A server that only imitates OpenAI. */
  readonly isCompatible?: boolean;
  run(task: Task): Promise<string>;
}

const SYSTEM = "You read files.";
const MODEL = "scripted";
const MAX_TOKENS = 4_000;
const SCHEMA = {
  type: "object" as const,
  properties: { path: { type: "string" as const } },
  required: ["path"],
  additionalProperties: false,
};
const READ = { name: "read", description: "Reads a file.", parameters: SCHEMA };

export function readFile(input: unknown): string {
  return `contents of ${(input as { readonly path: string }).path}`;
}

async function anthropicLoop({ url, prompt, stream }: Task): Promise<string> {
  const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const messages: Anthropic.MessageParam[] = [{ role: "user", content: prompt }];
  for (;;) {
    const request = {
      model: MODEL,
      max_tokens: MAX_TOKENS,
      system: SYSTEM,
      messages,
      tools: [{ name: READ.name, description: READ.description, input_schema: SCHEMA }],
    };
    const answer = stream
      ? await client.messages.stream(request).finalMessage()
      : await client.messages.create(request);
    messages.push({ role: "assistant", content: answer.content });
    const calls = answer.content.filter((block) => block.type === "tool_use");
    if (calls.length === 0) {
      return answer.content.map((block) => (block.type === "text" ? block.text : "")).join("");
    }
    messages.push({
      role: "user",
      content: calls.map(({ id, input }) => ({
        type: "tool_result",
        tool_use_id: id,
        content: readFile(input),
      })),
    });
  }
}

async function anthropicRunner({ url, prompt, stream }: Task): Promise<string> {
  const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
  const read = betaTool({
    name: READ.name,
    description: READ.description,
    inputSchema: SCHEMA,
    run: readFile,
  });
  const request = { model: MODEL, max_tokens: MAX_TOKENS, system: SYSTEM, tools: [read], stream };
  const runner = client.beta.messages.toolRunner({
    ...request,
    messages: [{ role: "user", content: prompt }],
  });
  const { content } = await runner;
  return content.map((block) => (block.type === "text" ? block.text : "")).join("");
}

async function chatLoop({ url, prompt, stream }: Task): Promise<string> {
  const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
  const messages: OpenAI.ChatCompletionMessageParam[] = [
    { role: "system", content: SYSTEM },
    { role: "user", content: prompt },
  ];
  for (;;) {
    const tools = [{ type: "function" as const, function: { ...READ, parameters: { ...SCHEMA } } }];
    const request = { model: MODEL, messages, tools };
    const completion = stream
      ? await client.chat.completions.stream(request).finalChatCompletion()
      : await client.chat.completions.create(request);
    const { content, tool_calls: calls = [] } = completion.choices[0]!.message;
    messages.push({
      role: "assistant",
      content,
      ...(calls.length > 0 && { tool_calls: calls }),
    });
    if (calls.length === 0) return content ?? "";
    for (const call of calls) {
      const json = call.type === "function" ? call.function.arguments : "{}";
      messages.push({ role: "tool", tool_call_id: call.id, content: readFile(JSON.parse(json)) });
    }
  }
}

/** Sends everything each time, or only what is new behind `previous_response_id`. */
function responsesLoop(keeps: "client" | "server") {
  return async ({ url, prompt, stream }: Task): Promise<string> => {
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
    let input: OpenAI.Responses.ResponseInput = [{ role: "user", content: prompt }];
    let previous: string | undefined;
    for (;;) {
      const request = {
        model: MODEL,
        instructions: SYSTEM,
        input,
        tools: [{ type: "function" as const, strict: true, ...READ, parameters: { ...SCHEMA } }],
        ...(keeps === "client" && {
          store: false,
          include: ["reasoning.encrypted_content" as const],
        }),
        ...(previous !== undefined && { previous_response_id: previous }),
      };
      const response: OpenAI.Responses.Response = stream
        ? await client.responses.stream(request).finalResponse()
        : await client.responses.create(request);
      const calls = response.output.filter((item) => item.type === "function_call");
      if (calls.length === 0) return response.output_text;
      const results = calls.map((call) => ({
        type: "function_call_output" as const,
        call_id: call.call_id,
        output: readFile(JSON.parse(call.arguments)),
      }));
      if (keeps === "server") previous = response.id;
      input =
        keeps === "server" ? results : [...input, ...response.output.map(asInput), ...results];
    }
  };
}

/** The stream's helper adds a field that is no part of the protocol. */
function asInput(item: OpenAI.Responses.ResponseOutputItem): OpenAI.Responses.ResponseInputItem {
  const { parsed_arguments: _parsed, ...rest } = item as typeof item & {
    readonly parsed_arguments?: unknown;
  };
  return rest as OpenAI.Responses.ResponseInputItem;
}

type Model6 = Parameters<typeof generateText>[0]["model"];
type Model7 = Parameters<typeof ai7.generateText>[0]["model"];

function aiSdk6(modelAt: (url: string) => Model6) {
  return async ({ url, prompt, stream }: Task): Promise<string> => {
    const read = tool({
      description: READ.description,
      inputSchema: jsonSchema<{ path: string }>(SCHEMA),
      execute: async (input) => readFile(input),
    });
    const call = {
      model: modelAt(url),
      system: SYSTEM,
      prompt,
      tools: { read },
      stopWhen: stepCountIs(20),
      maxOutputTokens: MAX_TOKENS,
      maxRetries: 0,
    };
    return stream ? streamText(call).text : (await generateText(call)).text;
  };
}

function aiSdk7(modelAt: (url: string) => Model7) {
  return async ({ url, prompt, stream }: Task): Promise<string> => {
    const read = ai7.tool({
      description: READ.description,
      inputSchema: ai7.jsonSchema<{ path: string }>(SCHEMA),
      execute: async (input) => readFile(input),
    });
    const call = {
      model: modelAt(url),
      instructions: SYSTEM,
      prompt,
      tools: { read },
      stopWhen: ai7.isStepCount(20),
      maxOutputTokens: MAX_TOKENS,
      maxRetries: 0,
    };
    return stream ? ai7.streamText(call).text : (await ai7.generateText(call)).text;
  };
}

const key = "key";

export const AGENTS: readonly Agent[] = [
  { name: "Anthropic SDK", protocol: "anthropic", run: anthropicLoop },
  { name: "Anthropic tool runner", protocol: "anthropic", run: anthropicRunner },
  { name: "OpenAI SDK, Chat", protocol: "openai-chat", run: chatLoop },
  { name: "OpenAI SDK, Responses", protocol: "openai-responses", run: responsesLoop("client") },
  {
    name: "OpenAI SDK, previous_response_id",
    protocol: "openai-responses",
    run: responsesLoop("server"),
  },
  {
    name: "AI SDK 6, Anthropic",
    protocol: "anthropic",
    run: aiSdk6((url) => createAnthropic({ apiKey: key, baseURL: `${url}/v1` })(MODEL)),
  },
  {
    name: "AI SDK 6, OpenAI Chat",
    protocol: "openai-chat",
    run: aiSdk6((url) => createOpenAI({ apiKey: key, baseURL: `${url}/v1` }).chat(MODEL)),
  },
  {
    name: "AI SDK 6, OpenAI Responses",
    protocol: "openai-responses",
    run: aiSdk6((url) => createOpenAI({ apiKey: key, baseURL: `${url}/v1` }).responses(MODEL)),
  },
  {
    name: "AI SDK 6, OpenAI-compatible",
    protocol: "openai-chat",
    isCompatible: true,
    run: aiSdk6((url) =>
      createOpenAICompatible({ name: "local", apiKey: key, baseURL: `${url}/v1` })(MODEL),
    ),
  },
  {
    name: "AI SDK 7, Anthropic",
    protocol: "anthropic",
    run: aiSdk7((url) => createAnthropic7({ apiKey: key, baseURL: `${url}/v1` })(MODEL)),
  },
  {
    name: "AI SDK 7, OpenAI Chat",
    protocol: "openai-chat",
    run: aiSdk7((url) => createOpenAI7({ apiKey: key, baseURL: `${url}/v1` }).chat(MODEL)),
  },
  {
    name: "AI SDK 7, OpenAI Responses",
    protocol: "openai-responses",
    run: aiSdk7((url) => createOpenAI7({ apiKey: key, baseURL: `${url}/v1` }).responses(MODEL)),
  },
  {
    name: "AI SDK 7, OpenAI-compatible",
    protocol: "openai-chat",
    isCompatible: true,
    run: aiSdk7((url) =>
      createCompatible7({ name: "local", apiKey: key, baseURL: `${url}/v1` })(MODEL),
    ),
  },
];

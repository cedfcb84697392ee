import Anthropic from "@anthropic-ai/sdk";
import OpenAI from "openai";
import type { ProtocolName } from "./types.ts";

/** What a client sees of an answer, the same for all protocols. */
export interface Asked {
  readonly text: string;
  readonly calls: readonly string[];
  /** As the protocol words it. */
  readonly finish: string | null | undefined;
}

export interface Asking {
  readonly url: string;
  readonly stream: boolean;
  readonly prompt: string;
  /** Output limit in tokens. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
}

const SCHEMA = { type: "object" as const, properties: {} };
const NO_RETRY = { apiKey: "key", maxRetries: 0 };

async function askAnthropic({
  url,
  stream,
  prompt,
  limit = 4_000,
  signal,
}: Asking): Promise<Asked> {
  const client = new Anthropic({ ...NO_RETRY, baseURL: url });
  const request = {
    model: "m",
    max_tokens: limit,
    messages: [{ role: "user" as const, content: prompt }],
    tools: [{ name: "read", input_schema: SCHEMA }],
  };
  const message = stream
    ? await client.messages.stream(request, { signal }).finalMessage()
    : await client.messages.create(request, { signal });
  return {
    text: message.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    calls: message.content.flatMap((block) => (block.type === "tool_use" ? [block.name] : [])),
    finish: message.stop_reason,
  };
}

async function askChat({ url, stream, prompt, limit, signal }: Asking): Promise<Asked> {
  const client = new OpenAI({ ...NO_RETRY, baseURL: `${url}/v1` });
  const request = {
    model: "m",
    messages: [{ role: "user" as const, content: prompt }],
    tools: [{ type: "function" as const, function: { name: "read", parameters: SCHEMA } }],
    ...(limit !== undefined && { max_completion_tokens: limit }),
  };
  if (!stream) {
    const { choices } = await client.chat.completions.create(request, { signal });
    const { message, finish_reason: finish } = choices[0]!;
    const calls = message.tool_calls ?? [];
    return { text: message.content ?? "", calls: calls.flatMap((call) => nameOf(call)), finish };
  }
  let text = "";
  let finish: string | null = null;
  const calls: string[] = [];
  const chunks = await client.chat.completions.create({ ...request, stream }, { signal });
  for await (const { choices } of chunks) {
    text += choices[0]?.delta.content ?? "";
    finish = choices[0]?.finish_reason ?? finish;
    for (const call of choices[0]?.delta.tool_calls ?? []) calls.push(...nameOf(call));
  }
  return { text, calls, finish };
}

function nameOf(call: object): string[] {
  const called = "function" in call ? (call.function as { readonly name?: string }) : {};
  return called.name === undefined ? [] : [called.name];
}

async function askResponses({ url, stream, prompt, limit, signal }: Asking): Promise<Asked> {
  const client = new OpenAI({ ...NO_RETRY, baseURL: `${url}/v1` });
  const request = {
    model: "m",
    input: prompt,
    tools: [{ type: "function" as const, name: "read", strict: false, parameters: SCHEMA }],
    ...(limit !== undefined && { max_output_tokens: limit }),
  };
  const response = stream
    ? await client.responses.stream(request, { signal }).finalResponse()
    : await client.responses.create(request, { signal });
  return {
    text: response.output_text,
    calls: response.output.flatMap((item) => (item.type === "function_call" ? [item.name] : [])),
    finish: response.incomplete_details?.reason ?? response.status,
  };
}

/** One question through the real SDK of a protocol. */
export const ask: Readonly<Record<ProtocolName, (asking: Asking) => Promise<Asked>>> = {
  anthropic: askAnthropic,
  "openai-chat": askChat,
  "openai-responses": askResponses,
};

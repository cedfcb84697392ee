import Anthropic from "@anthropic-ai/sdk";
import { createAnthropic } from "@ai-sdk/anthropic";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText, streamText } from "ai";
import * as ai7 from "ai7";
import { createAnthropic as createAnthropic7 } from "ai7-anthropic";
import { createOpenAI as createOpenAI7 } from "ai7-openai";
import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { type ProviderOverflow, recogniseOverflow } from "../../src/core/overflow/index.ts";
import { upstreamForTest } from "./for-test.ts";
import { post } from "./post.ts";

const WINDOW = 1_000;
const prompt = "word ".repeat(2_000);
const messages = [{ role: "user" as const, content: prompt }];

/** Sends a prompt that is too long, and throws what the SDK throws. */
type Client = (url: string, stream: boolean) => Promise<unknown>;

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _event of stream);
}

/** The AI SDK does not throw from a stream, it hands the error over. */
async function thrownByStream(
  start: (onError: (event: { readonly error: unknown }) => void) => {
    consumeStream(): PromiseLike<void>;
  },
): Promise<void> {
  const errors: unknown[] = [];
  await start(({ error }) => errors.push(error)).consumeStream();
  throw errors[0];
}

const clients: Record<string, Client> = {
  "Anthropic SDK": async (url, stream) => {
    const client = new Anthropic({ apiKey: "key", baseURL: url, maxRetries: 0 });
    const request = { model: "m", max_tokens: 10, messages };
    if (stream) await client.messages.stream(request).finalMessage();
    else await client.messages.create(request);
  },
  "OpenAI SDK, Chat": async (url, stream) => {
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
    const request = { model: "m", messages };
    if (stream) await drain(await client.chat.completions.create({ ...request, stream }));
    else await client.chat.completions.create(request);
  },
  "OpenAI SDK, Responses": async (url, stream) => {
    const client = new OpenAI({ apiKey: "key", baseURL: `${url}/v1`, maxRetries: 0 });
    const request = { model: "m", input: prompt };
    if (stream) await drain(await client.responses.create({ ...request, stream }));
    else await client.responses.create(request);
  },
};

const models6 = {
  Anthropic: (url: string) => createAnthropic({ apiKey: "key", baseURL: `${url}/v1` })("m"),
  "OpenAI Chat": (url: string) => createOpenAI({ apiKey: "key", baseURL: `${url}/v1` }).chat("m"),
  "OpenAI Responses": (url: string) => createOpenAI({ apiKey: "key", baseURL: `${url}/v1` })("m"),
  "OpenAI-compatible": (url: string) =>
    createOpenAICompatible({ name: "local", apiKey: "key", baseURL: `${url}/v1` })("m"),
};
for (const [name, model] of Object.entries(models6)) {
  clients[`AI SDK 6, ${name}`] = async (url, stream) => {
    const call = { model: model(url), prompt, maxOutputTokens: 20, maxRetries: 0 };
    if (!stream) return generateText(call);
    return thrownByStream((onError) => streamText({ ...call, onError }));
  };
}

const models7 = {
  Anthropic: (url: string) => createAnthropic7({ apiKey: "key", baseURL: `${url}/v1` })("m"),
  "OpenAI Chat": (url: string) => createOpenAI7({ apiKey: "key", baseURL: `${url}/v1` }).chat("m"),
  "OpenAI Responses": (url: string) => createOpenAI7({ apiKey: "key", baseURL: `${url}/v1` })("m"),
};
for (const [name, model] of Object.entries(models7)) {
  clients[`AI SDK 7, ${name}`] = async (url, stream) => {
    const call = { model: model(url), prompt, maxOutputTokens: 20, maxRetries: 0 };
    if (!stream) return ai7.generateText(call);
    return thrownByStream((onError) => ai7.streamText({ ...call, onError }));
  };
}

describe("an overflow is recognised behind every SDK", () => {
  const cases = Object.keys(clients).flatMap((name) => [
    [name, false] as const,
    [name, true] as const,
  ]);
  test.each(cases)("%s, stream: %s", async (name, stream) => {
    const upstream = await upstreamForTest({ script: () => "ok", window: WINDOW });
    const error: unknown = await clients[name]!(upstream.url, stream).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    const found = recogniseOverflow(error);
    expect(found).toBeDefined();
    const [request] = upstream.requests;
    expect(request!.outcome).toBe("overflow");
    expect(upstream.rejected).toBe(1);
    // Responses says neither number; the others say both.
    const isNumbered = request!.view!.protocol !== "openai-responses";
    const told: ProviderOverflow = { limit: WINDOW, tokens: request!.promptTokens! };
    expect(found).toEqual(isNumbered ? told : {});
  });
});

describe("a server with limits", () => {
  test("a body that is too large", async () => {
    const upstream = await upstreamForTest({ script: () => "ok", maxBytes: 5_000 });
    const anthropic = await post(upstream.url, "anthropic", {
      model: "m",
      max_tokens: 9,
      messages,
    });
    expect(anthropic).toMatchObject({
      status: 413,
      body: { error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
    });
    const chat = await post(upstream.url, "openai-chat", { model: "m", messages });
    expect(chat.status).toBe(413);
    expect(recogniseOverflow(anthropic.body)).toBeDefined();
    expect(
      recogniseOverflow(Object.assign(new Error(chat.message), { status: 413 })),
    ).toBeDefined();
    expect(upstream.requests.map(({ outcome }) => outcome)).toEqual(["overflow", "overflow"]);
  });
});

test("each model may have its own window", async () => {
  const upstream = await upstreamForTest({
    script: () => "ok",
    window: (model) => (model === "large" ? 1_000_000 : WINDOW),
  });
  const send = (model: string): Promise<{ readonly status: number }> =>
    post(upstream.url, "anthropic", { model, max_tokens: 9, messages });
  expect((await send("large")).status).toBe(200);
  expect((await send("small")).status).toBe(400);
});

test("an answer ends with the window", async () => {
  const upstream = await upstreamForTest({
    script: () => "word ".repeat(5_000),
    window: 4_000,
  });
  const anthropic = await post(upstream.url, "anthropic", {
    model: "m",
    max_tokens: 50_000,
    messages,
  });
  expect(anthropic.body).toMatchObject({ stop_reason: "model_context_window_exceeded" });
  const { input, output } = upstream.totals;
  expect(input + output).toBeGreaterThan(3_900);
  expect(input + output).toBeLessThanOrEqual(4_000);
  const responses = await post(upstream.url, "openai-responses", { model: "m", input: prompt });
  expect(responses.body).toMatchObject({
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
  });
});

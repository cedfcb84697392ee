import { describe, expect, it } from "vitest";
import { anthropicSummarizer, type HttpSummarizerOptions } from "../../src/models/index.ts";
import { eventStream, json, scriptedFetch, type ScriptedFetch } from "./scripted-fetch.ts";
import { summaryRequest } from "./summary-request.ts";

const message = {
  type: "message",
  content: [
    { type: "thinking", thinking: "hidden", signature: "x" },
    { type: "redacted_thinking", data: "x" },
    { type: "text", text: "### Goal\n" },
    { type: "text", text: "Fine." },
  ],
  stop_reason: "end_turn",
  usage: {
    input_tokens: 10,
    cache_read_input_tokens: 700,
    cache_creation_input_tokens: 90,
    output_tokens: 5,
  },
};

function ask(
  answer: () => Response,
  options: Partial<HttpSummarizerOptions> = {},
): ScriptedFetch & { readonly answer: Promise<unknown> } {
  const script = scriptedFetch(answer);
  const summarizer = anthropicSummarizer({
    model: "claude-haiku-4-5",
    apiKey: "key-of-the-caller",
    env: {},
    fetch: script.fetch,
    ...options,
  });
  return { ...script, answer: summarizer.summarize(summaryRequest()) };
}

describe("the request", () => {
  it("is one of the Messages API", async () => {
    const { sent, answer } = ask(() => json(message));
    await answer;
    expect(sent[0]).toMatchObject({
      url: "https://api.anthropic.com/v1/messages",
      init: { method: "POST", redirect: "manual" },
      body: {
        model: "claude-haiku-4-5",
        max_tokens: 12_000,
        system: "You write summaries.",
        messages: [{ role: "user", content: "Summarize: the tests are green." }],
        stream: true,
      },
    });
    expect(Object.fromEntries(sent[0]!.headers)).toEqual({
      "anthropic-version": "2023-06-01",
      "content-type": "application/json",
      "x-api-key": "key-of-the-caller",
    });
  });

  it.each([
    ["https://gateway.example", "https://gateway.example/v1/messages"],
    ["https://gateway.example/", "https://gateway.example/v1/messages"],
    ["https://gateway.example/anthropic", "https://gateway.example/anthropic/v1/messages"],
    ["https://gateway.example/anthropic/v1/", "https://gateway.example/anthropic/v1/messages"],
    ["https://gateway.example/v1/messages", "https://gateway.example/v1/messages"],
    ["https://gateway.example/v1?beta=true", "https://gateway.example/v1/messages?beta=true"],
  ])("goes to %s", async (baseURL, url) => {
    for (const options of [{ baseURL }, { env: { ANTHROPIC_BASE_URL: baseURL } }]) {
      const { sent, answer } = ask(() => json(message), options);
      await answer;
      expect(sent[0]!.url).toBe(url);
    }
  });

  it("can have further headers and fields, and a limit of its own", async () => {
    const { sent, answer } = ask(() => json(message), {
      maxTokens: 500,
      stream: false,
      headers: { "Anthropic-Version": "2030-01-01", "anthropic-beta": "x" },
      body: { thinking: { type: "enabled", budget_tokens: 1_024 }, model: "another" },
    });
    await answer;
    expect(sent[0]!.headers.get("anthropic-version")).toBe("2030-01-01");
    expect(sent[0]!.headers.get("anthropic-beta")).toBe("x");
    expect(sent[0]!.body).toMatchObject({ model: "another", max_tokens: 1_524 });
    expect(sent[0]!.body).not.toHaveProperty("stream");
  });

  it("has the key that the environment holds then", async () => {
    const env = { ANTHROPIC_API_KEY: "first" };
    const script = scriptedFetch(() => json(message));
    const summarizer = anthropicSummarizer({ model: "m", env, fetch: script.fetch });
    await summarizer.summarize(summaryRequest());
    // Keys read from a file often end like this.
    env.ANTHROPIC_API_KEY = " second\n";
    await summarizer.summarize(summaryRequest());
    expect(script.sent.map(({ headers }) => headers.get("x-api-key"))).toEqual(["first", "second"]);
  });

  it("is not sent without a key, unless another place or header needs none", async () => {
    const without = { apiKey: undefined } as never as { apiKey: string };
    const { sent, answer } = ask(() => json(message), without);
    await expect(answer).rejects.toMatchObject({
      code: "invalid-options",
      message: "anthropic:claude-haiku-4-5 has no key; set ANTHROPIC_API_KEY, or pass apiKey.",
    });
    expect(sent).toEqual([]);
    await ask(() => json(message), { ...without, baseURL: "http://localhost:1" }).answer;
    await ask(() => json(message), { ...without, headers: { authorization: "Bearer x" } }).answer;
  });
});

describe("the answer", () => {
  const usage = { input: 800, cached: 700, output: 5 };

  it("is the text, without thinking", async () => {
    await expect(ask(() => json(message)).answer).resolves.toEqual({
      text: "### Goal\nFine.",
      usage,
      finish: "stop",
      toolCalls: 0,
    });
  });

  const start = { ...message, content: [], stop_reason: null };
  const events = [
    { type: "message_start", message: { ...start, usage: { ...message.usage, output_tokens: 1 } } },
    { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "no" } },
    { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "x" } },
    { type: "content_block_stop", index: 0 },
    { type: "ping" },
    { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "### Goal\n" } },
    { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Fine. 🎉" } },
    { type: "content_block_stop", index: 1 },
    { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
    { type: "message_stop" },
  ];

  it.each([1, 7, 1_000])("can be a stream, in pieces of %d bytes", async (size) => {
    await expect(ask(() => eventStream(events, size)).answer).resolves.toEqual({
      text: "### Goal\nFine. 🎉",
      usage,
      finish: "stop",
      toolCalls: 0,
    });
  });

  it.each(events.slice(0, -1).map((_, at) => at))(
    "is none if it ends after event %d",
    async (at) => {
      await expect(ask(() => eventStream(events.slice(0, at))).answer).rejects.toMatchObject({
        code: "summarizer-failed",
        message: expect.stringContaining("broke off"),
      });
    },
  );

  it("that breaks off says what it has cost by then", async () => {
    const error = { type: "error", error: { type: "overloaded_error", message: "Overloaded" } };
    for (const sent of [events.slice(0, 9), [...events.slice(0, 9), error]]) {
      await expect(ask(() => eventStream(sent)).answer).rejects.toMatchObject({
        details: { usage: { input: 800, cached: 700, output: 1 } },
      });
    }
  });

  it.each([
    ["end_turn", "stop"],
    ["stop_sequence", "stop"],
    ["max_tokens", "length"],
    ["model_context_window_exceeded", "length"],
    ["tool_use", "tool-calls"],
    ["refusal", "content-filter"],
    ["pause_turn", "other"],
    ["something new", "other"],
  ])("that stopped for %s finishes with %s", async (stop_reason, finish) => {
    const answer = await ask(() => json({ ...message, stop_reason })).answer;
    expect(answer).toMatchObject({ finish });
  });

  it("counts tools, also those that the provider runs", async () => {
    const content = [
      { type: "tool_use", id: "1", name: "a", input: {} },
      { type: "server_tool_use", id: "2", name: "b", input: {} },
      { type: "mcp_tool_use", id: "3", name: "c", input: {} },
    ];
    await expect(ask(() => json({ ...message, content })).answer).resolves.toMatchObject({
      text: "",
      toolCalls: 3,
    });
  });

  it.each([{}, [], 1, null, { type: "message" }, { type: "message", content: "text" }])(
    "%j is no reason to crash",
    async (body) => {
      const answer: unknown = await ask(() => json(body)).answer.catch((error: unknown) => error);
      if (answer instanceof Error) expect(answer).toMatchObject({ code: "summarizer-failed" });
      else expect(answer).toMatchObject({ text: "" });
    },
  );
});

it.each([
  [{ model: "" }, /needs the name of a model/],
  [{ model: undefined as never }, /needs the name of a model/],
  [{ model: "m", baseURL: "localhost" }, /is no address/],
  [{ model: "m", baseURL: "file:///etc/passwd" }, /is no address/],
  [{ model: "m", baseURL: "https://me:secret@example.com" }, /user name or a password/],
  [{ model: "m", window: -1 }, /window -1/],
  [{ model: "m", maxTokens: 0 }, /maxTokens 0/],
])("%j makes no sense", (options, message) => {
  const make = (): unknown => anthropicSummarizer(options);
  expect(make).toThrow(expect.objectContaining({ code: "invalid-options" }));
  expect(make).toThrow(message);
  expect(make).not.toThrow(/secret/);
});

import { describe, expect, it } from "vitest";
import { type HttpSummarizerOptions, openaiCompatibleSummarizer } from "../../src/models/index.ts";
import { eventStream, json, scriptedFetch, type ScriptedFetch } from "./scripted-fetch.ts";
import { summaryRequest } from "./summary-request.ts";

const usage = {
  prompt_tokens: 800,
  prompt_tokens_details: { cached_tokens: 700 },
  completion_tokens: 5,
};

function completion(message: object, rest: object = {}): object {
  return { choices: [{ index: 0, message, finish_reason: "stop", ...rest }], usage };
}

function ask(
  answer: () => Response,
  options: Partial<HttpSummarizerOptions> = {},
): ScriptedFetch & { readonly answer: Promise<unknown>; readonly name: string } {
  const script = scriptedFetch(answer);
  const env = { OPENAI_API_KEY: "key-of-openai", OPENAI_COMPATIBLE_API_KEY: "key-of-another" };
  const summarizer = openaiCompatibleSummarizer({
    model: "m",
    env,
    fetch: script.fetch,
    ...options,
  });
  return { ...script, name: summarizer.name, answer: summarizer.summarize(summaryRequest()) };
}

const fine = (): Response => json(completion({ content: "Fine." }));

describe("the request", () => {
  it("is one of OpenAI's Chat Completions", async () => {
    const { sent, answer, name } = ask(fine);
    await answer;
    expect(name).toBe("openai:m");
    expect(sent[0]).toMatchObject({
      url: "https://api.openai.com/v1/chat/completions",
      init: { method: "POST", redirect: "manual" },
      body: {
        model: "m",
        max_completion_tokens: 12_000,
        messages: [
          { role: "system", content: "You write summaries." },
          { role: "user", content: "Summarize: the tests are green." },
        ],
        stream: true,
        stream_options: { include_usage: true },
      },
    });
    expect(Object.fromEntries(sent[0]!.headers)).toEqual({
      authorization: "Bearer key-of-openai",
      "content-type": "application/json",
    });
  });

  it("has other words and another key for another server", async () => {
    const baseURL = "http://localhost:8080/v1/?token=hidden-in-the-query";
    const { sent, answer, name } = ask(fine, { baseURL, stream: false });
    await answer;
    expect(name).toBe("openai-compatible:http://localhost:8080/v1#m");
    expect(sent[0]!.url).toBe(
      "http://localhost:8080/v1/chat/completions?token=hidden-in-the-query",
    );
    expect(sent[0]!.headers.get("authorization")).toBe("Bearer key-of-another");
    expect(sent[0]!.body).toMatchObject({ max_tokens: 12_000 });
    expect(sent[0]!.body).not.toHaveProperty("stream_options");
  });

  it("never sends OpenAI's key to another server", async () => {
    const env = { OPENAI_API_KEY: "key-of-openai" };
    const { sent, answer } = ask(fine, { baseURL: "http://localhost:8080/v1", env });
    await answer;
    expect(JSON.stringify([...sent[0]!.headers, sent[0]!.body])).not.toContain("key-of-openai");
  });

  it("goes where OpenAI's SDK would go", async () => {
    const env = { OPENAI_API_KEY: "key", OPENAI_BASE_URL: "https://gateway.example/openai/v1" };
    const { sent, answer } = ask(fine, { env });
    await answer;
    expect(sent[0]!.url).toBe("https://gateway.example/openai/v1/chat/completions");
  });

  it("is not sent without a key", async () => {
    const { sent, answer } = ask(fine, { env: {} });
    await expect(answer).rejects.toThrow(
      "openai:m has no key; set OPENAI_API_KEY, or pass apiKey.",
    );
    expect(sent).toEqual([]);
  });

  it("asks for no more than a small window has room for", async () => {
    const small = ask(fine, { baseURL: "http://localhost:1", window: 4_096 });
    await small.answer;
    const { max_tokens } = small.sent[0]!.body as { readonly max_tokens: number };
    expect(max_tokens).toBeGreaterThan(4_000);
    expect(max_tokens).toBeLessThan(4_096);
  });
});

describe("the answer", () => {
  const expected = {
    text: "Fine.",
    usage: { input: 800, cached: 700, output: 5 },
    finish: "stop",
    toolCalls: 0,
  };

  it("is the text of the first choice", async () => {
    await expect(ask(fine).answer).resolves.toEqual(expected);
  });

  const chunk = (delta: object, finish_reason: string | null = null): object => ({
    choices: [{ index: 0, delta, finish_reason }],
  });
  const chunks = [
    chunk({ role: "assistant", content: "" }),
    chunk({ reasoning_content: "hidden" }),
    chunk({ content: "Fi" }),
    chunk({ content: "ne." }),
    chunk({}, "stop"),
    { choices: [], usage },
    "[DONE]",
  ];

  it.each([1, 7, 1_000])("can be a stream, in pieces of %d bytes", async (size) => {
    await expect(ask(() => eventStream(chunks, size)).answer).resolves.toEqual(expected);
  });

  it("is whole without the last lines, or without a reason to stop", async () => {
    await expect(ask(() => eventStream(chunks.slice(0, -2))).answer).resolves.toMatchObject({
      text: "Fine.",
      finish: "stop",
    });
    const unfinished = chunks.filter((one) => !JSON.stringify(one).includes('"stop"'));
    await expect(ask(() => eventStream(unfinished)).answer).resolves.toEqual(expected);
  });

  it.each([0, 1, 2, 3])("is none if it ends after chunk %d", async (count) => {
    const torn = ask(() => eventStream(chunks.slice(0, count)));
    await expect(torn.answer).rejects.toMatchObject({
      code: "summarizer-failed",
      message: expect.stringContaining("broke off"),
    });
  });

  it.each([
    ["stop", "stop"],
    ["length", "length"],
    ["tool_calls", "tool-calls"],
    ["function_call", "tool-calls"],
    ["content_filter", "content-filter"],
    ["eos", "other"],
  ])("that stopped for %s finishes with %s", async (finish_reason, finish) => {
    const answer = await ask(() => json(completion({ content: "x" }, { finish_reason }))).answer;
    expect(answer).toMatchObject({ finish });
  });

  it("counts tools, in one piece and in many", async () => {
    const call = { id: "1", type: "function", function: { name: "a", arguments: "{}" } };
    const whole = completion({ content: null, tool_calls: [call, { ...call, id: "2" }] });
    await expect(ask(() => json(whole)).answer).resolves.toMatchObject({ text: "", toolCalls: 2 });
    const pieces = [0, 0, 1, 1].map((index) => chunk({ tool_calls: [{ ...call, index }] }));
    const streamed = ask(() => eventStream([...pieces, chunk({}, "tool_calls")]));
    await expect(streamed.answer).resolves.toMatchObject({ toolCalls: 2, finish: "tool-calls" });
    const legacy = completion({ content: null, function_call: { name: "a", arguments: "{}" } });
    await expect(ask(() => json(legacy)).answer).resolves.toMatchObject({ toolCalls: 1 });
  });

  it("is refused where the model says so", async () => {
    const refusal = completion({ content: null, refusal: "I cannot." });
    await expect(ask(() => json(refusal)).answer).resolves.toMatchObject({
      text: "",
      finish: "content-filter",
    });
  });

  it.each([
    ["<think>hidden\n</think>\n\nFine.", "Fine."],
    ["\n<thinking>hidden</thinking>Fine.", "Fine."],
    ["Use <think>tags</think>.", "Use <think>tags</think>."],
    [
      [
        { type: "thinking", thinking: [] },
        { type: "text", text: "Fine." },
      ],
      "Fine.",
    ],
  ])("%j is %j", async (content, text) => {
    await expect(ask(() => json(completion({ content }))).answer).resolves.toMatchObject({ text });
  });

  it("has DeepSeek's count of what was cached", async () => {
    const counted = { prompt_tokens: 800, prompt_cache_hit_tokens: 640, completion_tokens: 5 };
    const body = { ...completion({ content: "Fine." }), usage: counted };
    await expect(ask(() => json(body)).answer).resolves.toMatchObject({
      usage: { input: 800, cached: 640, output: 5 },
    });
  });

  it.each([{}, [], 1, null, { choices: [] }, { choices: [{}] }, { choices: [{ message: 1 }] }])(
    "%j is none",
    async (body) => {
      await expect(ask(() => json(body)).answer).rejects.toMatchObject({
        code: "summarizer-failed",
      });
    },
  );
});

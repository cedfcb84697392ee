import { describe, expect, it } from "vitest";
import { errorLayers, layersText } from "../../../src/core/overflow/error-layers.ts";
import { recogniseOverflow } from "../../../src/core/overflow/index.ts";
import { OVERFLOWS } from "../../../src/core/overflow/provider-error.ts";

/** The shapes that SDKs and servers give; the texts are the servers' own. */
const SHAPES: readonly [string, unknown, object][] = [
  [
    "Anthropic, as a body",
    {
      type: "error",
      error: {
        type: "invalid_request_error",
        message: "prompt is too long: 22886 tokens > 20000 maximum",
      },
    },
    { tokens: 22_886, limit: 20_000 },
  ],
  [
    "Anthropic, with max_tokens",
    new Error("input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"),
    { tokens: 190_000, limit: 200_000 },
  ],
  [
    "OpenAI, as an SDK error",
    Object.assign(
      new Error(
        "400 This model's maximum context length is 128000 tokens. However, your messages resulted in 130512 tokens.",
      ),
      { status: 400, code: "context_length_exceeded" },
    ),
    { limit: 128_000, tokens: 130_512 },
  ],
  [
    "OpenAI Responses",
    {
      error: {
        code: "context_length_exceeded",
        message: "Your input exceeds the context window of this model.",
      },
    },
    {},
  ],
  [
    "Google",
    {
      error: {
        code: 400,
        message:
          "The input token count (1048577) exceeds the maximum number of tokens allowed (1048576).",
      },
    },
    { tokens: 1_048_577, limit: 1_048_576 },
  ],
  ["LangChain", new Error("Input exceeded the model's context window."), {}],
  ["Bedrock", new Error("Input is too long for requested model."), {}],
  [
    "llama.cpp",
    {
      error: {
        type: "exceed_context_size_error",
        code: 400,
        message: "the request exceeds the available context size",
      },
    },
    {},
  ],
  [
    "llama.cpp, with its sizes",
    {
      status: 400,
      error: {
        code: 400,
        message: "the request exceeds the available context size, try increasing it",
        type: "exceed_context_size_error",
        n_prompt_tokens: 14_429,
        n_ctx: 8_192,
      },
    },
    { tokens: 14_429, limit: 8_192 },
  ],
  [
    "Mistral",
    {
      message:
        "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
    },
    { tokens: 40_000, limit: 32_768 },
  ],
  [
    "xAI",
    new Error(
      "This model's maximum prompt length is 131072 but the request contains 140000 tokens.",
    ),
    { limit: 131_072, tokens: 140_000 },
  ],
  ["a bare 413", { status: 413, body: "" }, {}],
  [
    "a wrapped cause",
    new Error("request failed", { cause: new Error("prompt is too long: 5 tokens > 4 maximum") }),
    { tokens: 5, limit: 4 },
  ],
  [
    "a text",
    "prompt token count of 70000 exceeds the limit of 64000",
    { tokens: 70_000, limit: 64_000 },
  ],
];

/** A text of each server, as it stands in its error; `limit` and `tokens` where they can be read. */
const TEXTS: readonly [string, string, object?][] = [
  [
    "Anthropic, 413",
    '413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}',
  ],
  ["z.ai, stop reason", "model_context_window_exceeded"],
  [
    "Together",
    "400 The input (516368 tokens) is longer than the model's context length (262144 tokens).",
    { tokens: 516_368, limit: 262_144 },
  ],
  [
    "Poolside",
    "Input length 131,393 exceeds the maximum allowed input length of 131,040 tokens.",
    { tokens: 131_393, limit: 131_040 },
  ],
  [
    "OpenAI-compatible",
    "400 Input length (265330) exceeds model's maximum context length (262144).",
    { tokens: 265_330, limit: 262_144 },
  ],
  [
    "LiteLLM",
    "Error: 503 litellm.ServiceUnavailableError: OpenAIException - Requested token count exceeds the model's maximum context length of 131072 tokens.",
    { limit: 131_072 },
  ],
  [
    "OpenRouter",
    "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens",
    { limit: 131_072, tokens: 200_000 },
  ],
  [
    "vLLM",
    "The decoder prompt (length 9000) is longer than the maximum model length of 4096.",
    { limit: 4_096 },
  ],
  [
    "vLLM, input only",
    "You passed 4097 input tokens. However, the model's context length is only 4096 tokens",
    { limit: 4_096 },
  ],
  ["OpenAI", "Your input exceeds the context window of this model"],
  ["a gateway", "Request size exceeds model context window"],
  ["Bedrock", "Input is too long for requested model."],
  ["llama.cpp", "the request exceeds the available context size, try increasing it"],
  ["llama.cpp, while it answers", "Context size has been exceeded."],
  ["LM Studio", "tokens to keep from the initial prompt is greater than the context length"],
  ["Ollama", "prompt too long; exceeded max context length by 1200 tokens"],
  ["Groq", "Please reduce the length of the messages or completion"],
  [
    "xAI",
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens",
    { limit: 131_072, tokens: 537_812 },
  ],
  [
    "Cohere",
    "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5000",
    { limit: 4_081, tokens: 5_000 },
  ],
  [
    "Hugging Face TGI",
    "`inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens",
    { limit: 4_096, tokens: 5_000 },
  ],
  ["Alibaba", "Range of input length should be [1, 129024]", { limit: 129_024 }],
  ["MiniMax", "invalid params, context window exceeds limit"],
  [
    "Kimi",
    "Your request exceeded model token limit: 262144 (requested: 300000)",
    { limit: 262_144, tokens: 300_000 },
  ],
  ["Zhipu", '{"code":"1261","message":"Prompt exceeds max length"}'],
  ["Zhipu, in Chinese", "输入内容超过模型最大上下文长度"],
  ["Zhipu, in both", "Prompt 超长"],
  [
    "DS4",
    "Prompt has 40,000 tokens, but the configured context size is 32,768 tokens",
    { tokens: 40_000, limit: 32_768 },
  ],
  ["Cerebras, 400", "400 status code (no body)"],
  ["Cerebras, 413", "413 status code (no body)"],
  ["a code alone", "context_length_exceeded"],
  ["a gateway's code", "capability_rejected: prompt_too_long"],
  ["a proxy", "413 Request Entity Too Large"],
  ["anybody", "token limit exceeded, please shorten your input"],
  ["anybody, of the window", "The context window of the model was exceeded"],
  ["anybody, of tokens", "Your input has too many tokens"],
];

/** The texts of a pattern: what stands between the bars that are in no group. */
function alternatives(source: string): readonly string[] {
  let depth = 0;
  const marked = source.replace(/\\.|\[[^\]]*\]|[()|]/g, (token) => {
    if (token === "(") depth++;
    if (token === ")") depth--;
    return token === "|" && depth === 0 ? "\n" : token;
  });
  return marked.split("\n");
}

describe("T7: a provider's overflow error", () => {
  it.each(SHAPES)("is recognised: %s", (_, error, expected) => {
    expect(recogniseOverflow(error)).toEqual(expected);
  });

  it.each(TEXTS)(
    "is recognised by its text alone, also in an error: %s",
    (_, text, expected = {}) => {
      expect(recogniseOverflow(text)).toEqual(expected);
      expect(recogniseOverflow(new Error("failed", { cause: new Error(text) }))).toEqual(expected);
    },
  );

  it("has a sample of each of its texts, which no other text recognises before", () => {
    const samples = [...SHAPES, ...TEXTS].map(([, given]) => layersText(errorLayers(given)));
    const found = samples.map((text) => OVERFLOWS.find(([, pattern]) => pattern.test(text)));
    const without = OVERFLOWS.flatMap((entry) => {
      const own = samples.filter((_, index) => found[index] === entry);
      const { source, flags } = entry[1];
      const texts = alternatives(source).map((text) => new RegExp(text, flags));
      return texts.filter((text) => !own.some((sample) => text.test(sample)));
    });
    expect(without).toEqual([]);
  });

  it.each([
    ["tokens per time", "Too many tokens per minute, please slow down."],
    ["throttling", "ThrottlingException: Too many tokens, please wait before trying again."],
    ["a queue", "Service unavailable: Too many tokens queued"],
    ["another status", "4000 status code (no body)"],
    ["another error without a body", "401 status code (no body)"],
    [
      "a rate limit",
      { status: 429, error: { message: "Rate limit reached: 30000 tokens per min (TPM)" } },
    ],
    ["too many requests", new Error("Too many requests, please reduce the length of the messages")],
    [
      "a pairing error",
      { error: { message: "tool_use ids were found without tool_result blocks" } },
    ],
    ["an overloaded server", { status: 529, error: { type: "overloaded_error" } }],
    ["nothing", undefined],
    ["a number", 413],
  ])("is not seen in %s", (_, error) => {
    expect(recogniseOverflow(error)).toBeUndefined();
  });

  it("is found without end in an error that is its own cause", () => {
    const error = new Error("odd");
    error.cause = error;
    expect(recogniseOverflow(error)).toBeUndefined();
  });
});

describe("T7: an overflow that the provider does not call one", () => {
  const window = 128_000;
  it.each([
    ["more input than the window holds", { usage: { input: 130_000, output: 20 } }, window],
    [
      "the same, most of it from the cache",
      { usage: { input: 601, output: 80, cacheRead: 154_624 }, finish: "length" },
      window,
    ],
    [
      "nothing in an answer that was cut off",
      { usage: { input: 90, output: 0 }, finish: "length" },
    ],
    ["cut off in a full window", { usage: { input: 127_000, output: 40 }, finish: "incomplete" }],
    [
      "the stop reason of Anthropic and z.ai",
      { finish: "model_context_window_exceeded" },
      undefined,
    ],
  ])(
    "is recognised: %s",
    (_, end, limit = "usage" in end ? end.usage.input + end.usage.output : undefined) => {
      expect(recogniseOverflow(end, window)?.limit).toBe(limit);
      expect(recogniseOverflow(end, window)).toBeDefined();
    },
  );

  it.each([
    ["an answer", { usage: { input: 90_000, output: 20 }, finish: "stop" }],
    ["an empty answer that is whole", { usage: { input: 90_000, output: 0 }, finish: "stop" }],
    [
      "a long answer that was cut off",
      { usage: { input: 90_000, output: 8_000 }, finish: "length" },
    ],
    ["an end without usage", { finish: "length" }],
    ["no report", { usage: { input: 0, output: 0 }, finish: "length" }],
  ])("is not seen in %s", (_, end) => {
    expect(recogniseOverflow(end, window)).toBeUndefined();
  });

  it("is not seen in much input where nobody knows the window", () => {
    expect(recogniseOverflow({ usage: { input: 130_000, output: 20 } })).toBeUndefined();
  });
});

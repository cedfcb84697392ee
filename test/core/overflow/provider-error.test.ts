import { describe, expect, it } from "vitest";
import { recogniseOverflow } from "../../../src/core/overflow/index.ts";

/** The shapes that SDKs and servers give; the texts are the servers' own. */
const OVERFLOWS: readonly [string, unknown, object][] = [
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

describe("T7: a provider's overflow error", () => {
  it.each(OVERFLOWS)("is recognised: %s", (_, error, expected) => {
    expect(recogniseOverflow(error)).toEqual(expected);
  });

  it.each([
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

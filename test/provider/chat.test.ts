import { describe, expect, test } from "vitest";
import { upstreamForTest } from "./for-test.ts";
import type { UpstreamOptions } from "./index.ts";
import { type Answered, post } from "./post.ts";

type Body = Readonly<Record<string, unknown>>;

const call = (id: string, changes: object = {}): Body => ({
  id,
  type: "function",
  function: { name: "read", arguments: '{"path":"a"}', ...changes },
});
const step = (...calls: Body[]): Body => ({ role: "assistant", content: null, tool_calls: calls });
const result = (id: string): Body => ({ role: "tool", tool_call_id: id, content: "found" });
const ask: Body = { role: "user", content: "Read a and b." };
const tool = { type: "function", function: { name: "read", parameters: { type: "object" } } };
const messages = [
  { role: "developer", content: "You read." },
  ask,
  step(call("a"), call("b")),
  result("b"),
  result("a"),
];
const legal: Body = { model: "m", messages, tools: [tool] };
const withMessages = (...list: unknown[]): Body => ({ ...legal, messages: list });

async function send(body: unknown, options: Partial<UpstreamOptions> = {}): Promise<Answered> {
  const upstream = await upstreamForTest({ script: () => "ok", ...options });
  return post(upstream.url, "openai-chat", body);
}

describe("a legal request is answered", () => {
  const cases: Record<string, Body> = {
    "calls and results": legal,
    "two users in a row, and a system message in between": withMessages(
      ask,
      ask,
      { role: "system", content: "Be brief." },
      ask,
    ),
    "the assistant first": withMessages({ role: "assistant", content: "A summary." }, ask),
    "an id again in another step": withMessages(
      ask,
      step(call("a")),
      result("a"),
      step(call("a")),
      result("a"),
    ),
    "arguments that are no JSON": withMessages(
      ask,
      step(call("a", { arguments: "{" })),
      result("a"),
    ),
    "an empty text": withMessages({ role: "user", content: "" }),
  };
  test.each(Object.entries(cases))("%s", async (_name, body) => {
    const { message, status } = await send(body);
    expect(message).toBe("");
    expect(status).toBe(200);
  });
});

describe("an illegal request is refused", () => {
  const unanswered =
    "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: ";
  const cases: [string, Body, string, object?][] = [
    ["no model", { messages }, "you must provide a model parameter"],
    [
      "no messages",
      { model: "m" },
      "Missing required parameter: 'messages'.",
      { param: "messages" },
    ],
    ["an empty list", withMessages(), "Invalid 'messages': empty array.", { code: "empty_array" }],
    ["an unknown field", { ...legal, top_k: 1 }, "Unrecognized request argument supplied: top_k"],
    [
      "both output limits",
      { ...legal, max_tokens: 1, max_completion_tokens: 1 },
      "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    ],
    [
      "stream options without a stream",
      { ...legal, stream_options: { include_usage: true } },
      "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
    ],
    ["no tools in tools", { ...legal, tools: [] }, "Invalid 'tools': empty array."],
    [
      "a tool choice without tools",
      { model: "m", messages: [ask], tool_choice: "auto" },
      "'tool_choice' is only allowed when 'tools' are specified.",
    ],
    [
      "a tool name with a dot",
      { ...legal, tools: [{ type: "function", function: { name: "a.b" } }] },
      "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
      { param: "tools[0].function.name", code: "invalid_value" },
    ],
    [
      "a tool of an unknown type",
      { ...legal, tools: [{ type: "web_search" }] },
      "Invalid value: 'web_search'. Supported values are: 'function' and 'custom'.",
    ],
    [
      "a tool that is not described",
      { ...legal, tools: [{ type: "function" }] },
      "Missing required parameter: 'tools[0].function'.",
    ],
    [
      "a tool without name",
      { ...legal, tools: [{ type: "function", function: {} }] },
      "Missing required parameter: 'tools[0].function.name'.",
    ],
    [
      "messages as text",
      { model: "m", messages: "hi" },
      "Invalid type for 'messages': expected an",
    ],
    [
      "a message that is text",
      withMessages("hi"),
      "Invalid type for 'messages[0]': expected an object, but got a string instead.",
    ],
    ["no role", withMessages({ content: "hi" }), "Missing required parameter: 'messages[0].role'."],
    [
      "content that is an object",
      withMessages({ role: "user", content: {} }),
      "Invalid type for 'messages[0].content': expected one of a string or array of objects",
    ],
    [
      "text that is a number",
      withMessages({ role: "user", content: [{ type: "text", text: 1 }] }),
      "Invalid type for 'messages[0].content[0].text': expected a string, but got a number",
    ],
    [
      "calls that are an object",
      withMessages(ask, { role: "assistant", content: "x", tool_calls: {} }),
      "Invalid type for 'messages[1].tool_calls': expected an array of objects",
    ],
    [
      "a call without id",
      withMessages(ask, step({ ...call("a"), id: undefined }), result("a")),
      "Missing required parameter: 'messages[1].tool_calls[0].id'.",
    ],
    [
      "a call of an unknown type",
      withMessages(ask, step({ ...call("a"), type: "tool" }), result("a")),
      "Invalid value: 'tool'. Supported values are: 'function' and 'custom'.",
    ],
    [
      "a call that names no function",
      withMessages(ask, step({ ...call("a"), function: undefined }), result("a")),
      "Missing required parameter: 'messages[1].tool_calls[0].function'.",
    ],
    [
      "a long tool name",
      { ...legal, tools: [{ type: "function", function: { name: "a".repeat(65) } }] },
      "Invalid 'tools[0].function.name': string too long. Expected a string with maximum length 64",
    ],
    [
      "an unknown role",
      withMessages({ role: "model", content: "x" }),
      "Invalid value: 'model'. Supported values are: 'system', 'assistant', 'user', 'function', 'tool', and 'developer'.",
      { param: "messages[0].role", code: "invalid_value" },
    ],
    [
      "an unknown field of a message",
      withMessages(ask, { role: "assistant", content: "x", reasoning_content: "y" }),
      "Unknown parameter: 'messages[1].reasoning_content'.",
      { code: "unknown_parameter" },
    ],
    [
      "no content",
      withMessages({ role: "user", content: null }),
      "Invalid value for 'content': expected a string, got null.",
      { param: "messages[0].content" },
    ],
    [
      "no parts",
      withMessages({ role: "user", content: [] }),
      "Invalid 'messages[0].content': empty",
    ],
    [
      "an image in a result",
      withMessages(ask, step(call("a")), {
        ...result("a"),
        content: [{ type: "image_url", image_url: { url: "https://example.com/a.png" } }],
      }),
      "Invalid value: 'image_url'. Supported values are: 'text'.",
    ],
    [
      "a result first",
      withMessages(result("a")),
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.",
      { param: "messages.[0].role" },
    ],
    [
      "a result of no call of this step",
      withMessages(ask, step(call("a")), result("a"), result("b")),
      "'tool_call_id' of 'b' not found in 'tool_calls' of previous message.",
    ],
    [
      "two results of one call",
      withMessages(ask, step(call("a")), result("a"), result("a")),
      "Invalid parameter: Duplicate value for 'tool_call_id' of 'a', in messages[2] and messages[3].",
    ],
    [
      "a call without result",
      withMessages(ask, step(call("a"), call("b")), result("a")),
      `${unanswered}b`,
    ],
    [
      "a result behind another message",
      withMessages(ask, step(call("a")), ask, result("a")),
      `${unanswered}a`,
      { param: "messages.[2].role" },
    ],
    [
      "one id twice in a step",
      withMessages(ask, step(call("a"), call("a")), result("a")),
      "Duplicate value for 'id' of 'a' in 'tool_calls'.",
    ],
    [
      "an empty list of calls",
      withMessages(ask, step()),
      "Invalid 'messages[1].tool_calls': empty",
    ],
    [
      "arguments that are an object",
      withMessages(ask, step(call("a", { arguments: {} })), result("a")),
      "Invalid type for 'messages[1].tool_calls[0].function.arguments': expected a string, but got an object instead.",
      { code: "invalid_type" },
    ],
    [
      "a call without arguments",
      withMessages(ask, step(call("a", { arguments: undefined })), result("a")),
      "Missing required parameter: 'messages[1].tool_calls[0].function.arguments'.",
    ],
    [
      "a call name with a dot",
      withMessages(ask, step(call("a", { name: "a.b" })), result("a")),
      "Invalid 'messages[1].tool_calls[0].function.name': string does not match pattern.",
    ],
    [
      "a long call id",
      withMessages(ask, step(call("a".repeat(41))), result("a".repeat(41))),
      "Invalid 'messages[1].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 41 instead.",
      { code: "string_above_max_length" },
    ],
    [
      "a result without id",
      withMessages(ask, step(call("a")), { role: "tool", content: "x" }),
      "Missing required parameter: 'messages[2].tool_call_id'.",
    ],
  ];
  test.each(cases)("%s", async (_name, body, expected, error = {}) => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const answered = await post(upstream.url, "openai-chat", body);
    expect(answered.message).toContain(expected);
    expect(answered.status).toBe(400);
    expect(answered.body).toMatchObject({ error: { type: "invalid_request_error", ...error } });
    expect(upstream.refusals).toEqual([`400 ${answered.message}`]);
  });

  test("no key, a wrong key, no JSON", async () => {
    const upstream = await upstreamForTest({ script: () => "ok", apiKey: "right" });
    const bare = await fetch(`${upstream.url}/v1/chat/completions`, {
      method: "POST",
      body: JSON.stringify(legal),
    });
    expect(bare.status).toBe(401);
    const wrong = await post(upstream.url, "openai-chat", legal);
    expect(wrong).toMatchObject({ status: 401, body: { error: { code: "invalid_api_key" } } });
    const torn = await post(upstream.url, "openai-chat", "{", { authorization: "Bearer right" });
    expect(torn.status).toBe(400);
    expect(torn.message).toContain("We could not parse the JSON body of your request.");
  });
});

test("servers that imitate OpenAI take reasoning back, and DeepSeek wants it", async () => {
  const bare = withMessages(ask, step(call("a")), result("a"));
  const thought = withMessages(ask, { ...step(call("a")), reasoning_content: "hm" }, result("a"));
  expect((await send(thought, { server: "vllm" })).status).toBe(200);
  expect((await send(bare, { server: "vllm" })).status).toBe(200);
  expect((await send(thought, { server: "deepseek" })).status).toBe(200);
  const refused = await send(bare, { server: "deepseek" });
  expect(refused.status).toBe(400);
  expect(refused.message).toContain("Missing `reasoning_content` field in the assistant message");
});

test("only servers that imitate OpenAI show their reasoning", async () => {
  const script: UpstreamOptions["script"] = () => ({
    parts: [
      { type: "reasoning", text: "hm" },
      { type: "text", text: "ok" },
    ],
  });
  const body = withMessages(ask);
  const shown = await send(body, { script, server: "llama.cpp" });
  const hidden = await send(body, { script });
  expect(shown.body).toMatchObject({ choices: [{ message: { reasoning_content: "hm" } }] });
  expect(JSON.stringify(hidden.body)).not.toContain("hm");
  expect(hidden.body).toMatchObject({
    usage: { completion_tokens_details: { reasoning_tokens: 1 } },
  });
});

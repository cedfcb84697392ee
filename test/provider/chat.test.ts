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
  const cases: [string, Body, string, object?][] = [
    // What the dialect's own check says; its tests have the rest.
    [
      "a call without result",
      withMessages(ask, step(call("a"), call("b")), result("a")),
      "(unanswered-tool-call)",
    ],
    ["no messages at all", withMessages(), "(empty-conversation)"],
    ["messages as text", { model: "m", messages: "hi" }, "(empty-conversation)"],
    ["a message that is text", withMessages("hi"), "(unknown-role)"],
    // What only the server knows.
    ["no model", { messages }, "model: Field required", { param: "model" }],
    ["no messages", { model: "m" }, "messages: Field required", { param: "messages" }],
    ["an unknown field", { ...legal, top_k: 1 }, "top_k: Extra inputs are not permitted"],
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
      "Invalid 'tools[0].function.name': string does not match pattern",
      { param: "tools[0].function.name", code: "invalid_value" },
    ],
    ["a tool of an unknown type", { ...legal, tools: [{ type: "web_search" }] }, "tools[0]: nei"],
    ["a tool that is not described", { ...legal, tools: [{ type: "function" }] }, "tools[0]: nei"],
    [
      "an unknown field of a message",
      withMessages(ask, { role: "assistant", content: "x", reasoning_content: "y" }),
      "messages[1].reasoning_content: Extra inputs are not permitted",
    ],
    [
      "a part that users do not send",
      withMessages({ role: "user", content: [{ type: "input_text", text: "hi" }] }),
      "messages[0].content: no part is a input_text",
    ],
    [
      "a long call id",
      withMessages(ask, step(call("a".repeat(41))), result("a".repeat(41))),
      "messages[1].tool_calls: an id has more than 40 characters",
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

test("DeepSeek wants reasoning back with every call", async () => {
  const bare = withMessages(ask, step(call("a")), result("a"));
  const thought = withMessages(ask, { ...step(call("a")), reasoning_content: "hm" }, result("a"));
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
  const shown = await send(body, { script, server: "deepseek" });
  const hidden = await send(body, { script });
  expect(shown.body).toMatchObject({ choices: [{ message: { reasoning_content: "hm" } }] });
  expect(JSON.stringify(hidden.body)).not.toContain("hm");
  expect(hidden.body).toMatchObject({
    usage: { completion_tokens_details: { reasoning_tokens: 1 } },
  });
});

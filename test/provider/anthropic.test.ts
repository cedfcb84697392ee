import { describe, expect, test } from "vitest";
import { upstreamForTest } from "./for-test.ts";
import type { UpstreamOptions } from "./index.ts";
import { type Answered, post } from "./post.ts";

type Body = Record<string, unknown>;
type Block = Record<string, unknown>;

const tool = { name: "read", description: "Reads.", input_schema: { type: "object" } };
const call = (id: string): Block => ({ type: "tool_use", id, name: "read", input: { path: id } });
const result = (id: string): Block => ({ type: "tool_result", tool_use_id: id, content: "found" });
const user = (...content: Block[]): Body => ({ role: "user", content });
const assistant = (...content: Block[]): Body => ({ role: "assistant", content });
const say = (text: string): Block => ({ type: "text", text });

const messages = [
  { role: "user", content: "Read a and b." },
  assistant(say("I read."), call("a"), call("b")),
  user(result("b"), result("a"), say("And then?")),
];
const legal: Body = {
  model: "m",
  max_tokens: 2_000,
  system: [say("You read.")],
  tools: [tool],
  messages,
};

async function send(
  body: Body | string,
  options: Partial<UpstreamOptions> = {},
  headers: Record<string, string> = {},
): Promise<Answered> {
  const upstream = await upstreamForTest({ script: () => "ok", ...options });
  return post(upstream.url, "anthropic", body, headers);
}

const marked = { cache_control: { type: "ephemeral" } };

describe("a legal request is answered", () => {
  const system = { role: "system", content: "From now on be brief." };
  const cases: Record<string, Body> = {
    "calls and results": legal,
    "four breakpoints": {
      ...legal,
      system: [{ ...say("a"), ...marked }],
      tools: [{ ...tool, ...marked }],
      messages: [
        user({ ...say("b"), ...marked }),
        assistant(call("a")),
        user({ ...result("a"), content: [{ ...say("c"), ...marked }] }),
      ],
    },
    "neighbours of one role": {
      ...legal,
      messages: [
        ...messages.slice(0, 2),
        user(result("a")),
        user(result("b")),
        user(say("And then?")),
      ],
    },
    "a result without content": {
      ...legal,
      messages: [
        ...messages.slice(0, 1),
        assistant(call("a")),
        user({ type: "tool_result", tool_use_id: "a" }),
      ],
    },
    "a system message behind a user turn": { ...legal, messages: [...messages, system] },
    "an unknown server block": {
      ...legal,
      messages: [
        user(say("Search.")),
        assistant(
          { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} },
          { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] },
        ),
        user(say("Thanks.")),
      ],
    },
    "a turn that a server tool paused": {
      ...legal,
      messages: [
        user(say("Search.")),
        assistant({ type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: {} }),
      ],
    },
  };
  test.each(Object.entries(cases))("%s", async (_name, body) => {
    const { message, status } = await send(body);
    expect(message).toBe("");
    expect(status).toBe(200);
  });
});

describe("an illegal request is refused", () => {
  const [ask, step, answer] = messages;
  const without = (field: string): Body => {
    const { [field]: _left, ...rest } = legal;
    return rest;
  };
  const withMessages = (...list: unknown[]): Body => ({ ...legal, messages: list });
  const cases: [string, Body, string | RegExp][] = [
    // What the dialect's own check says; its tests have the rest.
    [
      "a call without result",
      withMessages(ask, step, user(result("a"), say("b is missing"))),
      /calls b, .*\(unanswered-tool-call\)/,
    ],
    [
      "a system message between call and result",
      withMessages(ask, step, { role: "system", content: "x" }, answer),
      "(system-place)",
    ],
    ["no messages at all", withMessages(), "(empty-conversation)"],
    ["a message that is text", withMessages("hi"), "(unknown-role)"],
    ["an answer begun for the model", withMessages(ask, assistant(say("Sure"))), "ends-with-assis"],
    // What only the server knows.
    ["no model", without("model"), "model: Field required"],
    ["no max_tokens", without("max_tokens"), "max_tokens: Field required"],
    ["max_tokens 0", { ...legal, max_tokens: 0 }, "max_tokens: Input should be a valid integer"],
    ["a model that is no text", { ...legal, model: 1 }, "model: Input should be a valid string"],
    ["no messages", without("messages"), "messages: Field required"],
    ["tools as an object", { ...legal, tools: {} }, "tools: Input should be a valid list"],
    ["system as an object", { ...legal, system: {} }, "system: Input should be a valid list"],
    ["an unknown field", { ...legal, n: 1 }, "n: Extra inputs are not permitted"],
    [
      "a field of a beta without the beta",
      { ...legal, context_management: {} },
      "context_management: Extra inputs are not permitted",
    ],
    [
      "an unknown field of a message",
      withMessages({ ...ask, name: "me" }),
      "messages.0.name: Extra inputs are not permitted",
    ],
    [
      "an unknown field of a block",
      withMessages(user({ ...say("hi"), id: "x" })),
      "messages.0.content.0.text.id: Extra inputs are not permitted",
    ],
    [
      "an unknown block",
      withMessages(user({ type: "input_text", text: "hi" })),
      "messages.0.content.0: Input tag 'input_text' does not match",
    ],
    [
      "a tool schema that is no object",
      { ...legal, tools: [{ ...tool, input_schema: { type: "string" } }] },
      "tools.0.input_schema.type: Input should be 'object'",
    ],
    [
      "a tool name with a space",
      { ...legal, tools: [{ ...tool, name: "read file" }] },
      "tools.0.name: String should match pattern",
    ],
    ["calls without tools", without("tools"), "must define tools."],
    ["two tools of one name", { ...legal, tools: [tool, tool] }, "Tool names must be unique."],
    [
      "five breakpoints, one on a tool",
      {
        ...legal,
        tools: [{ ...tool, ...marked }],
        messages: [user(...Array.from("abcd", (one) => ({ ...say(one), ...marked })))],
      },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "a breakpoint of an hour behind one of five minutes",
      {
        ...legal,
        system: [{ ...say("s"), ...marked }],
        messages: [user({ ...say("a"), cache_control: { type: "ephemeral", ttl: "1h" } })],
      },
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after",
    ],
    [
      "a breakpoint on thinking",
      withMessages(
        ask,
        assistant({ type: "thinking", thinking: "x", signature: "y", ...marked }, say("z")),
        ask,
      ),
      "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    ],
    [
      "thinking signed elsewhere",
      withMessages(
        ask,
        assistant({ type: "thinking", thinking: "x", signature: "RXJy" }, say("z")),
        ask,
      ),
      "messages.1.content.0: Invalid `signature` in `thinking` block",
    ],
    [
      "a thinking budget above max_tokens",
      { ...legal, max_tokens: 1_500, thinking: { type: "enabled", budget_tokens: 2_000 } },
      "`max_tokens` must be greater than `thinking.budget_tokens`.",
    ],
    [
      "a thinking budget below the least",
      { ...legal, thinking: { type: "enabled", budget_tokens: 100 } },
      "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024",
    ],
    [
      "thinking enabled, and a step without it",
      {
        ...withMessages(ask, assistant(call("a")), user(result("a"))),
        thinking: { type: "enabled", budget_tokens: 1_024 },
      },
      "messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`.",
    ],
  ];
  test.each(cases)("%s", async (_name, body, expected) => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const { status, message, body: error, headers } = await post(upstream.url, "anthropic", body);
    if (typeof expected === "string") expect(message).toContain(expected);
    else expect(message).toMatch(expected);
    expect(status).toBe(400);
    expect(error).toMatchObject({
      type: "error",
      error: { type: "invalid_request_error" },
      request_id: headers.get("request-id"),
    });
    expect(upstream.refusals).toEqual([`400 ${message}`]);
  });

  test("no version, no key, a wrong key, no JSON", async () => {
    const upstream = await upstreamForTest({ script: () => "ok", apiKey: "right" });
    const bare = await fetch(`${upstream.url}/v1/messages`, {
      method: "POST",
      body: JSON.stringify(legal),
    });
    expect(bare.status).toBe(401);
    expect(await bare.json()).toMatchObject({ error: { type: "authentication_error" } });
    const wrong = await post(upstream.url, "anthropic", legal);
    expect(wrong).toMatchObject({ status: 401, message: "invalid x-api-key" });
    const right = { authorization: "", "x-api-key": "right" };
    const torn = await post(upstream.url, "anthropic", '{"model":', right);
    expect(torn).toMatchObject({ status: 400, message: "The request body is not valid JSON" });
    const unversioned = await fetch(`${upstream.url}/v1/messages`, {
      method: "POST",
      headers: { "x-api-key": "right" },
      body: JSON.stringify(legal),
    });
    expect(await unversioned.json()).toMatchObject({
      error: { message: "anthropic-version: header is required" },
    });
  });
});

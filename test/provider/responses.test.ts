import OpenAI from "openai";
import { describe, expect, test } from "vitest";
import { upstreamForTest } from "./for-test.ts";
import type { Script, Upstream } from "./index.ts";
import { post } from "./post.ts";

type Item = Readonly<Record<string, unknown>>;

const ask: Item = { role: "user", content: "Read a and b." };
const call = (id: string): Item => ({
  type: "function_call",
  call_id: id,
  name: "read",
  arguments: "{}",
});
const result = (id: string): Item => ({
  type: "function_call_output",
  call_id: id,
  output: "found",
});
const tool = { type: "function", name: "read", parameters: { type: "object" } };
const legal: Item = {
  model: "m",
  tools: [tool],
  input: [ask, call("a"), call("b"), result("a"), result("b")],
};
const withInput = (...input: unknown[]): Item => ({ ...legal, input });

describe("a legal request is answered", () => {
  const cases: Record<string, Item> = {
    "calls and outputs": legal,
    "a text": { model: "m", input: "Hello." },
    "the assistant first": withInput(
      { role: "assistant", content: [{ type: "output_text", text: "A summary." }] },
      ask,
    ),
    "an output behind a message": withInput(ask, call("a"), ask, result("a")),
    "an output in parts": withInput(ask, call("a"), {
      ...result("a"),
      output: [{ type: "input_text", text: "found" }],
    }),
    "a custom tool": withInput(
      ask,
      { type: "custom_tool_call", call_id: "a", name: "exec", input: "ls" },
      { type: "custom_tool_call_output", call_id: "a", output: "found" },
    ),
  };
  test.each(Object.entries(cases))("%s", async (_name, body) => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const { message, status } = await post(upstream.url, "openai-responses", body);
    expect(message).toBe("");
    expect(status).toBe(200);
  });
});

describe("an illegal request is refused", () => {
  const cases: [string, Item, string, object?][] = [
    ["no model", { input: "x" }, "Missing required parameter: 'model'.", { param: "model" }],
    ["no input", { model: "m" }, 'One of "input" or "previous_response_id"', { param: "input" }],
    ["no items", withInput(), "Invalid 'input': empty array."],
    ["an unknown field", { ...legal, messages: [] }, "Unknown parameter: 'messages'."],
    [
      "an unknown field of an item",
      withInput({ ...ask, name: "me" }),
      "Unknown parameter: 'input[0].name'.",
      { code: "unknown_parameter" },
    ],
    ["an unknown item", withInput({ type: "tool_use" }), "Invalid value: 'tool_use'."],
    [
      "an unknown role",
      withInput({ role: "tool", content: "x" }),
      "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
    ],
    [
      "input text of the assistant",
      withInput(ask, { role: "assistant", content: [{ type: "input_text", text: "x" }] }),
      "Invalid value: 'input_text'. Supported values are: 'output_text' and 'refusal'.",
    ],
    [
      "a small output limit",
      { ...legal, max_output_tokens: 1 },
      "Invalid 'max_output_tokens': integer below minimum value.",
      { code: "integer_below_min_value" },
    ],
    [
      "a tool name with a dot",
      { ...legal, tools: [{ ...tool, name: "a.b" }] },
      "Invalid 'tools[0].name': string does not match pattern.",
    ],
    [
      "a tool without type",
      { ...legal, tools: [{ name: "a" }] },
      "Missing required parameter: 'tools",
    ],
    [
      "arguments that are an object",
      withInput(ask, { ...call("a"), arguments: {} }, result("a")),
      "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
    ],
    [
      "a call without name",
      withInput(ask, { ...call("a"), name: undefined }, result("a")),
      "Missing required parameter: 'input[1].name'.",
      { param: "input[1].name" },
    ],
    [
      "reasoning without summary",
      withInput(ask, { type: "reasoning", id: "rs_1" }),
      "Missing required parameter: 'input[1].summary'.",
    ],
    [
      "a call name with a dot",
      withInput(ask, { ...call("a"), name: "a.b" }, result("a")),
      "Invalid 'input[1].name': string does not match pattern.",
    ],
    [
      "a long call id",
      withInput(ask, call("a".repeat(65)), result("a".repeat(65))),
      "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64",
    ],
    [
      "a long id",
      withInput({ ...ask, id: `msg_${"a".repeat(64)}` }),
      "Invalid 'input[0].id': string too long. Expected a string with maximum length 64",
    ],
    ["an id that is a number", withInput({ ...ask, id: 1 }), "Invalid type for 'input[0].id'"],
    [
      "content that is an object",
      withInput({ role: "user", content: {} }),
      "Invalid type for 'input[0].content': expected one of an array of objects or string",
    ],
    [
      "text that is a number",
      withInput({ role: "user", content: [{ type: "input_text", text: 1 }] }),
      "Invalid type for 'input[0].content[0].text': expected a string, but got a number",
    ],
    [
      "an output part of the model",
      withInput(ask, call("a"), { ...result("a"), output: [{ type: "output_text", text: "x" }] }),
      "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
    ],
    [
      "a foreign id",
      withInput(ask, { ...call("a"), id: "call_1" }, result("a")),
      "Invalid 'input[1].id': 'call_1'. Expected an ID that begins with 'fc'.",
    ],
    [
      "an output that is an object",
      withInput(ask, call("a"), { ...result("a"), output: {} }),
      "Invalid type for 'input[2].output'",
    ],
    [
      "a call without output",
      withInput(ask, call("a"), call("b"), result("a")),
      "No tool output found for function call b.",
      { param: "input" },
    ],
    [
      "an output without call",
      withInput(ask, result("a")),
      "No tool call found for function call output with call_id a.",
    ],
    [
      "an output before its call",
      withInput(ask, result("a"), call("a")),
      "No tool call found for function call output with call_id a.",
    ],
    [
      "two outputs of one call",
      withInput(ask, call("a"), result("a"), result("a")),
      "Duplicate function call output found with call_id a.",
    ],
    [
      "one call id twice",
      withInput(ask, call("a"), result("a"), call("a")),
      "Duplicate item found with call_id a.",
    ],
    [
      "one item id twice",
      withInput({ ...ask, id: "msg_1" }, { ...ask, id: "msg_1" }),
      "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
    ],
    [
      "reasoning sealed elsewhere",
      withInput(
        ask,
        { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "gAAAAABaaaaa" },
        { role: "assistant", content: "x" },
      ),
      "The encrypted content for item rs_1 could not be verified.",
      { code: "invalid_encrypted_content" },
    ],
    [
      "an unknown previous response",
      { ...legal, input: "x", previous_response_id: "resp_9" },
      "Previous response with id 'resp_9' not found.",
      { code: "previous_response_not_found", param: "previous_response_id" },
    ],
  ];
  test.each(cases)("%s", async (_name, body, expected, error = {}) => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const answered = await post(upstream.url, "openai-responses", body);
    expect(answered.message).toContain(expected);
    expect(answered.status).toBe(400);
    expect(answered.body).toMatchObject({ error: { type: "invalid_request_error", ...error } });
    expect(upstream.refusals).toEqual([`400 ${answered.message}`]);
  });

  test("a conversation that the server does not keep", async () => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const body = { ...legal, conversation: "conv_1" };
    const { status, message } = await post(upstream.url, "openai-responses", body);
    expect({ status, message }).toEqual({ status: 404, message: "Conversation not found." });
  });

  test.each(["item_reference", "reasoning"])("a %s that is not stored", async (type) => {
    const upstream = await upstreamForTest({ script: () => "ok" });
    const item = { type, id: "rs_1", ...(type === "reasoning" && { summary: [] }) };
    const body = withInput(ask, item, { role: "assistant", content: "x" });
    const { status, message } = await post(upstream.url, "openai-responses", body);
    expect(status).toBe(404);
    expect(message).toContain(
      "Item with id 'rs_1' not found. Items are not persisted when `store`",
    );
  });
});

describe("what the model made goes back as it came", () => {
  const script: Script = (_request, { turn }) => ({
    parts: [
      { type: "reasoning", text: `Thought number ${turn}.` },
      { type: "call", name: "read", input: { turn } },
    ],
  });

  async function oneStep(
    settings: object,
  ): Promise<{ readonly upstream: Upstream; readonly output: Item[]; readonly id: string }> {
    const upstream = await upstreamForTest({ script });
    const body = { ...withInput(ask), ...settings };
    const answered = await post(upstream.url, "openai-responses", body);
    expect(answered.message).toBe("");
    const { output, id } = answered.body as { output: Item[]; id: string };
    return { upstream, output, id };
  }

  const sealed = { store: false, include: ["reasoning.encrypted_content"] };

  test.each([
    ["sealed", sealed],
    ["stored", {}],
  ])("%s", async (_name, settings) => {
    const { upstream, output } = await oneStep(settings);
    const input = [ask, ...output, result(String(output[1]!["call_id"]))];
    const body = { ...withInput(...input), ...settings };
    expect((await post(upstream.url, "openai-responses", body)).message).toBe("");
    expect(upstream.requests.at(-1)!.view!.messages[1]).toMatchObject({
      role: "assistant",
      reasoning: "Thought number 0.",
      calls: [{ name: "read", input: { turn: 0 } }],
    });
  });

  test("by reference, and without ids", async () => {
    const { upstream, output } = await oneStep({});
    const answer = result(String(output[1]!["call_id"]));
    const references = output.map(({ id }) => ({ type: "item_reference", id }));
    const byReference = await post(
      upstream.url,
      "openai-responses",
      withInput(ask, ...references, answer),
    );
    expect(byReference.message).toBe("");
    const { id: _id, ...bare } = output[1]!;
    const withoutReasoning = withInput(ask, bare, answer);
    expect((await post(upstream.url, "openai-responses", withoutReasoning)).message).toBe("");
  });

  test("and is refused otherwise", async () => {
    const { upstream, output } = await oneStep(sealed);
    const [reasoning, made] = output as [Item, Item];
    const answer = result(String(made["call_id"]));
    const refusal = async (...input: Item[]): Promise<string> =>
      (await post(upstream.url, "openai-responses", withInput(...input))).message;
    const following = `Item '${String(reasoning["id"])}' of type 'reasoning' was provided without its required following item.`;
    expect(await refusal(ask, reasoning)).toBe(following);
    expect(await refusal(ask, reasoning, ask)).toBe(following);
    expect(await refusal(ask, reasoning, call("x"), result("x"))).toBe(following);
    expect(await refusal(ask, made, answer)).toBe(
      `Item '${String(made["id"])}' of type 'function_call' was provided without its required 'reasoning' item: '${String(reasoning["id"])}'.`,
    );
    expect(await refusal(ask, reasoning, made, answer, reasoning)).toContain(
      "Duplicate item found",
    );
    const { encrypted_content: _sealed, ...open } = reasoning;
    expect(await refusal(ask, open, made, answer)).toContain("not found. Items are not persisted");
  });

  test("behind previous_response_id, where the server has the rest", async () => {
    const { upstream, output, id } = await oneStep({});
    const behind = (...input: Item[]): Item => ({
      ...withInput(...input),
      previous_response_id: id,
    });
    const callId = String(output[1]!["call_id"]);
    const open = await post(upstream.url, "openai-responses", behind(ask));
    expect(open.message).toBe(`No tool output found for function call ${callId}.`);
    const answered = await post(upstream.url, "openai-responses", behind(result(callId)));
    expect(answered.message).toBe("");
    const { view, promptTokens } = upstream.requests.at(-1)!;
    expect(view!.messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(promptTokens).toBeGreaterThan(upstream.requests[0]!.promptTokens!);
  });

  test("a response that is not to be stored is not", async () => {
    const { upstream, id } = await oneStep(sealed);
    const body = { ...withInput(ask), previous_response_id: id };
    expect((await post(upstream.url, "openai-responses", body)).status).toBe(400);
  });
});

test("input_tokens counts what a request then costs", async () => {
  const upstream = await upstreamForTest({ script: () => "ok" });
  const client = new OpenAI({ apiKey: "key", baseURL: `${upstream.url}/v1` });
  const { input_tokens: tokens } = await client.responses.inputTokens.count({
    model: "m",
    input: "Hello there.",
  });
  const response = await client.responses.create({ model: "m", input: "Hello there." });
  expect(response.usage!.input_tokens).toBe(tokens);
});

test("a WebSocket is refused, so that a client goes on with HTTP", async () => {
  const upstream = await upstreamForTest({ script: () => "ok" });
  const response = await fetch(`${upstream.url}/v1/responses`);
  expect(response.status).toBe(426);
});

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
    // What the dialect's own check says; its tests have the rest.
    ["a call without output", withInput(ask, call("a"), call("b"), result("a")), "(unanswered-too"],
    ["no items", withInput(), "(empty-conversation)"],
    // What only the server knows.
    ["no model", { input: "x" }, "model: Field required", { param: "model" }],
    ["no input", { model: "m" }, 'One of "input" or "previous_response_id"', { param: "input" }],
    ["an unknown field", { ...legal, messages: [] }, "messages: Extra inputs are not permitted"],
    [
      "an unknown field of an item",
      withInput({ ...ask, name: "me" }),
      "input[0].name: Extra inputs are not permitted",
      { param: "input[0].name" },
    ],
    ["an unknown item", withInput({ type: "tool_use" }), "input[0]: no item is a 'tool_use'"],
    ["a call without name", withInput(ask, { ...call("a"), name: undefined }), "input[1].name: Fi"],
    [
      "a small output limit",
      { ...legal, max_output_tokens: 1 },
      "Invalid 'max_output_tokens': integer below minimum value.",
      { code: "integer_below_min_value" },
    ],
    [
      "a tool name with a dot",
      { ...legal, tools: [{ ...tool, name: "a.b" }] },
      "Invalid 'tools[0].name': string does not match pattern",
    ],
    ["a tool without type", { ...legal, tools: [{ name: "a" }] }, "tools[0].type: Field required"],
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
    expect(await refusal(ask, reasoning)).toContain("(reasoning-alone)");
    expect(await refusal(ask, reasoning, ask)).toContain("(reasoning-alone)");
    expect(await refusal(ask, reasoning, call("x"), result("x"))).toBe(following);
    expect(await refusal(ask, made, answer)).toBe(
      `Item '${String(made["id"])}' of type 'function_call' was provided without its required 'reasoning' item: '${String(reasoning["id"])}'.`,
    );
    expect(await refusal(ask, reasoning, made, answer, reasoning)).toContain("(duplicate-item-id)");
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
    expect(open.message).toMatch(new RegExp(`calls ${callId}.*\\(unanswered-tool-call\\)`));
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

test("a WebSocket is refused, so that a client goes on with HTTP", async () => {
  const upstream = await upstreamForTest({ script: () => "ok" });
  const response = await fetch(`${upstream.url}/v1/responses`);
  expect(response.status).toBe(426);
});

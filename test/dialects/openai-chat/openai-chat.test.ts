import { expect, test } from "vitest";
import { type Message, repairMessages, withParts } from "../../../src/core/message/index.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/openai-chat.ts";
import { encodeOpenAIChat } from "../../../src/dialects/openai-chat/encode.ts";
import type { ChatMessage, ChatToolCall } from "../../../src/dialects/openai-chat/wire.ts";
import { call, result } from "../../build-messages.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { openaiChatFixtures } from "./fixtures.ts";

describeDialect(openaiChat, openaiChatFixtures, legalConversation());

const conversation = openaiChatFixtures.legal;

function edit(native: ChatMessage, change: (message: Message) => Message): ChatMessage | undefined {
  const [message] = openaiChat.decode([native]);
  return message === undefined ? undefined : encodeOpenAIChat([change(message)])[0];
}

test("argument strings are kept byte for byte beside an edited call", () => {
  const native = conversation["parallel calls and odd arguments"]?.[1] as ChatMessage;
  const edited = edit(native, (message) =>
    withParts(
      message,
      message.parts.map((part) =>
        part.type === "tool-call" && part.toolCallId === "call_2"
          ? { ...part, input: { path: "b.ts" } }
          : part,
      ),
    ),
  );
  expect(edited?.tool_calls?.[0]).toBe(native.tool_calls?.[0]);
  expect(edited?.tool_calls?.[2]).toBe(native.tool_calls?.[2]);
  expect(edited?.tool_calls?.[1]).toEqual({
    id: "call_2",
    type: "function",
    function: { name: "read", arguments: '{"path":"b.ts"}' },
  });
  expect(edited?.content).toBe("");
});

test("input is the parsed arguments, or the text when they are no JSON", () => {
  const messages = openaiChat.decode(conversation["parallel calls and odd arguments"] ?? []);
  const inputs = messages[1]?.parts.map((part) => part.type === "tool-call" && part.input);
  expect(inputs).toEqual([
    { path: "a.ts", n: 1, big: Number("12345678901234567890") },
    '{"path": "b.ts',
    "",
  ]);
});

test("a result takes the name of the nearest call before it", () => {
  const messages = openaiChat.decode([
    {
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "one", arguments: "" } }],
    },
    { role: "tool", tool_call_id: "a", content: "1" },
    {
      role: "assistant",
      tool_calls: [{ id: "a", type: "function", function: { name: "two", arguments: "" } }],
    },
    { role: "tool", tool_call_id: "a", content: "2" },
    { role: "tool", tool_call_id: "b", content: "3" },
  ] as ChatMessage[]);
  const names = messages.flatMap((message) =>
    message.parts.flatMap((part) => (part.type === "tool-result" ? [part.toolName] : [])),
  );
  expect(names).toEqual(["one", "two", "unknown"]);
});

test("reasoning fields go with the reasoning, and only with it", () => {
  const native = conversation["reasoning fields of DeepSeek and OpenRouter"]?.[3] as ChatMessage;
  const withInput = edit(native, (message) =>
    withParts(
      message,
      message.parts.map((part) => (part.type === "tool-call" ? { ...part, input: {} } : part)),
    ),
  );
  expect(withInput).toMatchObject({
    reasoning: "And again.",
    reasoning_details: [{ data: "c2VhbGVk" }],
  });
  expect(withInput?.tool_calls?.[0]).toMatchObject({
    extra_content: { google: { thought_signature: "c2ln" } },
  });
  const bare = edit(native, (message) =>
    withParts(
      message,
      message.parts.filter((part) => part.type !== "reasoning"),
    ),
  );
  expect(bare).not.toHaveProperty("reasoning");
  expect(bare).not.toHaveProperty("reasoning_details");
  expect(bare?.tool_calls?.[0]).toBe(native.tool_calls?.[0]);
});

test("media keep their native parts beside an edited text", () => {
  const native = conversation["media and parts nobody knows"]?.[0] as ChatMessage;
  const edited = edit(native, (message) =>
    withParts(
      message,
      message.parts.map((part) => (part.type === "text" ? { ...part, text: "See:" } : part)),
    ),
  );
  expect(edited?.content?.[0]).toEqual({ type: "text", text: "See:" });
  const before = native.content as readonly unknown[];
  const after = edited?.content ?? [];
  for (let at = 1; at < before.length; at++) expect(after[at]).toBe(before[at]);
});

test("an image that was described by text leaves the others alone", () => {
  const native = conversation["media and parts nobody knows"]?.[0] as ChatMessage;
  const edited = edit(native, (message) =>
    withParts(message, message.parts.with(1, { type: "text", text: "[image: a chart]" })),
  );
  expect(edited?.content?.[1]).toEqual({ type: "text", text: "[image: a chart]" });
  expect(edited?.content?.[2]).toBe(native.content?.[2]);
});

test("results in one message become one tool message each, directly after their calls", () => {
  const encoded = encodeOpenAIChat([
    { role: "user", parts: [{ type: "text", text: "go" }] },
    {
      role: "assistant",
      parts: [
        { type: "tool-call", toolCallId: "fc|1", toolName: "a.b", input: { x: 1 } },
        { type: "tool-call", toolCallId: "fc:1", toolName: "c", input: undefined },
      ],
    },
    {
      role: "tool",
      parts: [
        { type: "tool-result", toolCallId: "fc|1", toolName: "a.b", output: [] },
        {
          type: "tool-result",
          toolCallId: "fc:1",
          toolName: "c",
          output: [
            { type: "text", text: "see" },
            { type: "file", mediaType: "image/png", data: "AAAA" },
          ],
        },
      ],
    },
  ]);
  expect(encoded.slice(1)).toEqual([
    {
      role: "assistant",
      content: null,
      tool_calls: [
        { id: "fc_1", type: "function", function: { name: "a_b", arguments: '{"x":1}' } },
        { id: "fc_1_2", type: "function", function: { name: "c", arguments: "{}" } },
      ],
    },
    { role: "tool", tool_call_id: "fc_1", content: "" },
    { role: "tool", tool_call_id: "fc_1_2", content: "see\n[file (image/png), not shown here]" },
  ]);
});

test("the same native object may stand twice in a list", () => {
  const native: ChatMessage = { role: "user", content: "again" };
  expect(encodeOpenAIChat(openaiChat.decode([native, native]))).toEqual([native, native]);
});

test("results that were moved to their calls are still the native objects", () => {
  const list = conversation["parallel calls and odd arguments"] ?? [];
  const moved = [list[0], list[2], list[1], list[3], list[4], list[5]] as ChatMessage[];
  const { messages } = repairMessages(openaiChat.decode(moved));
  const encoded = encodeOpenAIChat(messages);
  expect(openaiChat.check(encoded)).toEqual([]);
  expect(new Set(encoded)).toEqual(new Set(moved));
  for (const native of encoded) expect(moved.includes(native)).toBe(true);
});

test.each(["*** Begin Patch\n*** End Patch\n", "", '{"a": 1}', " ", '"\u2028'])(
  "free text goes out as an object in JSON, and comes back as it was: %j",
  (text) => {
    const free: Message[] = [
      { role: "user", parts: [{ type: "text", text: "go" }] },
      { role: "assistant", parts: [call("c1", "apply_patch", text)] },
      { role: "tool", parts: [result("c1", "apply_patch", "ok")] },
    ];
    const encoded = encodeOpenAIChat(free);
    const sent = encoded[1]?.tool_calls?.[0] as ChatToolCall;
    expect(JSON.parse(sent.function.arguments)).toEqual({ input: text });
    const stored = JSON.parse(JSON.stringify(encoded)) as ChatMessage[];
    const back = openaiChat.decode(stored);
    expect(back[1]?.parts[0]).toMatchObject({ type: "tool-call", input: text });
    expect(encodeOpenAIChat(back)[1]).toBe(stored[1]);
  },
);

test("a tool that has one field of that name gets no text instead of its object", () => {
  const args = '{"input":"x"}';
  const native = { id: "c1", type: "function", function: { name: "ask", arguments: args } };
  const [message] = openaiChat.decode([{ role: "assistant", tool_calls: [native] }]);
  expect(message?.parts[0]).toMatchObject({ input: { input: "x" } });
});

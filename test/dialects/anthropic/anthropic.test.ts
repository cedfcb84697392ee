import { expect, test } from "vitest";
import { type Message, withParts } from "../../../src/core/message/index.ts";
import { frameSummary } from "../../../src/core/summary/index.ts";
import { anthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import { checkAnthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import { decodeAnthropic } from "../../../src/dialects/anthropic/decode.ts";
import { encodeAnthropic } from "../../../src/dialects/anthropic/encode.ts";
import type { AnthropicConversation } from "../../../src/dialects/anthropic/wire.ts";
import { describeDialect } from "../../conformance/describe-dialect.ts";
import { legalConversation } from "../../property/arbitraries.ts";
import { anthropicFixtures } from "./fixtures.ts";

describeDialect(anthropic, anthropicFixtures, legalConversation({ endsWithInput: true }));

const rich = anthropicFixtures.legal[
  "system blocks, cache breakpoints and parallel calls"
] as AnthropicConversation;
const say = (text: string): Message => ({ role: "user", parts: [{ type: "text", text }] });
const summaryText = frameSummary("# Goal\nShip it.", { headMessages: 3 });
const summary: Message = { ...say(summaryText), kind: "summary" };

test("the system prompt is one leading system message, whose untouched value comes back", () => {
  const messages = decodeAnthropic(rich);
  expect(messages[0]).toMatchObject({ role: "system", parts: [{}, {}] });
  expect(encodeAnthropic(messages).system).toBe(rich.system);
  const empty: AnthropicConversation = { system: "", messages: rich.messages };
  expect(encodeAnthropic(decodeAnthropic(empty))).toEqual(empty);
});

test("a user message with results and text is a tool message and a user message", () => {
  const messages = decodeAnthropic(rich);
  expect(messages.map((message) => message.role)).toEqual([
    "system",
    "user",
    "assistant",
    "tool",
    "user",
    "assistant",
    "tool",
    "user",
    "user",
  ]);
  expect(messages[3]?.source?.value).toBe(messages[4]?.source?.value);
  expect(messages[3]?.parts).toMatchObject([
    {
      toolCallId: "toolu_2",
      toolName: "read",
      isError: true,
      output: [{ type: "text" }, { type: "file" }],
    },
    { toolCallId: "toolu_1", output: [{ type: "text", text: "ok" }] },
  ]);
});

test("dropping one of two pieces of a native message keeps the other's blocks", () => {
  const messages = decodeAnthropic(rich);
  const encoded = encodeAnthropic(messages.filter((_message, at) => at !== 4));
  const before = rich.messages[2]?.content as readonly unknown[];
  expect(encoded.messages[2]?.content).toEqual(before.slice(0, 2));
  expect(encoded.messages[2]?.content?.[0]).toBe(before[0]);
  expect(encoded.messages[3]).toBe(rich.messages[3]);
});

test("a pruned result keeps cache_control, is_error and its place", () => {
  const messages = decodeAnthropic(rich);
  const tool = messages[3] as Message;
  const parts = tool.parts.map((part) =>
    part.type === "tool-result"
      ? { ...part, output: [{ type: "text" as const, text: "[pruned]" }] }
      : part,
  );
  const encoded = encodeAnthropic(messages.with(3, withParts(tool, parts)));
  const before = rich.messages[2]?.content as readonly unknown[];
  expect(encoded.messages[2]?.content).toEqual([
    {
      type: "tool_result",
      tool_use_id: "toolu_2",
      content: [{ type: "text", text: "[pruned]" }],
      is_error: true,
    },
    {
      type: "tool_result",
      tool_use_id: "toolu_1",
      content: "[pruned]",
      cache_control: { type: "ephemeral" },
    },
    before[2],
  ]);
  expect(encoded.messages[2]?.content?.[2]).toBe(before[2]);
});

test("our summary and the user message behind it are blocks of one message", () => {
  const messages = decodeAnthropic(rich);
  const tail = messages.slice(7);
  const encoded = encodeAnthropic([messages[0] as Message, summary, ...tail]);
  expect(encoded.system).toBe(rich.system);
  expect(encoded.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: summaryText },
        { type: "text", text: "And be quick." },
      ],
    },
    { role: "user", content: "Please." },
  ]);
  expect(encoded.messages[1]).toBe(rich.messages[6]);
  const again = decodeAnthropic(encoded);
  expect(again.map((message) => message.kind)).toEqual([
    undefined,
    "summary",
    undefined,
    undefined,
  ]);
});

test("the blocks of a merged native message are the very objects", () => {
  const messages = decodeAnthropic(rich);
  const encoded = encodeAnthropic([summary, messages[1] as Message]);
  expect(encoded.messages).toHaveLength(1);
  expect(encoded.messages[0]?.content?.[1]).toBe(rich.messages[0]?.content?.[0]);
  expect(encoded.messages[0]?.content?.[2]).toBe(rich.messages[0]?.content?.[1]);
});

test("a continuation behind results comes after them in their message", () => {
  const messages = decodeAnthropic({ messages: rich.messages.slice(0, 5) });
  const go: Message = { ...say("Continue."), kind: "continuation" };
  const encoded = encodeAnthropic([...messages, go]);
  expect(checkAnthropic(encoded)).toEqual([]);
  expect(encoded.messages.at(-1)?.content).toEqual([
    { type: "tool_result", tool_use_id: "toolu_3" },
    { type: "text", text: "Continue." },
  ]);
});

test("a system message in the middle becomes a user message", () => {
  const note: Message = { role: "system", parts: [{ type: "text", text: "Ten minutes left." }] };
  const encoded = encodeAnthropic([say("Go."), note]);
  expect(encoded.messages).toEqual([
    {
      role: "user",
      content: [
        { type: "text", text: "Go." },
        { type: "text", text: "Ten minutes left." },
      ],
    },
  ]);
});

test("thinking goes with its sealed form; edited thinking goes altogether", () => {
  const messages = decodeAnthropic(rich);
  const step = messages[2] as Message;
  const spoken = step.parts.filter((part) => part.type !== "reasoning");
  const bare = encodeAnthropic(messages.with(2, withParts(step, spoken)));
  const before = rich.messages[1]?.content as readonly unknown[];
  expect(bare.messages[1]?.content).toEqual(before.slice(2));
  const forged = step.parts.map((part) =>
    part.type === "reasoning" && part.text !== "" ? { ...part, text: "else" } : part,
  );
  const types = encodeAnthropic(messages.with(2, withParts(step, forged))).messages[1]?.content;
  expect(JSON.stringify(types)).not.toContain("else");
});

test("reasoning from elsewhere stays out, and what is then empty goes", () => {
  const thought: Message = {
    role: "assistant",
    parts: [{ type: "reasoning", text: "hm", signature: "b3RoZXI=" }],
  };
  const encoded = encodeAnthropic([say("a"), thought, say("b")]);
  expect(encoded.messages).toHaveLength(1);
  expect(checkAnthropic(encoded)).toEqual([]);
});

test("ids that the API refuses or that were used before are replaced in call and result", () => {
  const step: Message[] = [
    {
      role: "assistant",
      parts: [{ type: "tool-call", toolCallId: "a|b", toolName: "x.y", input: 7 }],
    },
    {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "a|b", toolName: "x.y", output: [] }],
    },
  ];
  const { messages } = encodeAnthropic([say("go"), ...step, ...step]);
  expect(messages[1]?.content).toEqual([
    { type: "tool_use", id: "a_b", name: "x_y", input: { input: 7 } },
  ]);
  expect(messages[2]?.content).toEqual([{ type: "tool_result", tool_use_id: "a_b" }]);
  expect(messages[4]?.content).toEqual([{ type: "tool_result", tool_use_id: "a_b_2" }]);
});

test("a conversation that the assistant opens gets a user message before it", () => {
  const hello: Message = { role: "assistant", parts: [{ type: "text", text: "Hello." }] };
  const encoded = encodeAnthropic([hello, say("Hi.")]);
  expect(checkAnthropic(encoded)).toEqual([]);
  expect(encoded.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
});

test("a last assistant message from elsewhere does not end in white space", () => {
  const encoded = encodeAnthropic([
    say("Go."),
    { role: "assistant", parts: [{ type: "text", text: "So \n" }] },
  ]);
  expect(encoded.messages[1]).toEqual({ role: "assistant", content: "So" });
});

test("a system prompt from elsewhere holds text only", () => {
  const file = { type: "file" as const, mediaType: "image/png", data: "iVBORw0KGgo=" };
  const system: Message = { role: "system", parts: [{ type: "text", text: "Logo:" }, file] };
  expect(encodeAnthropic([system, say("Hi.")]).system).toEqual([
    { type: "text", text: "Logo:" },
    { type: "text", text: "[file (image/png), not shown here]" },
  ]);
});

test("results come first in their message, also behind a note that was put before them", () => {
  const messages = decodeAnthropic(rich);
  const encoded = encodeAnthropic([...messages.slice(0, 3), say("Note."), ...messages.slice(3)]);
  expect(checkAnthropic(encoded)).toEqual([]);
  const types = ["tool_result", "tool_result", "text", "text"];
  expect(encoded.messages[2]?.content).toMatchObject(types.map((type) => ({ type })));
});

test("a call from elsewhere never takes the id of a native call, not even of a later one", () => {
  const native = decodeAnthropic(rich).slice(1);
  const step: Message[] = [
    {
      role: "assistant",
      parts: [{ type: "tool-call", toolCallId: "toolu_1", toolName: "read", input: {} }],
    },
    {
      role: "tool",
      parts: [{ type: "tool-result", toolCallId: "toolu_1", toolName: "read", output: [] }],
    },
  ];
  const encoded = encodeAnthropic([say("Go."), ...step, ...native]);
  expect(checkAnthropic(encoded)).toEqual([]);
  expect(encoded.messages[1]?.content).toMatchObject([{ id: "toolu_1_2" }]);
  expect(encoded.messages.at(-1)).toBe(rich.messages.at(-1));
});

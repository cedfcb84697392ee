import { generateText, jsonSchema, type ModelMessage, tool } from "ai";
import { MockLanguageModelV3 } from "ai/test";
import { expect, test } from "vitest";
import { createContext } from "../../../src/context/index.ts";
import {
  checkMessages,
  type Message,
  repairMessages,
  splitUnits,
} from "../../../src/core/message/index.ts";
import { aiSdk } from "../../../src/dialects/ai-sdk/ai-sdk.ts";
import type { AiSdkMessage } from "../../../src/dialects/ai-sdk/wire.ts";
import { anthropic } from "../../../src/dialects/anthropic/anthropic.ts";
import type { Dialect } from "../../../src/dialects/dialect.ts";
import { WAITING_TEXT } from "../../../src/dialects/foreign-text.ts";
import { openaiChat } from "../../../src/dialects/openai-chat/openai-chat.ts";
import { openaiResponses } from "../../../src/dialects/openai-responses/openai-responses.ts";

const LARGE = "the whole new content of the file ".repeat(400);

const call = (toolCallId: string, toolName: string, input: unknown = {}) => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});
const result = (toolCallId: string, toolName: string, value: string) => ({
  role: "tool",
  content: [{ type: "tool-result", toolCallId, toolName, output: { type: "text", value } }],
});

/** A long run, at whose end one call waits for a word and another has its result. */
const waiting = [
  { role: "user", content: "Fix the build." },
  ...Array.from({ length: 30 }, (_, at) => [
    { role: "assistant", content: [call(`c${at}`, "read", { path: `${at}.ts` })] },
    result(`c${at}`, "read", `content of file ${at} `.repeat(200)),
  ]).flat(),
  {
    role: "assistant",
    content: [
      { type: "text", text: "May I?" },
      call("w1", "write", { path: "a.ts", content: LARGE }),
      call("r1", "read", { path: "b.ts" }),
      { type: "tool-approval-request", approvalId: "ap_1", toolCallId: "w1" },
    ],
  },
  result("r1", "read", "b"),
] as unknown as readonly AiSdkMessage[];
const approved = [
  ...waiting,
  {
    role: "tool",
    content: [{ type: "tool-approval-response", approvalId: "ap_1", approved: true }],
  },
] as readonly AiSdkMessage[];
/** A call without a result, as a crash leaves it: what makes a repair necessary. */
const torn = { role: "assistant", content: [call("torn", "read")] } as unknown as AiSdkMessage;

function waitingCall(messages: readonly Message[]): unknown {
  return messages.at(-1)?.parts.find((part) => part.type === "tool-call" && part.pending);
}

test("a call that was put up for approval is pending, and the list is legal", () => {
  const messages = aiSdk.decode(waiting);
  const [, write, read] = messages.at(-2)?.parts ?? [];
  expect([write, read]).toMatchObject([{ pending: true }, { toolCallId: "r1" }]);
  expect(read).not.toHaveProperty("pending");
  expect(checkMessages(messages)).toEqual([]);
  expect(checkMessages(messages.slice(0, -1)).map(({ message }) => message)).toEqual([
    "Tool call r1 in message 61 has no result directly after it.",
  ]);
});

test("a repair does not answer it, and leaves the answer of the person last", () => {
  for (const list of [waiting, approved]) {
    const messages = aiSdk.decode([list[0] as AiSdkMessage, torn, ...list.slice(1)]);
    const { messages: repaired, repairs } = repairMessages(messages);
    expect(repairs).toHaveLength(1);
    expect(checkMessages(repaired)).toEqual([]);
    const encoded = aiSdk.encode(repaired);
    expect(encoded.slice(3)).toEqual(list.slice(1));
    for (const [at, native] of list.slice(1).entries()) expect(encoded[at + 3]).toBe(native);
  }
});

test("a repair moves results that came late and leaves approvals with their step", () => {
  const late = [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: [
        call("w1", "write"),
        call("r1", "read"),
        { type: "tool-approval-request", approvalId: "ap_1", toolCallId: "w1" },
      ],
    },
    { role: "user", content: "And quickly." },
    {
      role: "tool",
      content: [
        { type: "tool-approval-response", approvalId: "ap_1", approved: true },
        {
          type: "tool-result",
          toolCallId: "x9",
          toolName: "search",
          output: { type: "text", value: "?" },
        },
      ],
    },
    result("w1", "write", "written"),
  ] as unknown as readonly AiSdkMessage[];
  const { messages } = repairMessages(aiSdk.decode(late));
  expect(checkMessages(messages)).toEqual([]);
  expect(messages.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
    ["user", ["text"]],
    ["assistant", ["tool-call", "tool-call", "opaque"]],
    ["tool", ["opaque"]],
    ["tool", ["tool-result"]],
    ["tool", ["tool-result"]],
    ["user", ["text"]],
    ["user", ["text"]],
  ]);
  expect(aiSdk.check(aiSdk.encode(messages))).toEqual([]);
});

test("a compaction keeps it whole, and adds nothing behind it", async () => {
  const context = createContext({ window: 16_000, traits: aiSdk.traits });
  const { messages, report } = await context.prepare(aiSdk.decode(waiting), { force: true });
  await context.close();
  expect(report.action).toBe("compact");
  expect(report.continuation?.added ?? false).toBe(false);
  const encoded = aiSdk.encode(messages);
  expect(encoded.slice(-2)).toEqual(waiting.slice(-2));
  expect(encoded.at(-2)).toBe(waiting.at(-2));
});

test("the SDK carries an approved call out after a compaction, with all of its input", async () => {
  const context = createContext({ window: 16_000, traits: aiSdk.traits });
  const { messages } = await context.prepare(aiSdk.decode(approved), { force: true });
  await context.close();
  const written: unknown[] = [];
  const { text } = await generateText({
    model: modelThatSays("Done."),
    messages: aiSdk.encode(messages) as ModelMessage[],
    tools: {
      write: tool({
        inputSchema: jsonSchema({ type: "object" }),
        needsApproval: true,
        execute: (input) => {
          written.push(input);
          return "written";
        },
      }),
    },
  });
  expect(text).toBe("Done.");
  expect(written).toEqual([{ path: "a.ts", content: LARGE }]);
});

test("a provider that knows no approvals is told that the call waits", () => {
  const go: Message = { role: "user", parts: [{ type: "text", text: "Go on." }] };
  const messages = [...aiSdk.decode(waiting), go];
  for (const dialect of [openaiChat, openaiResponses, anthropic] as readonly Dialect[]) {
    const encoded = dialect.encode(messages);
    expect(dialect.check(encoded, { asRequest: true })).toEqual([]);
    expect(JSON.stringify(encoded)).toContain(WAITING_TEXT);
  }
  expect(waitingCall(messages.slice(0, -2))).toBeDefined();
});

test("a call of the provider whose result comes later is one unit with it", () => {
  const list = [
    { role: "user", content: "Go." },
    {
      role: "assistant",
      content: [{ ...call("srv_1", "code"), providerExecuted: true }, call("c1", "read")],
    },
    result("c1", "read", "1"),
    {
      role: "assistant",
      content: [
        {
          type: "tool-result",
          toolCallId: "srv_1",
          toolName: "code",
          output: { type: "json", value: 1 },
        },
        { type: "text", text: "Done." },
      ],
    },
    { role: "user", content: "Thanks." },
  ] as unknown as readonly AiSdkMessage[];
  const units = splitUnits(aiSdk.decode(list)).map(({ from, to }) => [from, to]);
  expect(units).toEqual([
    [0, 1],
    [1, 4],
    [4, 5],
  ]);
});

function modelThatSays(text: string): MockLanguageModelV3 {
  return new MockLanguageModelV3({
    doGenerate: async () => ({
      content: [{ type: "text", text }],
      finishReason: { unified: "stop", raw: "stop" },
      usage: {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 },
      },
      warnings: [],
    }),
  });
}

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/message/index.ts";
import { readTranscript, type Transcript } from "../../src/transcripts/index.ts";
import { transcriptFormats } from "../../src/transcripts/index.ts";
import type { DocumentFormat, RecordsFormat } from "../../src/transcripts/index.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { countsOf } from "./counts.ts";

const PLAIN = new Set(["openai-chat", "openai-responses", "anthropic", "ai-sdk", "neutral"]);
const plain = transcriptFormats.filter(({ name }) => PLAIN.has(name));
const documents = plain.filter((format): format is DocumentFormat => format.shape === "document");
const openaiChat = documents.find(({ name }) => name === "openai-chat")!;
const lineFormats = plain.filter((format): format is RecordsFormat => format.shape === "records");

describeTranscript("openai-chat", [
  { file: "openai-chat/tau-airline-gpt-4o.json.gz", brokenRules: ["duplicate-tool-call-id"] },
]);

function read(value: unknown): Promise<Transcript> {
  return readTranscript(Buffer.from(JSON.stringify(value, undefined, 1)));
}

function readLines(...values: readonly unknown[]): Promise<Transcript> {
  return readTranscript(Buffer.from(values.map((value) => JSON.stringify(value)).join("\n")));
}

function messagesOf({ conversations }: Transcript): readonly Message[] {
  return conversations[0]?.messages ?? [];
}

const HELLO = [
  { role: "user", content: "Hi" },
  { role: "assistant", content: "Hello." },
];

const CHAT = [
  { role: "user", content: "List" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: "c1", type: "function", function: { name: "ls", arguments: "{}" } }],
  },
  { role: "tool", tool_call_id: "c1", content: "a.py" },
];

const ANTHROPIC = [
  { role: "user", content: "List" },
  { role: "assistant", content: [{ type: "tool_use", id: "t1", name: "ls", input: {} }] },
  {
    role: "user",
    content: [
      { type: "tool_result", tool_use_id: "t1", content: "a.py" },
      { type: "text", text: "Go on" },
    ],
  },
];

const ITEMS = [
  { role: "user", content: "List" },
  { type: "reasoning", summary: [], encrypted_content: "c2VhbGVk" },
  { type: "function_call", call_id: "c1", name: "ls", arguments: "{}" },
  { type: "function_call", call_id: "c2", name: "pwd", arguments: "{}" },
  { type: "function_call_output", call_id: "c1", output: "a.py" },
  { type: "function_call_output", call_id: "c2", output: "/" },
  { type: "message", role: "assistant", content: [{ type: "output_text", text: "One." }] },
];

const MODEL = [
  { role: "user", content: "List" },
  {
    role: "assistant",
    content: [{ type: "tool-call", toolCallId: "c1", toolName: "ls", input: {} }],
  },
  {
    role: "tool",
    content: [
      {
        type: "tool-result",
        toolCallId: "c1",
        toolName: "ls",
        output: { type: "text", value: "a" },
      },
    ],
  },
];

describe("plain messages", () => {
  it("are told apart by their own marks, in every wrapping", async () => {
    const cases: readonly (readonly [string, readonly unknown[]])[] = [
      ["openai-chat", HELLO],
      ["openai-chat", CHAT],
      ["openai-responses", ITEMS],
      ["anthropic", ANTHROPIC],
      ["ai-sdk", MODEL],
    ];
    for (const [format, messages] of cases) {
      const readings = await Promise.all([
        read(messages),
        read({ messages }),
        read([{ messages }]),
        readLines(...messages),
        readLines({ messages }),
      ]);
      for (const reading of readings) {
        expect(reading.format).toBe(format);
        expect(messagesOf(reading)).toEqual(messagesOf(readings[0]));
        expect(messagesOf(reading).length).toBeGreaterThan(0);
      }
    }
  });

  it("give a conversation for each wrapped list, with its name", async () => {
    const tasks = [
      { task_id: 3, trial: 1, traj: HELLO },
      { id: "x", title: "T", model: "m", messages: HELLO },
    ];
    const { conversations } = await read(tasks);
    expect(conversations.map(({ id, title, model }) => [id, title, model])).toEqual([
      ["3/1", undefined, undefined],
      ["x", "T", "m"],
    ]);
    expect((await readLines(...tasks)).conversations).toEqual(conversations);
  });

  it("keep their native objects, so that untouched ones can be written back", async () => {
    const [first] = (await openaiChat.load()).read(CHAT).conversations;
    expect(first?.messages.map(({ source }) => source?.value)).toEqual(CHAT);
    expect(first?.messages[0]?.source?.value).toBe(CHAT[0]);
  });

  it("count a user message with results and text once, and as one turn", async () => {
    const reading = await read(ANTHROPIC);
    expect(countsOf(reading)).toMatchObject({
      typedUserTurns: 2,
      toolCalls: 1,
      toolResults: 1,
    });
  });

  it("have the system beside them in front", async () => {
    const reading = await read({ system: "Be brief.", messages: ANTHROPIC });
    expect(messagesOf(reading)[0]).toMatchObject({
      role: "system",
      parts: [{ text: "Be brief." }],
    });
  });

  it("of a Responses request are its items, the last reply included", async () => {
    const request = { model: "m", instructions: "Be brief.", input: ITEMS };
    const whole = await read(request);
    expect(whole.conversations[0]).toMatchObject({ model: "m", instructions: "Be brief." });
    expect(messagesOf(whole).map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["assistant", 3],
      ["tool", 1],
      ["tool", 1],
      ["assistant", 1],
    ]);
    expect(countsOf(whole)).toMatchObject({
      toolCalls: 2,
      messagesWithParallelCalls: 1,
    });
    const lines = await readLines(...ITEMS);
    expect([lines.format, messagesOf(lines)]).toEqual(["openai-responses", messagesOf(whole)]);
  });

  it("lose the last one of a torn document", async () => {
    const text = JSON.stringify([{ traj: HELLO }, { traj: CHAT }]);
    const reading = await readTranscript(Buffer.from(text.slice(0, -8)));
    expect(reading.conversations.map(({ messages }) => messages.length)).toEqual([2, 2]);
    const torn = (await openaiChat.load()).read(HELLO, { isTorn: true });
    expect(torn.conversations[0]?.messages).toHaveLength(1);
  });

  it("pair results with the nearest call before them where ids repeat", async () => {
    const again = CHAT.map((message) =>
      "tool_calls" in message
        ? { ...message, tool_calls: [{ id: "c1", function: { name: "cat", arguments: "{}" } }] }
        : message,
    );
    const results = messagesOf(await read([...CHAT, ...again]))
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === "tool-result" ? [part.toolName] : []));
    expect(results).toEqual(["ls", "cat"]);
  });

  it("leave out what the dialect refuses, with a warning", async () => {
    const reading = await read([...HELLO, { role: "robot", content: "?" }, 7, null]);
    expect(messagesOf(reading)).toHaveLength(2);
    expect(reading.warnings).toHaveLength(3);
    const lines = await readLines(...HELLO, { role: "tool", content: "no id" });
    expect(lines.warnings).toMatchObject([{ line: 3 }]);
  });

  it("are not seen in other JSON", () => {
    for (const value of [
      {},
      [],
      [1, 2],
      { messages: [] },
      { role: "user" },
      [[[]]],
      "text",
      null,
    ]) {
      for (const format of documents) {
        expect(format.detect(value)).toEqual(expect.any(String));
      }
    }
  });

  it("of any content never make a reader throw", async () => {
    const message = fc.record(
      {
        role: fc.constantFrom("system", "user", "assistant", "tool", "function"),
        content: fc.oneof(fc.string(), fc.array(fc.jsonValue()), fc.jsonValue()),
        parts: fc.array(fc.oneof(fc.record({ type: fc.string() }), fc.jsonValue())),
        tool_calls: fc.jsonValue(),
      },
      { requiredKeys: ["role"] },
    );
    const document = fc.array(fc.oneof({ weight: 5, arbitrary: message }, fc.jsonValue()));
    await fc.assert(
      fc.asyncProperty(document, fc.boolean(), async (messages, isTorn) => {
        for (const format of documents) {
          format.detect(messages);
          const reader = await format.load();
          reader.read(messages, { isTorn });
          reader.read({ messages, system: messages }, { isTorn });
        }
        for (const format of lineFormats) {
          const reader = (await format.load()).open();
          messages.forEach((value, index) => reader.record(value, index + 1));
          reader.finish();
        }
      }),
    );
  });
});

describe("AI SDK UI messages", () => {
  it("are read as the model messages they stand for, step by step", async () => {
    const tool = (id: string, rest: object): object => ({
      type: "tool-ls",
      toolCallId: id,
      input: { path: id },
      ...rest,
    });
    const reading = await read([
      { id: "1", role: "user", parts: [{ type: "text", text: "List" }] },
      {
        id: "2",
        role: "assistant",
        parts: [
          { type: "step-start" },
          { type: "reasoning", text: "hm" },
          tool("a", { state: "output-available", output: ["x"] }),
          tool("b", { state: "output-error", errorText: "no" }),
          { type: "step-start" },
          { type: "data-weather", data: {} },
          { type: "text", text: "Done." },
          { type: "dynamic-tool", toolName: "cat", toolCallId: "c", state: "input-streaming" },
        ],
      },
    ]);
    expect(reading.format).toBe("ai-sdk");
    expect(
      messagesOf(reading).map(({ role, parts }) => [role, parts.map(({ type }) => type)]),
    ).toEqual([
      ["user", ["text"]],
      ["assistant", ["reasoning", "tool-call", "tool-call"]],
      ["tool", ["tool-result", "tool-result"]],
      ["assistant", ["text"]],
    ]);
    expect(messagesOf(reading)[2]?.parts).toMatchObject([
      { toolName: "ls", output: [{ text: '["x"]' }] },
      { isError: true, output: [{ text: "no" }] },
    ]);
    expect(countsOf(reading)).toMatchObject({ toolCalls: 2, failedResults: 1 });
  });

  it("hold files by their address", async () => {
    const parts = [{ type: "file", mediaType: "image/png", url: "data:image/png;base64,AAAA" }];
    const reading = await read([{ id: "1", role: "user", parts }]);
    expect(messagesOf(reading)[0]?.parts[0]).toMatchObject({
      mediaType: "image/png",
      data: "AAAA",
    });
  });
});

describe("neutral messages", () => {
  it("of a newer version are not read, and the reason says so", () => {
    const neutral = documents.find(({ name }) => name === "neutral");
    const document = { format: "longhaul", version: 2, messages: [] };
    expect(neutral?.detect(document)).toMatch(/version is 2/);
    expect(neutral?.detect({ ...document, version: 1 })).toBe(true);
  });

  it("are read one a line, as an archived head is kept", async () => {
    const messages: Message[] = [
      { role: "user", parts: [{ type: "text", text: "x" }] },
      {
        role: "assistant",
        parts: [{ type: "tool-call", toolCallId: "c", toolName: "ls", input: {} }],
      },
    ];
    const reading = await readLines(...messages);
    expect(reading.format).toBe("neutral");
    expect(messagesOf(reading)).toEqual(messages);
  });
});

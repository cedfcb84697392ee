import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, type Message } from "../../src/core/message/index.ts";
import { geminiCli, geminiCliLines } from "../../src/transcripts/gemini-cli/gemini-cli.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import type { Conversation, Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { withoutValues } from "./without-values.ts";
import { countsOf } from "./counts.ts";
import { isGeminiCli, isGeminiCliLines } from "../../src/transcripts/signs.ts";

const CANCELLED = "gemini-cli/gem-cancelled-tools.json";

describeTranscript("gemini-cli", [{ file: CANCELLED }]);

const SESSION = { sessionId: "s1", projectHash: "h", startTime: "2026-01-01T00:00:00.000Z" };

function readChat(messages: readonly unknown[]): Conversation {
  return conversationOf(geminiCli.read({ ...SESSION, messages }));
}

function readLines(records: readonly unknown[]): Reading {
  const reader = geminiCliLines.open();
  records.forEach((record, index) => reader.record(record, index + 1));
  return reader.finish();
}

function conversationOf(reading: Reading): Conversation {
  return reading.conversations[0]!;
}

function outline(messages: readonly Message[]): string[] {
  return messages.map(({ role, kind, parts }) => {
    const text = parts.map((part) => (part.type === "text" ? part.text : part.type)).join("+");
    return `${kind ?? role}: ${text}`;
  });
}

function user(id: string, ...texts: string[]): object {
  return { id, type: "user", content: texts.map((text) => ({ text })) };
}

function model(id: string, content: unknown, extra: object = {}): object {
  return { id, type: "gemini", content, ...extra };
}

function call(id: string, response: unknown, extra: object = {}): object {
  const result = [{ functionResponse: { id, name: "read_file", response } }];
  return { id, name: "read_file", args: { file_path: "a" }, status: "success", result, ...extra };
}

function firstResult(messages: readonly Message[]): unknown {
  return messages.flatMap(({ parts }) => parts).find((part) => part.type === "tool-result");
}

describe.skipIf(!existsSync(RECORDINGS))("a recorded Gemini CLI chat", () => {
  const chat = (): Conversation =>
    conversationOf(geminiCli.read(JSON.parse(recording(CANCELLED).toString())));

  it("sends only what the person and the model said", () => {
    const { messages } = chat();
    expect(messages.filter(({ role }) => role === "user")).toHaveLength(4);
    expect(JSON.stringify(messages)).not.toContain("Request cancelled.");
  });

  it("tells of cancelled calls as failed ones", () => {
    const failed = chat()
      .messages.flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool-result" && part.isError === true);
    expect(failed).toHaveLength(2);
    for (const part of failed) {
      expect(part).toMatchObject({ output: [{ text: expect.stringContaining("Cancelled") }] });
    }
  });

  it("counts cached tokens and thoughts once", () => {
    const { timeline, messages } = chat();
    expect(timeline).toHaveLength(37);
    expect(timeline[0]?.tokens).toBe(19_783);
    expect(messages[1]?.usage).toEqual({ input: 19_579, output: 204 });
  });

  it("reads the same line by line", async () => {
    const { messages, ...session } = JSON.parse(recording(CANCELLED).toString()) as {
      messages: unknown[];
    };
    const lines = [session, ...messages].map((record) => JSON.stringify(record)).join("\n");
    const read = await readTranscript(Buffer.from(lines));
    expect(read.format).toBe("gemini-cli");
    expect(read.conversations[0]).toEqual(chat());
    expect(countsOf(read)).toMatchObject({ toolCalls: 40, typedUserTurns: 4 });
  });
});

describe("Gemini CLI records", () => {
  it("part the prompt from the files that it refers to", () => {
    const record = { ...user("u", "see @a.ts", "--- a.ts", "code"), displayContent: "see @a.ts" };
    expect(outline(readChat([record]).messages)).toEqual([
      "user: see @a.ts",
      "injected: --- a.ts+code",
    ]);
  });

  it("that gemini-cli wrote itself are no typed turn", () => {
    const records = [
      user("u0", "<session_context>\nToday is…"),
      user("u1", "hi"),
      model("g", "yo"),
    ];
    expect(outline(readChat(records).messages).map((line) => line.split(":")[0])).toEqual([
      "injected",
      "user",
      "assistant",
    ]);
  });

  it("of slash commands are left out, unless the model answered", () => {
    const records = [
      user("u1", "/help"),
      { id: "i", type: "info", content: "Help…" },
      user("u2", "/usr/bin is empty, why?"),
      model("g", "Because"),
    ];
    expect(outline(readChat(records).messages)).toEqual([
      "user: /usr/bin is empty, why?",
      "assistant: Because",
    ]);
  });

  it("hold thoughts, text, calls and results in the order in which a model takes them", () => {
    const thoughts = [{ subject: "Plan", description: "look" }, { description: "then act" }, null];
    const { messages } = readChat([
      model("g", "text", {
        thoughts,
        toolCalls: [call("c1", { output: "1" }), call("c2", { error: "no" })],
      }),
    ]);
    expect(outline(messages)).toEqual([
      "assistant: reasoning+reasoning+text+tool-call+tool-call",
      "tool: tool-result+tool-result",
    ]);
    expect(messages[0]?.parts[0]).toEqual({ type: "reasoning", text: "**Plan** look" });
    expect(messages[1]?.parts[1]).toMatchObject({ isError: true, output: [{ text: "no" }] });
    expect(checkMessages(messages)).toEqual([]);
  });

  it("keep images beside a response, answers of any shape, and calls without a result", () => {
    const image = { inlineData: { mimeType: "image/png", data: "QUJD" } };
    const response = { functionResponse: { id: "c1", name: "shot", response: { rows: 2 } } };
    const { messages } = readChat([
      model("g", "", {
        toolCalls: [
          call("c1", {}, { result: [response, image] }),
          call("c2", {}, { result: null }),
        ],
      }),
    ]);
    expect(messages[1]?.parts).toHaveLength(1);
    expect(messages[1]?.parts[0]).toMatchObject({
      output: [
        { type: "text", text: '{"rows":2}' },
        { type: "file", mediaType: "image/png", data: "QUJD" },
      ],
    });
  });

  it("name the file with the whole of an output that was masked", () => {
    const output =
      "<tool_output_masked>\n[Tool output (1.00MB, 9 lines) masked. Full output saved to: /t/a.txt]\n</tool_output_masked>";
    const reading = geminiCli.read({
      ...SESSION,
      messages: [model("g", "", { toolCalls: [call("c1", { output })] })],
    });
    expect(firstResult(conversationOf(reading).messages)).toMatchObject({ original: "/t/a.txt" });
  });
});

describe("a Gemini CLI checkpoint", () => {
  it("pairs calls and responses of the API's own turns", () => {
    const turns = [
      { role: "user", parts: [{ text: "go" }] },
      {
        role: "model",
        parts: [
          { text: "hm", thought: true },
          { text: "ok" },
          { functionCall: { name: "ls", args: {} } },
        ],
      },
      { role: "user", parts: [{ functionResponse: { name: "ls", response: { output: "a" } } }] },
    ];
    expect(isGeminiCli(turns)).toBe(true);
    const { messages } = conversationOf(geminiCli.read(turns));
    expect(outline(messages)).toEqual([
      "user: go",
      "assistant: reasoning+ok+tool-call",
      "tool: tool-result",
    ]);
    expect(checkMessages(messages)).toEqual([]);
  });
});

describe("Gemini CLI lines", () => {
  const SNAPSHOT = "<state_snapshot>all of it</state_snapshot>";

  it("replace a record by a later one with the same id", () => {
    const reading = readLines([
      SESSION,
      user("u", "hi"),
      model("g", "half"),
      model("g", "whole", { tokens: { input: 10, output: 2, cached: 4, total: 12 } }),
      { $set: { summary: "A greeting", lastUpdated: "2026-01-01T00:01:00.000Z" } },
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual(["user: hi", "assistant: whole"]);
    expect(conversationOf(reading)).toMatchObject({
      title: "A greeting",
      timeline: [{ tokens: 12 }],
    });
    expect(countsOf(reading).messages).toBe(2);
  });

  it("count cached tokens where no total was recorded", () => {
    const tokens = { input: 10, output: 2, cached: 4 };
    const reading = readLines([SESSION, user("u", "hi"), model("g", "hello", { tokens })]);
    expect(conversationOf(reading).timeline).toMatchObject([{ tokens: 12 }]);
  });

  it("take back a message and what came after it, or everything for an unknown id", () => {
    const records = [
      SESSION,
      user("u1", "one"),
      model("g1", "1"),
      user("u2", "two"),
      model("g2", "2"),
    ];
    const known = readLines([...records, { $rewindTo: "u2" }]);
    expect(outline(conversationOf(known).messages)).toEqual(["user: one", "assistant: 1"]);
    const unknown = readLines([...records, { $rewindTo: "nobody" }, user("u3", "three")]);
    expect(outline(conversationOf(unknown).messages)).toEqual(["user: three"]);
  });

  it("start again from the snapshot after a compression", () => {
    const reading = readLines([
      SESSION,
      user("u1", "one"),
      model("g1", "1"),
      { $set: { messages: [user("s", SNAPSHOT), model("a", "Got it"), model("g1", "1")] } },
      user("u2", "two"),
      { $set: { messages: [user("s2", `${SNAPSHOT} 2${SNAPSHOT}`), user("u2", "two")] } },
    ]);
    expect(outline(conversationOf(reading).messages).map((line) => line.split(":")[0])).toEqual([
      "summary",
      "user",
    ]);
    expect(countsOf(reading)).toMatchObject({ compactions: 2 });
  });

  it("take masked outputs from the history that was written back", () => {
    const masked = { output: "<tool_output_masked>\nFull output saved to: /t/b.txt\n" };
    const reading = readLines([
      SESSION,
      model("g1", "", { toolCalls: [call("c1", { output: "long" })] }),
      {
        $set: {
          messages: [
            model("g1", [{ functionCall: { id: "c1", name: "read_file", args: {} } }], {
              toolCalls: [call("c1", masked)],
            }),
            {
              id: "u",
              type: "user",
              content: [{ functionResponse: { id: "c1", response: masked } }],
            },
          ],
        },
      },
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual([
      "assistant: tool-call",
      "tool: tool-result",
    ]);
    expect(countsOf(reading)).toMatchObject({ toolCalls: 1, toolResults: 1 });
  });

  it("are refused with a reason when they are of another program", () => {
    expect(isGeminiCliLines([{ type: "user", id: "1" }])).toEqual(expect.any(String));
    expect(isGeminiCli({ messages: [] })).toEqual(expect.any(String));
    expect(isGeminiCli([{ role: "user", content: "x" }])).toEqual(expect.any(String));
    expect(isGeminiCliLines([SESSION])).toBe(true);
  });

  it("are read whatever is missing from them", () => {
    const sample = [
      SESSION,
      user("u1", "one"),
      model("g1", [{ text: "t" }], {
        thoughts: [{ subject: "s" }],
        toolCalls: [call("c1", { output: "1" })],
      }),
      { $set: { messages: [user("s", SNAPSHOT), user("u1", "one")], directories: ["/w"] } },
      { $rewindTo: "u1" },
      user("u2", "two"),
    ];
    fc.assert(
      fc.property(fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 }), (removed) => {
        const counts = countsOf(readLines(withoutValues(sample, removed)));
        expect(counts.messages).toBeLessThanOrEqual(5);
        const [, ...messages] = withoutValues(sample, removed);
        expect(
          geminiCli.read({ ...SESSION, messages }, { isTorn: true }).conversations,
        ).toHaveLength(1);
      }),
    );
  });
});

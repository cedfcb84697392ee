import { describe, expect, it } from "vitest";
import { readTranscript, type Transcript } from "../../src/transcripts/index.ts";

const BASE = {
  sessionId: "5f0f6a52-7f0e-4a5e-9d5c-0d6f4a1c2b3d",
  cwd: "/home/ada/work",
  version: "0.24.4",
};

/** Lines of a session, each the parent of the next unless it says otherwise. */
function sessionOf(...lines: readonly object[]): Buffer {
  const text = lines.map((line, at) => {
    const parentUuid = at === 0 ? null : `u${at - 1}`;
    const timestamp = new Date(Date.UTC(2026, 9, 1, 12, at)).toISOString();
    return JSON.stringify({ uuid: `u${at}`, parentUuid, ...BASE, timestamp, ...line });
  });
  return Buffer.from(`${text.join("\n")}\n`);
}

const typed = (text: string): object => ({
  type: "user",
  provenance: "real_user",
  message: { role: "user", parts: [{ text }] },
});
const calling = (id: string): object => ({
  type: "assistant",
  model: "qwen3-coder-plus",
  contextWindowSize: 131_072,
  message: {
    role: "model",
    parts: [
      { text: "I look at it.", thought: true },
      { text: "Now the file." },
      { functionCall: { id, name: "read_file", args: { path: "a.ts" } } },
    ],
  },
  usageMetadata: {
    promptTokenCount: 18_000,
    candidatesTokenCount: 100,
    cachedContentTokenCount: 8_000,
    totalTokenCount: 18_100,
  },
});
const answered = (id: string, response: object): object => ({
  type: "tool_result",
  message: { role: "user", parts: [{ functionResponse: { id, name: "read_file", response } }] },
  toolCallResult: { callId: id, status: "success", resultDisplay: "shown alone" },
});
const said = (text: string): object => ({
  type: "assistant",
  model: "qwen3-coder-plus",
  message: { role: "model", parts: [{ text }] },
});
const compressed = (...history: readonly object[]): object => ({
  type: "system",
  subtype: "chat_compression",
  systemPayload: { info: { newTokenCount: 900 }, compressedHistory: history },
});
const turn = (role: string, text: string): object => ({ role, parts: [{ text }] });

async function read(...lines: readonly object[]): Promise<Transcript> {
  const transcript = await readTranscript(sessionOf(...lines));
  expect(transcript).toMatchObject({ format: "qwen-code", warnings: [], unparsableLines: 0 });
  return transcript;
}

describe("a session of Qwen Code", () => {
  it("is told from one of Claude Code, and says what was said, called and shown", async () => {
    const { version, conversations } = await read(
      typed("Read a.ts."),
      calling("c1"),
      answered("c1", { output: "the file" }),
      { type: "system", subtype: "ui_telemetry", systemPayload: {} },
      said("It is read."),
      { type: "system", subtype: "custom_title", systemPayload: { customTitle: "Reading" } },
    );
    expect(version).toBe("0.24.4");
    const [conversation] = conversations;
    expect(conversation).toMatchObject({
      id: BASE.sessionId,
      title: "Reading",
      cwd: BASE.cwd,
      model: "qwen3-coder-plus",
      window: 131_072,
      startedAt: Date.UTC(2026, 9, 1, 12),
      timeline: [{ tokens: 18_100 }],
      requests: [{ usage: { input: 10_000, cacheRead: 8_000, output: 100 } }],
    });
    expect(conversation?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(conversation?.messages[1]?.parts.map(({ type }) => type)).toEqual([
      "reasoning",
      "text",
      "tool-call",
    ]);
    expect(conversation?.messages[2]?.parts).toMatchObject([
      { toolCallId: "c1", toolName: "read_file", output: [{ type: "text", text: "the file" }] },
    ]);
  });

  it("goes on from the last compression: its history, the summary first, and what came since", async () => {
    const { compactions, conversations } = await read(
      typed("Old."),
      said("Older answer."),
      compressed(turn("user", "<state_snapshot>What was.</state_snapshot>"), turn("model", "OK.")),
      typed("Go on."),
      calling("c2"),
      answered("c2", { error: "no such file" }),
    );
    expect(compactions).toBe(1);
    const messages = conversations[0]?.messages ?? [];
    expect(messages.map(({ role, kind }) => kind ?? role)).toEqual([
      "summary",
      "assistant",
      "user",
      "assistant",
      "tool",
    ]);
    expect(messages[4]?.parts).toMatchObject([{ isError: true }]);
    expect(JSON.stringify(messages)).not.toContain("Older answer");
  });

  it("leaves out what was rewound, and what was only said aloud", async () => {
    const { conversations } = await read(
      typed("First."),
      said("Taken back."),
      { ...typed("Again."), parentUuid: "u0" },
      { ...said("Aloud."), subtype: "realtime_message" },
    );
    const texts = JSON.stringify(conversations[0]?.messages);
    expect(texts).toContain("Again.");
    expect(texts).not.toMatch(/Taken back|Aloud/);
  });

  it("tells of a parent that is missing, and of a line that is none", async () => {
    const bytes = sessionOf(typed("First."), { ...typed("Second."), parentUuid: "gone" }, {});
    const { warnings, conversations } = await readTranscript(bytes, { format: "qwen-code" });
    expect(warnings.map(({ message }) => message).join(" ")).toMatch(
      /earlier part.*no line of a Qwen/s,
    );
    expect(conversations[0]?.messages).toHaveLength(2);
  });
});

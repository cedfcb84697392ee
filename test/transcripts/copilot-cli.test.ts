import { describe, expect, it } from "vitest";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { copilotCli } from "../../src/transcripts/copilot-cli/copilot-cli.ts";
import type { Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";

type Json = Record<string, unknown>;

/** Events as the schema of the agent's SDK has them: each names the one before it. */
function events(...drafts: readonly (readonly [type: string, data: Json, more?: Json])[]): Json[] {
  return drafts.map(([type, data, more], at) => {
    const timestamp = new Date(Date.UTC(2026, 4, 1, 10, 0, at)).toISOString();
    return {
      type,
      data,
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      timestamp,
      ...more,
    };
  });
}

const typed = (content: string) =>
  [
    "user.message",
    { content, transformedContent: `<now>${content}</now>`, attachments: [] },
  ] as const;

function asks(messageId: string, ...calls: readonly string[]) {
  const toolRequests = calls.map((toolCallId) => ({
    toolCallId,
    name: "bash",
    arguments: { command: `echo ${toolCallId}` },
    type: "function",
  }));
  const data = { messageId, content: "", toolRequests, outputTokens: 9, reasoningText: "Hm." };
  return ["assistant.message", data] as const;
}

const ran = (toolCallId: string) =>
  [
    "tool.execution_complete",
    {
      toolCallId,
      success: true,
      result: { content: `${toolCallId} ran`, detailedContent: "diff" },
    },
  ] as const;

const failed = (toolCallId: string) =>
  [
    "tool.execution_complete",
    { toolCallId, success: false, error: { message: "no such file", code: "failure" } },
  ] as const;

const START = [
  "session.start",
  {
    sessionId: "s1",
    version: 1,
    producer: "copilot-agent",
    copilotVersion: "1.0.9",
    startTime: "2026-05-01T10:00:00.000Z",
    selectedModel: "claude-sonnet-4.5",
    context: { cwd: "/w/shop" },
  },
] as const;

const BEGUN = ["session.compaction_start", { conversationTokens: 90_000 }] as const;
const COMPACTED = [
  "session.compaction_complete",
  { success: true, preCompactionTokens: 95_000, summaryContent: "<overview>Shop</overview>" },
] as const;

const SESSION: Json[] = events(
  START,
  ["system.message", { role: "system", content: "You are Copilot." }],
  typed("Fix the shop"),
  ["assistant.turn_start", { turnId: "0" }],
  asks("m1", "a", "b"),
  ["tool.execution_start", { toolCallId: "a", toolName: "bash", arguments: {} }],
  failed("b"),
  ran("a"),
  ["assistant.message", { messageId: "x1", content: "Inside." }, { agentId: "sub" }],
  asks("m2", "c"),
  BEGUN,
  ran("c"),
  asks("m3", "d"),
  COMPACTED,
  ran("d"),
  ["user.message", { content: "Go on", source: "skill-pdf" }],
  ["assistant.message", { messageId: "m4", content: "Done.", toolRequests: [] }],
  typed("Thanks"),
);

function lines(values: readonly Json[]): Buffer {
  return Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(""));
}

describeTranscript("copilot-cli", [
  {
    file: "with a compaction in the middle of a turn",
    made: {
      bytes: lines(SESSION),
      counts: {
        messages: 6,
        typedUserTurns: 1,
        toolCalls: 1,
        toolResults: 1,
        messagesWithParallelCalls: 0,
        failedResults: 0,
        thinkingBlocks: 1,
        images: 0,
        compactions: 1,
        prunedOutputs: 0,
      },
    },
  },
]);

function read(values: readonly Json[]): Reading {
  const reader = copilotCli.open();
  values.forEach((value, at) => reader.record(value, at + 1));
  return reader.finish();
}

function messagesOf(values: readonly Json[]): readonly Message[] {
  return read(values).conversations[0]?.messages ?? [];
}

describe("Copilot CLI", () => {
  it("says what the session is", () => {
    const { version, conversations } = read(SESSION);
    expect(version).toBe("1.0.9");
    expect(conversations).toMatchObject([
      {
        id: "s1",
        model: "claude-sonnet-4.5",
        cwd: "/w/shop",
        instructions: "You are Copilot.",
        startedAt: Date.UTC(2026, 4, 1, 10),
        timeline: [{ tokens: 95_000 }],
      },
    ]);
  });

  it("takes what was sent, without what sub-agents and screens were shown", () => {
    const messages = messagesOf(SESSION.slice(0, 10));
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(messageText(messages[0]!)).toBe("<now>Fix the shop</now>");
    expect(messages[2]?.parts).toMatchObject([
      { toolCallId: "b", toolName: "bash", isError: true, output: [{ text: "no such file" }] },
    ]);
    expect(messages[3]?.parts).toMatchObject([{ toolCallId: "a", output: [{ text: "a ran" }] }]);
    expect(JSON.stringify(messages)).not.toContain("Inside");
  });

  it("keeps what came while a compaction ran, and says what it cannot know", () => {
    const messages = messagesOf(SESSION);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages.map(({ role, kind }) => [role, kind])).toEqual([
      ["user", "summary"],
      ["assistant", undefined],
      ["tool", undefined],
      ["user", "injected"],
      ["assistant", undefined],
      ["user", undefined],
    ]);
    expect(read(SESSION).warnings.map(({ message }) => message)).toEqual([
      expect.stringContaining("what the last compaction kept word for word"),
    ]);
  });

  it("passes over a compaction that failed, and tells one without its summary", () => {
    const before = [START, typed("Fix it"), asks("m1", "a"), ran("a")] as const;
    const without = events(...before, ["session.compaction_complete", { success: false }]);
    expect(read(without)).toMatchObject({ compactions: 0, warnings: [] });
    expect(messagesOf(without)).toHaveLength(3);
    const empty = read(events(...before, ["session.compaction_complete", { success: true }]));
    expect(empty.compactions).toBe(1);
    expect(empty.warnings.map(({ message }) => message).join()).toContain(
      "The summary of the last",
    );
  });

  it("takes back what a rewind removed, and forgets what was cleared", () => {
    const rewind = ["session.snapshot_rewind", { upToEventId: "e3", eventsRemoved: 1 }] as const;
    const said = events(START, typed("One"), asks("m1"), typed("Two"), rewind, typed("Three"));
    expect(messagesOf(said).map(messageText)).toEqual(["<now>One</now>", "", "<now>Three</now>"]);
    const cleared = events(START, typed("One"), ["session.context_cleared", {}], typed("Two"));
    expect(messagesOf(cleared).map(messageText)).toEqual(["<now>Two</now>"]);
    expect(read(cleared).conversations[0]).toMatchObject({ id: "s1", cwd: "/w/shop" });
  });

  it("counts what each run of the program reports at its end, also when it was rewound", () => {
    const usage = {
      inputTokens: 900,
      outputTokens: 30,
      cacheReadTokens: 600,
      cacheWriteTokens: 100,
    };
    const none = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const modelMetrics = {
      "claude-opus-4.7": { requests: { count: 3, cost: 2.5 }, usage },
      "gpt-5.4": { requests: { count: 0 }, usage: none },
    };
    const window = { systemTokens: 8_000, toolDefinitionsTokens: 11_000, conversationTokens: 500 };
    const end = ["session.shutdown", { modelMetrics, ...window }] as const;
    const rewind = ["session.snapshot_rewind", { upToEventId: "e1" }] as const;
    const [conversation] = read(
      events(START, typed("One"), end, rewind, typed("Two"), end),
    ).conversations;
    const spent = { input: 200, output: 30, cacheRead: 600, cacheWrite: 100 };
    expect(conversation?.requests).toMatchObject([
      { model: "claude-opus-4.7", requests: 3, usage: spent, time: Date.UTC(2026, 4, 1, 10, 0, 2) },
      { model: "claude-opus-4.7", requests: 3, usage: spent, time: Date.UTC(2026, 4, 1, 10, 0, 5) },
    ]);
    expect(conversation?.timeline).toMatchObject([{ tokens: 19_500 }]);
  });

  it("joins the pieces of one reply", () => {
    const piece = (messageId: string, content: string) =>
      ["assistant.message", { messageId, apiCallId: "r1", content, chunkCount: 2 }] as const;
    const messages = messagesOf(events(START, typed("Hi"), piece("m1", "A"), piece("m2", "B")));
    expect(messages.map(({ parts }) => parts.length)).toEqual([1, 2]);
  });
});

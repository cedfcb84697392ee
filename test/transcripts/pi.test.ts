import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, messageText, type Message } from "../../src/core/message/index.ts";
import { pi } from "../../src/transcripts/pi/pi.ts";
import type { Conversation, Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { withoutValues } from "./without-values.ts";
import { countsOf } from "./counts.ts";
import { isPi } from "../../src/transcripts/signs.ts";

const LINEAR = "pi/pi-v1-two-compactions.jsonl.gz";
const TREE = "pi/pi-v3-compaction.jsonl";

describeTranscript("pi", [
  // Replies that the person aborted hold calls that never ran.
  {
    file: LINEAR,
    brokenRules: ["unanswered-tool-call"],
    differs: {
      reason: "a summary stands for the messages before it",
      counts: {
        typedUserTurns: 31,
        toolCalls: 194,
        toolResults: 192,
        failedResults: 5,
        thinkingBlocks: 27,
      },
    },
  },
  {
    file: TREE,
    differs: {
      reason: "a summary stands for the messages before it",
      counts: {
        typedUserTurns: 8,
        toolCalls: 31,
        toolResults: 31,
        failedResults: 0,
        thinkingBlocks: 15,
      },
    },
  },
]);

function readRecords(records: readonly unknown[]): Reading {
  const reader = pi.open();
  records.forEach((record, index) => reader.record(record, index + 1));
  return reader.finish();
}

function recorded(file: string): Conversation {
  const lines = recording(file).toString().trim().split("\n");
  return conversationOf(readRecords(lines.map((line) => JSON.parse(line) as unknown)));
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

const HEADER = { type: "session", id: "s1", cwd: "/w", timestamp: "2025-01-01T00:00:00.000Z" };
const TREE_HEADER = { ...HEADER, version: 3 };

function line(message: object, link: object = {}): object {
  return { type: "message", timestamp: "2025-01-01T00:00:01.000Z", message, ...link };
}

function typed(text: string, link: object = {}): object {
  return line({ role: "user", content: [{ type: "text", text }], timestamp: 5 }, link);
}

function reply(content: readonly object[], extra: object = {}, link: object = {}): object {
  return line({ role: "assistant", content, model: "m", stopReason: "stop", ...extra }, link);
}

function call(id: string, name: string, input: object): object {
  return { type: "toolCall", id, name, arguments: input };
}

function result(toolCallId: string, toolName: string, extra: object = {}): object {
  const content = [{ type: "text", text: "out" }];
  return line({ role: "toolResult", toolCallId, toolName, content, isError: false, ...extra });
}

function resultsOf(reading: Reading): unknown[] {
  return conversationOf(reading)
    .messages.flatMap(({ parts }) => parts)
    .filter((part) => part.type === "tool-result");
}

describe.skipIf(!existsSync(RECORDINGS))("recorded pi sessions", () => {
  it("of version 1 go on from the second summary with the 77 entries that it kept", () => {
    const { messages } = recorded(LINEAR);
    expect(messages[0]).toMatchObject({
      role: "user",
      kind: "summary",
      metadata: { tokensBefore: 185_014 },
    });
    expect(outline(messages)[1]).toBe("user: can leave it");
    const keptUntil = messages.findIndex((message) => message.time! > 1_765_238_061_502);
    expect(keptUntil).toBe(78);
  });

  it("tell commands that the person ran, and where the whole of their output is", () => {
    const { messages } = recorded(LINEAR);
    const commands = messages.filter(({ metadata }) => metadata?.["command"] !== undefined);
    expect(commands.map(({ kind, metadata }) => [kind, metadata?.["command"]])).toEqual([
      ["injected", "ls"],
      ["injected", "ls"],
      ["injected", "find ."],
    ]);
    expect(commands[2]?.metadata?.["original"]).toMatch(/^\/var\/folders\/.*pi-bash-/);
    expect(messageText(commands[2]!)).toContain(String(commands[2]?.metadata?.["original"]));
  });

  it("of version 3 go on from a cut inside a turn, with ids that any provider takes", () => {
    const { messages } = recorded(TREE);
    expect(messages.slice(0, 3).map(({ role, kind }) => kind ?? role)).toEqual([
      "summary",
      "assistant",
      "user",
    ]);
    expect(messages[0]?.metadata).toMatchObject({
      readFiles: expect.arrayContaining([]),
      modifiedFiles: expect.arrayContaining(["AGENTS.md"]),
    });
    const ids = messages
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === "tool-call" ? [part.toolCallId] : []));
    expect(ids.every((id) => /^call_[A-Za-z0-9]+$/.test(id))).toBe(true);
  });

  it("keep thinking whose text is empty with its signature, a JSON text", () => {
    const thinking = recorded(TREE)
      .messages.flatMap(({ parts }) => parts)
      .filter((part) => part.type === "reasoning");
    expect(thinking.some(({ text }) => text === "")).toBe(true);
    for (const { signature } of thinking) expect(JSON.parse(signature!)).toHaveProperty("id");
  });

  it("say how full the window was at every reply that reached the model", () => {
    const { timeline } = recorded(LINEAR);
    expect(timeline).toHaveLength(471);
    expect(timeline[0]).toEqual({ time: 1_765_233_669_389, tokens: 2916 });
  });
});

describe("pi sessions of version 1", () => {
  const compaction = (firstKeptEntryIndex: number): object => ({
    type: "compaction",
    summary: "sum",
    firstKeptEntryIndex,
    tokensBefore: 9,
  });

  it("count the entries of a compaction from the header", () => {
    const reading = readRecords([HEADER, typed("a"), typed("b"), compaction(2), typed("c")]);
    expect(outline(conversationOf(reading).messages)).toEqual([
      "summary: sum",
      "user: b",
      "user: c",
    ]);
    expect(reading).toMatchObject({ version: "1", compactions: 1 });
  });

  it("keep nothing from before a compaction whose first kept entry is missing, and say so", () => {
    const reading = readRecords([HEADER, typed("a"), compaction(70), typed("c")]);
    expect(outline(conversationOf(reading).messages)).toEqual(["summary: sum", "user: c"]);
    expect(reading.warnings).toEqual([{ line: 3, message: expect.stringContaining("missing") }]);
  });

  it("leave out aborted replies without content, and keep the calls of the others", () => {
    const stopped = { stopReason: "aborted" };
    const reading = readRecords([
      HEADER,
      typed("a"),
      reply([], stopped),
      typed("b"),
      reply([call("c1", "bash", { command: "ls" })], stopped),
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual([
      "user: a",
      "user: b",
      "assistant: tool-call",
    ]);
    expect(countsOf(reading)).toMatchObject({ toolCalls: 1, toolResults: 0 });
  });
});

describe("pi sessions that are a tree", () => {
  it("follow the branch of the last entry and count all of them", () => {
    const reading = readRecords([
      TREE_HEADER,
      typed("a", { id: "1", parentId: null }),
      reply([{ type: "text", text: "left" }], {}, { id: "2", parentId: "1" }),
      reply([{ type: "text", text: "right" }], {}, { id: "3", parentId: "1" }),
      { type: "branch_summary", id: "4", parentId: "3", fromId: "2", summary: "went left" },
      { type: "custom", id: "5", parentId: "4", data: {} },
      { type: "custom_message", id: "6", parentId: "5", content: "hook says", display: false },
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual([
      "user: a",
      "assistant: right",
      "injected: went left",
      "injected: hook says",
    ]);
  });

  it("start a compacted context with the summary, then the kept entries of the branch", () => {
    const reading = readRecords([
      TREE_HEADER,
      typed("a", { id: "1", parentId: null }),
      typed("b", { id: "2", parentId: "1" }),
      { type: "compaction", id: "3", parentId: "2", summary: "sum", firstKeptEntryId: "2" },
      typed("other", { id: "4", parentId: "3" }),
      typed("c", { id: "5", parentId: "3" }),
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual([
      "summary: sum",
      "user: b",
      "user: c",
    ]);
  });

  it("go on over a missing parent from the entry before, and say so", () => {
    const reading = readRecords([
      TREE_HEADER,
      typed("a", { id: "1", parentId: null }),
      typed("b", { id: "3", parentId: "gone" }),
    ]);
    expect(outline(conversationOf(reading).messages)).toEqual(["user: a", "user: b"]);
    expect(reading.warnings).toHaveLength(1);
  });
});

describe("pi messages", () => {
  it("pair results with calls whose ids were blanked to one word, step by step", () => {
    const reading = readRecords([
      HEADER,
      reply([call("REDACTED", "read", { path: "a" })], { stopReason: "aborted" }),
      reply([call("REDACTED", "read", { path: "b" }), call("REDACTED", "bash", {})]),
      result("REDACTED", "read"),
      result("REDACTED", "bash"),
    ]);
    const { messages } = conversationOf(reading);
    expect(checkMessages(messages).map(({ rule }) => rule)).toEqual(["unanswered-tool-call"]);
    expect(resultsOf(reading)).toMatchObject([{ toolName: "read" }, { toolName: "bash" }]);
    expect(countsOf(reading)).toMatchObject({ toolCalls: 3, toolResults: 2 });
  });

  it("pair results without any id by the tool's name and the order", () => {
    const reading = readRecords([
      HEADER,
      reply([call("", "read", {}), call("", "bash", {})]),
      result("", "bash"),
      result("", "read"),
    ]);
    expect(checkMessages(conversationOf(reading).messages)).toEqual([]);
  });

  it("name where the whole of a truncated output is: the spill file, or the file that was read", () => {
    const truncation = { truncated: true, totalLines: 9000 };
    const reading = readRecords([
      HEADER,
      reply([
        call("c1", "bash", {}),
        call("c2", "read", { path: "/w/a.ts" }),
        call("c3", "ls", {}),
      ]),
      result("c1", "bash", { details: { truncation, fullOutputPath: "/tmp/pi-bash-1.log" } }),
      result("c2", "read", { details: { truncation } }),
      result("c3", "ls", { isError: true }),
    ]);
    expect(resultsOf(reading)).toMatchObject([
      { original: "/tmp/pi-bash-1.log" },
      { original: "/w/a.ts" },
      { isError: true },
    ]);
    expect(resultsOf(reading)[2]).toHaveProperty("original", undefined);
  });

  it("carry images, and leave out commands that the person kept from the model", () => {
    const image = { type: "image", data: "QUJD", mimeType: "image/png" };
    const bash = { role: "bashExecution", command: "ls", output: "x", exitCode: 2 };
    const reading = readRecords([
      HEADER,
      line({ role: "user", content: [image] }),
      line({ ...bash, excludeFromContext: true }),
      line(bash),
    ]);
    const { messages } = conversationOf(reading);
    expect(messages[0]?.parts).toMatchObject([
      { type: "file", mediaType: "image/png", data: "QUJD" },
    ]);
    expect(outline(messages)[1]).toBe("injected: Ran `ls`\n```\nx\n```\n(exit code 2)");
    expect(messages).toHaveLength(2);
    expect(countsOf(reading)).toMatchObject({ images: 1 });
  });
});

describe("the usage of a reply of pi", () => {
  it.each([
    [
      { cacheRead: 700, output: 5 },
      { input: 0, cacheRead: 700, output: 5 },
    ],
    [{ output: 5 }, { input: 0, output: 5 }],
    [
      { input: 40, output: 5, total: 900, totalTokens: 45 },
      { input: 40, output: 5 },
    ],
    [{ input: 0, output: 0 }, undefined],
    [{ total: 900 }, undefined],
  ])("%j is %j", (reported, usage) => {
    const content = [{ type: "text", text: "ok" }];
    const { requests = [] } = conversationOf(
      readRecords([HEADER, typed("a"), reply(content, { usage: reported })]),
    );
    expect(requests.map((request) => request.usage)).toEqual(usage === undefined ? [] : [usage]);
  });
});

describe("pi records", () => {
  const SAMPLE = [
    TREE_HEADER,
    typed("a", { id: "1", parentId: null }),
    reply(
      [call("c1|fc_1", "read", { path: "p" })],
      { usage: { input: 1, output: 2 } },
      { id: "2", parentId: "1" },
    ),
    result("c1|fc_1", "read", { details: { truncation: { truncated: true } } }),
    { type: "compaction", id: "4", parentId: "2", summary: "sum", firstKeptEntryId: "1" },
    typed("b", { id: "5", parentId: "4" }),
  ];

  it("of another program are refused with a reason", () => {
    for (const records of [[], [null], [{ type: "session" }], [{ type: "user", uuid: "u" }]]) {
      expect(isPi(records)).toEqual(expect.any(String));
    }
    expect(isPi(SAMPLE)).toBe(true);
    expect(isPi(SAMPLE.slice(1))).toBe(true);
  });

  it("are read whatever is missing from them", () => {
    const positions = fc.array(fc.nat(1000), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(positions, (removed) => {
        const { conversations } = readRecords(withoutValues(SAMPLE, removed));
        expect(conversations[0]!.messages.length).toBeLessThanOrEqual(5);
      }),
    );
  });
});

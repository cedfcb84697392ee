import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { messageText, type Message, type ToolResultPart } from "../../src/core/message/index.ts";
import { readTranscript, type Transcript } from "../../src/transcripts/index.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { type Counts, countsOf } from "./counts.ts";

const SHRUNK = "claude-code/cc-2.1.17-microcompact-and-compact.jsonl.gz";
const PRESERVED = "claude-code/cc-2.1.219-preserved-tail.jsonl.gz";
const SIDECHAINS = "claude-code/cc-1.0.98-inline-sidechains.jsonl";

describeTranscript("claude-code", [
  {
    file: SHRUNK,
    differs: {
      reason: "a summary stands for the messages before it",
      counts: {
        typedUserTurns: 2,
        toolCalls: 25,
        toolResults: 25,
        failedResults: 0,
        thinkingBlocks: 27,
      },
    },
  },
  {
    file: PRESERVED,
    differs: {
      reason: "prompts that were queued while the agent worked are user messages of their own",
      counts: { typedUserTurns: 27 },
    },
  },
  {
    file: SIDECHAINS,
    differs: {
      reason: "sub-agents have contexts of their own",
      counts: { toolCalls: 11, toolResults: 11, failedResults: 0 },
    },
  },
]);

describe.skipIf(!existsSync(RECORDINGS))("recorded Claude Code sessions", () => {
  it("begins behind the compaction with its summary", async () => {
    for (const file of [SHRUNK, PRESERVED]) {
      const messages = contextOf(await readTranscript(recording(file)));
      expect(messages[0]).toMatchObject({ role: "user", kind: "summary" });
      expect(messageText(messages[0]!)).toMatch(/^This session is being continued/);
      expect(messages.filter(({ kind }) => kind === "summary")).toHaveLength(1);
    }
  });

  it("shows microcompacted results as placeholders until the summary replaces them", async () => {
    const lines = recording(SHRUNK).toString().split("\n");
    const boundary = lines.findIndex((line) => line.includes('"subtype":"compact_boundary"'));
    const before = await readTranscript(Buffer.from(lines.slice(0, boundary).join("\n")));
    const results = resultsOf(contextOf(before));
    const cleared = results.filter(({ time }) => time !== undefined);
    expect(cleared).toHaveLength(7);
    for (const result of cleared) {
      expect(result.output).toEqual([{ type: "text", text: "[Old tool result content cleared]" }]);
      expect(result.time).toEqual({ compacted: Date.parse("2026-02-14T21:56:33.421Z") });
    }
  });

  it("keeps the results that a walk by parents loses", async () => {
    const messages = contextOf(await readTranscript(recording(SHRUNK)));
    const parallel = messages.findIndex(
      ({ parts }) => parts.filter(({ type }) => type === "tool-call").length === 2,
    );
    expect(messages.slice(parallel + 1, parallel + 3).map(({ role }) => role)).toEqual([
      "tool",
      "tool",
    ]);
  });

  it("says which preserved lines a rotated file lacks", async () => {
    const { warnings } = await readTranscript(recording(PRESERVED));
    expect(warnings).toEqual([{ message: expect.stringContaining("kept 16 lines") }]);
  });

  it("tells typed prompts from what the program injects", async () => {
    const messages = contextOf(await readTranscript(recording(PRESERVED)));
    const users = messages.filter(({ role }) => role === "user");
    const typed = users.filter(({ kind }) => kind === undefined);
    // 20 prompts and 7 that were queued while the agent worked.
    expect(typed).toHaveLength(27);
    expect(typed.some((message) => messageText(message).startsWith("<task-notification>"))).toBe(
      false,
    );
    expect(typed.flatMap(({ parts }) => parts).filter(({ type }) => type === "file")).toHaveLength(
      2,
    );
    const injected = users.filter(({ kind }) => kind === "injected").map(messageText);
    expect(injected.every((text) => text.trim() !== "")).toBe(true);
    expect(injected.some((text) => text.startsWith("The file D:\\oh-my-posh"))).toBe(true);
  });

  it("keeps the path of outputs that the program spilled, and blocks it cannot describe", async () => {
    const results = resultsOf(contextOf(await readTranscript(recording(PRESERVED))));
    const paths = results.flatMap(({ original }) => original ?? []);
    expect(paths).toHaveLength(2);
    expect(paths.every((path) => /^C:\\.*\.txt$/.test(path))).toBe(true);
    expect(results.flatMap(({ output }) => output)).toContainEqual(
      expect.objectContaining({ type: "opaque", kind: "tool_reference" }),
    );
    expect(results.every(({ toolName }) => toolName !== "unknown")).toBe(true);
  });

  it("leaves sub-agents out of the context", async () => {
    const transcript = await readTranscript(recording(SIDECHAINS));
    expect(resultsOf(contextOf(transcript))).toHaveLength(11);
    expect(transcript.conversations[0]?.timeline).toHaveLength(9);
  });

  it("takes the usage of a reply from its last line", async () => {
    const transcript = await readTranscript(recording(PRESERVED));
    const { timeline } = transcript.conversations[0]!;
    expect(timeline).toHaveLength(610);
    expect(timeline[0]?.tokens).toBe(2 + 31_222 + 38_089 + 859);
    const first = contextOf(transcript).find(({ role }) => role === "assistant");
    expect(first?.usage).toEqual({
      input: 2,
      output: 859,
      cacheRead: 38_089,
      cacheWrite: 31_222,
    });
  });
});

describe("Claude Code lines", () => {
  it("merges a reply that parallel results interrupt", async () => {
    const { messages } = await session([
      user("u", null, "go"),
      reply("a1", "u", "m1", { type: "tool_use", id: "t1", name: "Read", input: {} }),
      result("r1", "a1", "t1"),
      reply("a2", "a1", "m1", { type: "tool_use", id: "t2", name: "Grep", input: {} }),
      result("r2", "a2", "t2"),
      reply("a3", "r2", "m2", { type: "text", text: "done" }),
    ]);
    expect(messages.map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["assistant", 2],
      ["tool", 1],
      ["tool", 1],
      ["assistant", 1],
    ]);
    expect(resultsOf(messages).map(({ toolName }) => toolName)).toEqual(["Read", "Grep"]);
  });

  it("follows the branch of the last line after a rewind", async () => {
    const { messages } = await session([
      user("u1", null, "first"),
      reply("a1", "u1", "m1", { type: "text", text: "wrong" }),
      user("u2", "a1", "abandoned"),
      user("u3", "u1", "edited"),
      reply("a2", "u3", "m2", { type: "text", text: "right" }),
    ]);
    expect(messages.map(messageText)).toEqual(["first", "edited", "right"]);
  });

  it("puts what a compaction preserved behind its summary", async () => {
    const { messages } = await session([
      user("u1", null, "old"),
      reply("a1", "u1", "m1", { type: "text", text: "gone" }),
      user("u2", "a1", "kept prompt"),
      reply("a2", "u2", "m2", { type: "tool_use", id: "t", name: "Read", input: {} }),
      result("r2", "a2", "t"),
      {
        ...line("b", null),
        type: "system",
        subtype: "compact_boundary",
        logicalParentUuid: "r2",
        compactMetadata: {
          trigger: "auto",
          preservedSegment: { headUuid: "u2", anchorUuid: "s", tailUuid: "r2" },
          preservedMessages: { anchorUuid: "s", uuids: ["u2", "a2", "r2"] },
        },
      },
      { ...user("s", "b", "the summary"), isCompactSummary: true },
      reply("a3", "r2", "m3", { type: "text", text: "goes on" }),
    ]);
    expect(messages.map(({ role, kind }) => kind ?? role)).toEqual([
      "summary",
      "user",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(messageText(messages[1]!)).toBe("kept prompt");
  });

  it("honours the last of many compactions, with what it kept", async () => {
    const rounds = [1, 2, 3, 4].flatMap((round) => {
      const previous = round === 1 ? null : `a${round - 1}`;
      const kept = [`u${round}`];
      return [
        user(`u${round}`, previous, `prompt ${round}`),
        reply(`x${round}`, `u${round}`, `mx${round}`, { type: "text", text: `work ${round}` }),
        {
          ...line(`b${round}`, null),
          type: "system",
          subtype: "compact_boundary",
          compactMetadata: { preservedMessages: { anchorUuid: `s${round}`, uuids: kept } },
        },
        { ...user(`s${round}`, `b${round}`, `summary ${round}`), isCompactSummary: true },
        reply(`a${round}`, `s${round}`, `m${round}`, { type: "text", text: `after ${round}` }),
      ];
    });
    const { messages, counts } = await session(rounds);
    expect(messages.map(messageText)).toEqual(["summary 4", "prompt 4", "after 4"]);
    expect(counts).toMatchObject({ compactions: 4 });
  });

  it("walks over a lost line by the order of the file", async () => {
    const { messages } = await session([
      user("u1", null, "go"),
      reply("a1", "u1", "m1", { type: "text", text: "working" }),
      reply("a2", "lost", "m2", { type: "text", text: "done" }),
    ]);
    expect(messages.map(messageText)).toEqual(["go", "working", "done"]);
  });

  it("knows the program's texts by where they stand, not by what a person quotes", async () => {
    const { messages, counts } = await session([
      user("u1", null, "<command-name>/clear</command-name>"),
      user("u2", "u1", "why does it print <command-name>/clear</command-name>?"),
      user("u3", "u2", "[Request interrupted by user]"),
      user("u4", "u3", [
        { type: "text", text: "look" },
        { type: "text", text: "<system-reminder>be brief</system-reminder>" },
      ]),
      { ...user("u5", "u4", "from a skill"), isMeta: true },
      { ...user("u6", "u5", "from a channel"), origin: { kind: "channel" } },
    ]);
    expect(messages.map(({ kind }) => kind)).toEqual([
      "injected",
      undefined,
      "injected",
      undefined,
      "injected",
      "injected",
    ]);
    expect(counts.typedUserTurns).toBe(2);
  });

  it("separates what stands beside a result from the result", async () => {
    const { messages } = await session([
      user("u", null, "go"),
      reply("a", "u", "m", { type: "tool_use", id: "t", name: "Bash", input: {} }),
      user("r", "a", [
        { type: "tool_result", tool_use_id: "t", content: "no", is_error: true },
        { type: "text", text: "[Request interrupted by user for tool use]" },
      ]),
    ]);
    expect(messages.slice(2).map(({ role, kind }) => [role, kind])).toEqual([
      ["tool", undefined],
      ["user", "injected"],
    ]);
    expect(resultsOf(messages)[0]?.isError).toBe(true);
  });

  it("leaves out what was only shown: errors of requests, unknown lines, silent attachments", async () => {
    const { messages } = await session([
      user("u", null, "go"),
      { ...reply("e", "u", "x", { type: "text", text: "API Error" }), isApiErrorMessage: true },
      { ...line("p", "e"), type: "progress", data: { type: "hook_progress" } },
      { ...line("c", "p"), type: "attachment", attachment: { type: "command_permissions" } },
      { ...line("z", "c"), type: "something-new" },
      reply("a", "z", "m", { type: "text", text: "fine" }),
    ]);
    expect(messages.map(messageText)).toEqual(["go", "fine"]);
  });

  it("reads the file of a sub-agent, which is nothing but a sidechain", async () => {
    const { messages } = await session([
      { ...user("u", null, "task"), isSidechain: true },
      { ...reply("a", "u", "m", { type: "text", text: "answer" }), isSidechain: true },
    ]);
    expect(messages.map(messageText)).toEqual(["task", "answer"]);
  });

  it("takes a title from this session only", async () => {
    const own = await session([
      { type: "summary", summary: "Mine", leafUuid: "u" },
      { type: "summary", summary: "Of another", leafUuid: "elsewhere" },
      user("u", null, "go"),
    ]);
    expect(own.title).toBe("Mine");
  });
});

interface Session {
  readonly messages: readonly Message[];
  readonly counts: Counts;
  readonly title: string | undefined;
}

async function session(lines: readonly unknown[]): Promise<Session> {
  const text = lines.map((each) => JSON.stringify(each)).join("\n");
  const transcript = await readTranscript(Buffer.from(`${text}\n`));
  const { conversations } = transcript;
  const counts = countsOf(transcript);
  return { messages: conversations[0]!.messages, counts, title: conversations[0]!.title };
}

function line(uuid: string, parentUuid: string | null): Record<string, unknown> {
  return { uuid, parentUuid, sessionId: "s1", timestamp: "2026-01-01T00:00:00.000Z" };
}

function user(uuid: string, parent: string | null, content: unknown): Record<string, unknown> {
  return { ...line(uuid, parent), type: "user", message: { role: "user", content } };
}

function reply(
  uuid: string,
  parent: string,
  id: string,
  block: Record<string, unknown>,
): Record<string, unknown> {
  const message = { id, role: "assistant", model: "m", content: [block] };
  return { ...line(uuid, parent), type: "assistant", message };
}

function result(uuid: string, parent: string, callId: string): Record<string, unknown> {
  return user(uuid, parent, [{ type: "tool_result", tool_use_id: callId, content: "ok" }]);
}

function contextOf(transcript: Transcript): readonly Message[] {
  return transcript.conversations[0]!.messages;
}

function resultsOf(messages: readonly Message[]): ToolResultPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part) => part.type === "tool-result"));
}

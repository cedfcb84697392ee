import { existsSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, type Message } from "../../src/core/message/index.ts";
import { openhandsDocument, openhandsLines } from "../../src/transcripts/openhands/openhands.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import type { Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { countsOf } from "./counts.ts";
import { isOpenHandsDocument, isOpenHandsLines } from "../../src/transcripts/signs.ts";

const RUNS = "openhands/oh-v0-multi-swe-output.jsonl";

describeTranscript("openhands", [
  {
    file: RUNS,
    differs: {
      reason: "the last words of a run are no call, and an error that answers no call is a notice",
      counts: { toolCalls: 103, toolResults: 103, failedResults: 0 },
    },
  },
]);

type Json = Record<string, unknown>;

function readLines(...lines: readonly unknown[]): Reading {
  const reader = openhandsLines.open();
  lines.forEach((line, index) => reader.record(line, index + 1));
  return reader.finish();
}

function messagesOf(reading: Reading): readonly Message[] {
  return reading.conversations[0]?.messages ?? [];
}

/** Events with ids from 0 on. */
function numbered(...events: readonly Json[]): Json[] {
  return events.map((event, id) => ({ id, timestamp: "2025-04-30T16:00:00.000001", ...event }));
}

function reply(id: string, ...calls: readonly string[]): Json {
  const tool_calls = calls.map((call) => ({
    id: call,
    type: "function",
    function: { name: "execute_bash", arguments: `{"command":"echo ${call}"}` },
  }));
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 40 },
  };
  return {
    id,
    model: "m",
    choices: [{ message: { role: "assistant", content: "Now.", tool_calls } }],
    usage,
  };
}

function run(call: string, model_response: Json): Json {
  const tool_call_metadata = { function_name: "execute_bash", tool_call_id: call, model_response };
  return {
    source: "agent",
    action: "run",
    args: { command: "x", thought: "Now." },
    tool_call_metadata,
  };
}

function ran(call: string, cause: number): Json {
  const tool_call_metadata = {
    function_name: "execute_bash",
    tool_call_id: call,
    model_response: {},
  };
  const extras = { metadata: { exit_code: 0, suffix: "\n[exit 0]", working_dir: "/w" } };
  return { source: "agent", observation: "run", content: call, cause, extras, tool_call_metadata };
}

const TYPED = { source: "user", action: "message", args: { content: "Fix it" } };

describe.skipIf(!existsSync(RECORDINGS))("recorded OpenHands runs", () => {
  it("are a conversation each, with the context sizes that the model was billed for", async () => {
    const { conversations, version } = await readTranscript(recording(RUNS));
    expect(version).toBe("0.35.0");
    expect(conversations.map(({ id, messages }) => [id, messages.length])).toEqual([
      ["ponylang__ponyc-4595", 48],
      ["ponylang__ponyc-4593", 69],
      ["ponylang__ponyc-4588", 102],
    ]);
    expect(conversations[0]?.timeline.at(-1)).toEqual({ time: 1_746_030_858_542, tokens: 33_437 });
  });

  it("say each thing once, although results repeat the whole reply", async () => {
    const { conversations } = await readTranscript(recording(RUNS));
    for (const { messages } of conversations) {
      const replies = messages
        .filter(({ role }) => role === "assistant")
        .flatMap(({ parts }) => parts.filter((part) => part.type === "tool-call"));
      expect(new Set(replies.map(({ toolCallId }) => toolCallId)).size).toBe(replies.length);
    }
  });

  it("bring recalled knowledge as a notice, and the question for it not at all", async () => {
    const { conversations } = await readTranscript(recording(RUNS));
    const [system, typed, notice] = conversations[0]?.messages ?? [];
    expect([system?.role, typed?.kind, notice?.kind]).toEqual(["system", undefined, "injected"]);
    expect(JSON.stringify(notice?.parts)).toContain("GITHUB_TOKEN");
  });
});

describe("OpenHands", () => {
  it("joins the calls of one reply, which were run one by one", () => {
    const both = reply("r1", "a", "b");
    const history = numbered(TYPED, run("a", both), ran("a", 1), run("b", both), ran("b", 3));
    const reading = readLines({ history });
    expect(messagesOf(reading).map(({ role, parts }) => [role, parts.length])).toEqual([
      ["user", 1],
      ["assistant", 3],
      ["tool", 1],
      ["tool", 1],
    ]);
    expect(countsOf(reading)).toMatchObject({
      messagesWithParallelCalls: 1,
      toolCalls: 2,
    });
    expect(checkMessages(messagesOf(reading))).toEqual([]);
    expect(messagesOf(reading)[1]?.usage).toEqual({ input: 60, output: 5, cacheRead: 40 });
  });

  it("takes the arguments that the model gave, and the shell's notes with the output", () => {
    const history = numbered(TYPED, run("a", reply("r1", "a")), ran("a", 1));
    const [, said, result] = messagesOf(readLines({ history }));
    expect(said?.parts[1]).toMatchObject({ input: { command: "echo a" } });
    expect(result?.parts[0]).toMatchObject({ output: [{ text: "a\n[exit 0]" }] });
  });

  it("makes failed results of errors that answer a call, and notices of others", () => {
    const failed = { ...ran("a", 1), observation: "error", content: "no such tool" };
    const lost = { source: "agent", observation: "error", content: "bad call", extras: {} };
    const reading = readLines({
      history: numbered(TYPED, run("a", reply("r1", "a")), failed, lost),
    });
    expect(messagesOf(reading)[2]?.parts[0]).toMatchObject({ isError: true });
    expect(messagesOf(reading)[3]).toMatchObject({ role: "user", kind: "injected" });
    expect(countsOf(reading)).toMatchObject({ toolResults: 1, failedResults: 1 });
  });

  it("honours condensations: forgotten events are gone, the newest summary stands for them", () => {
    const condensation = (args: Json): Json => ({ source: "agent", action: "condensation", args });
    const history = numbered(
      TYPED,
      run("a", reply("r1", "a")),
      ran("a", 1),
      run("b", reply("r2", "b")),
      ran("b", 3),
      condensation({ forgotten_event_ids: [1, 2], summary: "old", summary_offset: 1 }),
      condensation({
        forgotten_events_start_id: 3,
        forgotten_events_end_id: 4,
        summary: "a and b were run",
        summary_offset: 1,
      }),
      run("c", reply("r3", "c")),
      ran("c", 7),
    );
    const reading = readLines({ history });
    expect(messagesOf(reading).map(({ role, kind }) => [role, kind])).toEqual([
      ["user", undefined],
      ["user", "summary"],
      ["assistant", undefined],
      ["tool", undefined],
    ]);
    expect(messagesOf(reading)[1]?.parts).toEqual([{ type: "text", text: "a and b were run" }]);
    expect(countsOf(reading)).toMatchObject({ compactions: 2 });
    expect(reading.conversations[0]?.timeline).toHaveLength(3);
  });

  it("reads early runs: pairs of events without ids, sources or calls", () => {
    const history = [
      [
        { action: "message", source: "user", args: { content: "Fix it" } },
        { observation: "null", content: "", extras: {} },
      ],
      [
        { action: "run", args: { command: "ls", thought: "Look." } },
        { observation: "run", content: "a.py", extras: {} },
      ],
    ];
    const messages = messagesOf(readLines({ history }));
    expect(checkMessages(messages)).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(messages[1]?.parts[1]).toMatchObject({ toolName: "run", input: { command: "ls" } });
  });

  it.each([
    ["by lines", (events: readonly object[]) => readLines(...events)],
    ["as a task", (events: readonly object[]) => readLines({ history: events })],
    ["as a document", (events: readonly object[]) => openhandsDocument.read(events)],
  ])("reads the flat events of 2024, which do not say who speaks: %s", (_, read) => {
    const reading = read([
      { action: "initialize", args: { AGENT: "CodeActAgent" } },
      { action: "message", args: { content: "Fix it", wait_for_response: false } },
      { action: "run", args: { command: "ls", thought: "Look." } },
      { observation: "run", content: "a.py", extras: { command_id: 1, exit_code: 0 } },
      { action: "message", args: { content: "Shall I go on?", wait_for_response: true } },
      { action: "message", args: { content: "Yes." } },
      { action: "edit", args: { path: "a.py", content: "x", thought: "" } },
      { observation: "edit", content: "done", extras: { path: "a.py" } },
      { action: "message", args: { content: "Edited." } },
      { action: "finish", args: { thought: "Done." } },
    ]);
    const messages = messagesOf(reading);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages.map(({ role, kind, parts }) => [role, kind, parts.at(-1)?.type])).toEqual([
      ["user", undefined, "text"],
      ["assistant", undefined, "tool-call"],
      ["tool", undefined, "tool-result"],
      ["assistant", undefined, "text"],
      ["user", undefined, "text"],
      ["assistant", undefined, "tool-call"],
      ["tool", undefined, "tool-result"],
      ["assistant", undefined, "text"],
      ["assistant", undefined, "text"],
    ]);
    expect(reading.warnings).toEqual([]);
  });

  it("reads a document with the events of one run, without its torn last one", () => {
    const events = numbered(TYPED, run("a", reply("r1", "a")), ran("a", 1));
    expect(isOpenHandsDocument(events)).toBe(true);
    expect(messagesOf(openhandsDocument.read(events))).toHaveLength(3);
    expect(messagesOf(openhandsDocument.read(events, { isTorn: true }))).toHaveLength(2);
  });

  it("reads SDK 1.x, one event a line", () => {
    const base = { timestamp: "2025-11-01T10:00:00.000000" };
    const lines: Json[] = [
      {
        ...base,
        id: "0",
        kind: "SystemPromptEvent",
        source: "agent",
        system_prompt: { type: "text", text: "S" },
      },
      {
        ...base,
        id: "1",
        kind: "MessageEvent",
        source: "user",
        llm_message: { role: "user", content: [{ type: "text", text: "Fix it" }] },
      },
      {
        ...base,
        id: "2",
        kind: "ActionEvent",
        source: "agent",
        thought: [{ type: "text", text: "Look." }],
        reasoning_content: "hm",
        action: { kind: "TerminalAction", command: "ls" },
        tool_name: "terminal",
        tool_call_id: "c1",
        tool_call: { id: "c1", name: "terminal", arguments: '{"command":"ls"}' },
        llm_response_id: "r1",
      },
      {
        ...base,
        id: "3",
        kind: "ObservationEvent",
        source: "environment",
        observation: { kind: "TerminalObservation", content: [{ type: "text", text: "a.py" }] },
        action_id: "2",
        tool_name: "terminal",
        tool_call_id: "c1",
      },
      {
        ...base,
        id: "4",
        kind: "ConversationStateUpdateEvent",
        source: "environment",
        key: "x",
        value: 1,
      },
      {
        ...base,
        id: "5",
        kind: "Condensation",
        source: "environment",
        forgotten_event_ids: ["2", "3"],
        summary: "Looked.",
        summary_offset: 2,
      },
    ];
    expect(isOpenHandsLines(lines)).toBe(true);
    const whole = messagesOf(readLines(...lines.slice(0, 5)));
    expect(whole.map(({ role, parts }) => [role, parts.map(({ type }) => type)])).toEqual([
      ["system", ["text"]],
      ["user", ["text"]],
      ["assistant", ["reasoning", "text", "tool-call"]],
      ["tool", ["tool-result"]],
    ]);
    const nameless = lines.slice(0, 5).map(({ id: _, action_id: __, ...event }) => event);
    const uncalled = nameless.map(({ tool_call_id: _, tool_call: __, ...event }) => event);
    for (const events of [nameless, uncalled]) {
      expect(isOpenHandsLines(events) && isOpenHandsDocument(events)).toBe(true);
      const read = messagesOf(readLines(...events));
      expect(checkMessages(read)).toEqual([]);
      expect(read.map(({ role }) => role)).toEqual(["system", "user", "assistant", "tool"]);
      expect(read[3]?.parts).toMatchObject([{ output: [{ type: "text", text: "a.py" }] }]);
    }
    const condensed = messagesOf(readLines(...lines));
    expect(condensed.map(({ kind }) => kind)).toEqual([undefined, undefined, "summary"]);
  });

  it("warns of what is no event and takes any JSON for a history", () => {
    expect(readLines({ history: [TYPED, 7, {}] }).warnings).toHaveLength(2);
    fc.assert(
      fc.property(fc.array(fc.jsonValue()), fc.jsonValue(), (history, line) => {
        const reading = readLines({ history: [...numbered(TYPED), ...history] }, line);
        expect(countsOf(reading).typedUserTurns).toBe(1);
      }),
    );
  });
});

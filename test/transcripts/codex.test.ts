import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { messageText, type Message } from "../../src/core/message/index.ts";
import {
  type Conversation,
  readTranscript,
  writeConversation,
} from "../../src/transcripts/index.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { type Counts, countsOf } from "./counts.ts";

const REMOTE = "codex/cx-0.142.2-remote-compaction.jsonl";

describeTranscript("codex", [
  {
    file: REMOTE,
    differs: {
      reason: "sealed reasoning stands for the items before it",
      counts: { toolCalls: 65, toolResults: 65, thinkingBlocks: 64 },
    },
  },
]);

describe.skipIf(!existsSync(RECORDINGS))("a recorded Codex rollout", () => {
  it("has nothing but the replacement before what came after the compaction", async () => {
    const { conversations } = await readTranscript(recording(REMOTE));
    const { messages } = conversations[0]!;
    const summary = messages.findIndex(({ kind }) => kind === "summary");
    expect(summary).toBe(12);
    expect(messages.slice(0, summary).every(({ role }) => role !== "assistant")).toBe(true);
    expect(messages[summary]?.parts).toEqual([
      expect.objectContaining({ type: "opaque", kind: "compaction" }),
    ]);
    expect(messages.filter(({ kind }) => kind === "summary")).toHaveLength(1);
    expect(messages[summary + 1]?.role).toBe("assistant");
  });

  it("tells prompts from the preamble", async () => {
    const { conversations } = await readTranscript(recording(REMOTE));
    const users = conversations[0]!.messages.filter(({ role }) => role === "user");
    expect(users.filter(({ kind }) => kind === undefined)).toHaveLength(10);
    const injected = users.filter(({ kind }) => kind === "injected");
    expect(injected.map((message) => messageText(message).slice(0, 11))).toEqual(["# AGENTS.md"]);
  });

  it("keeps instructions, model, window and the fill of the window", async () => {
    const { conversations, version } = await readTranscript(recording(REMOTE));
    const { instructions, model, window, timeline } = conversations[0]!;
    expect(instructions).toMatch(/^You are Codex/);
    expect({ model, window, version }).toEqual({
      model: "gpt-5.3-codex-spark",
      window: 121_600,
      version: "0.142.2",
    });
    const tokens = timeline.map((sample) => sample.tokens);
    expect(tokens[0]).toBe(16_814);
    expect(Math.max(...tokens)).toBeLessThan(121_600);
    const drops = tokens.filter((each, index) => each < (tokens[index - 1] ?? 0) / 2);
    expect(drops.length).toBeGreaterThanOrEqual(2);
  });
});

describe("Codex lines", () => {
  it("keep the very items that the model made, for a session that goes on", async () => {
    const reply = [
      { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2VhbGVk" },
      { type: "web_search_call", id: "ws_1", status: "completed", action: { type: "search" } },
      {
        type: "message",
        id: "msg_1",
        role: "assistant",
        phase: "commentary",
        content: [{ type: "output_text", text: "I look." }],
      },
      { type: "custom_tool_call", id: "ctc_1", name: "exec", input: "ls()", call_id: "1" },
      { type: "tool_search_call", call_id: "2", execution: "client", arguments: { query: "a" } },
    ];
    const found = { type: "tool_search_output", call_id: "2", execution: "client", tools: [] };
    const { messages } = await rollout([
      prompt("go"),
      ...reply.map((one) => item({ ...one, internal_chat_message_metadata_passthrough: {} })),
      item({ type: "custom_tool_call_output", call_id: "1", output: [inputText("a.ts")] }),
      item(found),
    ]);
    expect(JSON.parse(await writeConversation(messages, "openai-responses"))).toEqual([
      { type: "message", role: "user", content: "go" },
      ...reply,
      { type: "custom_tool_call_output", call_id: "1", output: "a.ts" },
      found,
    ]);
  });

  it("joins the items of a reply and puts results behind it", async () => {
    const { messages } = await rollout([
      prompt("go"),
      item({ type: "reasoning", summary: [{ type: "summary_text", text: "think" }] }),
      item({ type: "function_call", name: "a", arguments: '{"x":1}', call_id: "1" }),
      item({ type: "custom_tool_call", name: "apply_patch", input: "*** Begin", call_id: "2" }),
      item({ type: "function_call_output", call_id: "1", output: "one" }),
      prompt("steer"),
      item({ type: "custom_tool_call_output", call_id: "2", output: [inputText("two")] }),
      assistant("done"),
    ]);
    expect(messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "tool",
      "user",
      "assistant",
    ]);
    expect(messages[1]?.parts.map((part) => part.type === "tool-call" && part.input)).toEqual([
      false,
      { x: 1 },
      "*** Begin",
    ]);
    expect(messages[1]?.parts[0]).toMatchObject({ type: "reasoning", text: "think" });
    expect(messages[3]?.parts[0]).toMatchObject({ toolName: "apply_patch" });
  });

  it("rebuilds a local compaction without a replacement", async () => {
    const { messages } = await rollout([
      item({ type: "message", role: "developer", content: [inputText("rules")] }),
      prompt("# AGENTS.md instructions for /x"),
      prompt("go"),
      assistant("working"),
      { type: "compacted", payload: { message: "what was done" } },
      assistant("goes on"),
    ]);
    expect(messages.map(({ role, kind }) => [role, kind])).toEqual([
      ["system", undefined],
      ["user", "injected"],
      ["user", undefined],
      ["user", "summary"],
      ["assistant", undefined],
    ]);
  });

  it("finds the summary in the replacement of a local compaction", async () => {
    const { messages, counts } = await rollout([
      prompt("go"),
      assistant("working"),
      {
        type: "compacted",
        payload: {
          message: "what was done",
          replacement_history: [message("user", "go"), message("user", "So far: what was done")],
        },
      },
      assistant("goes on"),
    ]);
    expect(messages.map(({ kind }) => kind)).toEqual([undefined, "summary", undefined]);
    expect(counts.compactions).toBe(1);
  });

  it("believes events about what was typed", async () => {
    const text = "<environment_context>is a tag, what does it mean?";
    const { messages, counts } = await rollout([
      prompt("<environment_context>\n<cwd>/x</cwd>\n</environment_context>"),
      prompt(text),
      { type: "event_msg", payload: { type: "user_message", message: text } },
      assistant("a tag"),
    ]);
    expect(messages.map(({ kind }) => kind)).toEqual(["injected", undefined, undefined]);
    expect(counts.typedUserTurns).toBe(1);
  });

  it("takes back turns that were rolled back", async () => {
    const { messages } = await rollout([
      prompt("first"),
      assistant("one"),
      prompt("second"),
      assistant("two"),
      { type: "event_msg", payload: { type: "thread_rolled_back", num_turns: 1 } },
      prompt("third"),
    ]);
    expect(messages.map(messageText)).toEqual(["first", "one", "third"]);
  });

  it("counts a report once, with cached input apart", async () => {
    const report = {
      type: "event_msg",
      payload: {
        type: "token_count",
        info: {
          last_token_usage: { input_tokens: 100, cached_input_tokens: 60, output_tokens: 5 },
          total_token_usage: { total_tokens: 105 },
          model_context_window: 1000,
        },
      },
    };
    const { messages, conversation } = await rollout([
      prompt("go"),
      assistant("done"),
      report,
      report,
      { type: "event_msg", payload: { type: "token_count", info: null } },
    ]);
    expect(conversation.timeline).toEqual([{ tokens: 105 }]);
    expect(messages[1]?.usage).toEqual({ input: 40, cacheRead: 60, output: 5 });
  });

  it("reads items without a wrapping, as files before August 2025 have them", async () => {
    const { messages, conversation } = await rollout([
      { id: "old", timestamp: "2025-07-01T00:00:00Z", instructions: "be kind" },
      { record_type: "state" },
      message("user", "go"),
      { type: "function_call", name: "shell", arguments: "{}", call_id: "1" },
      { type: "function_call_output", call_id: "1", output: "ok" },
    ]);
    expect(messages.map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
    expect(conversation).toMatchObject({ id: "old", instructions: "be kind" });
  });
});

interface Rollout {
  readonly messages: readonly Message[];
  readonly counts: Counts;
  readonly conversation: Conversation;
}

async function rollout(lines: readonly unknown[]): Promise<Rollout> {
  const text = lines.map((line) => JSON.stringify(line)).join("\n");
  const transcript = await readTranscript(Buffer.from(`${text}\n`), {
    format: "codex",
  });
  const conversation = transcript.conversations[0]!;
  return { conversation, messages: conversation.messages, counts: countsOf(transcript) };
}

function item(payload: unknown): unknown {
  return { type: "response_item", payload };
}

function inputText(text: string): unknown {
  return { type: "input_text", text };
}

function message(role: string, text: string): Record<string, unknown> {
  return { type: "message", role, content: [inputText(text)] };
}

function prompt(text: string): unknown {
  return item(message("user", text));
}

function assistant(text: string): unknown {
  return item({ type: "message", role: "assistant", content: [{ type: "output_text", text }] });
}

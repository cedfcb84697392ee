import { describe, expect, it } from "vitest";
import { checkMessages, type Message, messageText } from "../../src/core/message/index.ts";
import { atif } from "../../src/transcripts/atif/atif.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import type { Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";

type Json = Record<string, unknown>;

const CALLS = [
  { tool_call_id: "c1", function_name: "bash", arguments: { command: "ls" } },
  { tool_call_id: "c2", function_name: "bash", arguments: { command: "cat shop.ts" } },
];
const RESULTS = [
  { source_call_id: "c2", content: "export const shop = 1;" },
  { source_call_id: "c1", content: "shop.ts" },
];

/** Steps with every field that the published schema names for them. */
const STEPS: Json[] = [
  { step_id: 1, source: "system", message: "You repair shops." },
  { step_id: 2, source: "user", timestamp: "2026-05-01T10:00:00Z", message: "Fix the shop." },
  {
    step_id: 3,
    source: "agent",
    timestamp: "2026-05-01T10:00:05Z",
    model_name: "gemini-2.5-pro",
    reasoning_effort: "medium",
    message: "A look first.",
    reasoning_content: "Which files are there?",
    tool_calls: CALLS,
    observation: { results: RESULTS },
    metrics: {
      prompt_tokens: 1_000,
      completion_tokens: 80,
      cached_tokens: 600,
      cost_usd: 0.25,
      prompt_token_ids: [1, 2],
      completion_token_ids: [3],
      logprobs: [-0.1],
      extra: { cache_creation_input_tokens: 100, reasoning_tokens: 9 },
    },
    extra: {},
  },
  {
    step_id: 4,
    source: "agent",
    message: "Nothing is to be done.",
    metrics: { prompt_tokens: 1_200, completion_tokens: 20 },
  },
];

const TRAJECTORY: Json = {
  schema_version: "ATIF-v1.4",
  session_id: "run-7",
  agent: { name: "terminus-2", version: "2.0.0", model_name: "gemini-2.5-flash", extra: {} },
  steps: STEPS,
  notes: "made by hand",
  final_metrics: { total_prompt_tokens: 2_200, total_completion_tokens: 100, total_steps: 4 },
  extra: {},
};

const bytes = (document: Json): Buffer => Buffer.from(JSON.stringify(document, null, 2));

describeTranscript("atif", [
  {
    file: "a trajectory with every field of version 1.4",
    made: {
      bytes: bytes(TRAJECTORY),
      counts: {
        messages: 6,
        typedUserTurns: 1,
        toolCalls: 2,
        toolResults: 2,
        messagesWithParallelCalls: 1,
        failedResults: 0,
        thinkingBlocks: 1,
        images: 0,
        compactions: 0,
        prunedOutputs: 0,
      },
    },
  },
]);

function read(steps: readonly Json[], more: Json = {}): Reading {
  return atif.read({ ...TRAJECTORY, steps, ...more });
}

function messagesOf(...steps: readonly Json[]): readonly Message[] {
  return read(steps).conversations[0]?.messages ?? [];
}

describe("ATIF", () => {
  it("says what the run was, and what each request took", () => {
    const { version, conversations, compactions } = read(STEPS);
    expect({ version, compactions }).toEqual({ version: "terminus-2 2.0.0", compactions: 0 });
    const [conversation] = conversations;
    expect(conversation).toMatchObject({
      id: "run-7",
      model: "gemini-2.5-pro",
      startedAt: Date.UTC(2026, 4, 1, 10),
      timeline: [{ tokens: 1_080 }, { tokens: 1_220 }],
    });
    expect(conversation?.requests).toMatchObject([
      {
        model: "gemini-2.5-pro",
        cost: 0.25,
        usage: { input: 300, cacheRead: 600, cacheWrite: 100, output: 80 },
      },
      { model: "gemini-2.5-flash", usage: { input: 1_200, output: 20 } },
    ]);
  });

  it("counts what a request wrote, where its input is not told", () => {
    const agent = { source: "agent", message: "Done." };
    const { requests = [] } = read([
      { ...agent, step_id: 1, metrics: { completion_tokens: 30 } },
      { ...agent, step_id: 2, metrics: { cached_tokens: 700, completion_tokens: 5 } },
      { ...agent, step_id: 3, metrics: { completion_tokens: 0 } },
    ]).conversations[0]!;
    expect(requests.map(({ usage }) => usage)).toEqual([
      { input: 0, output: 30 },
      { input: 0, cacheRead: 700, output: 5 },
    ]);
  });

  it("gives each result to the call that it names", () => {
    const messages = messagesOf(...STEPS);
    expect(checkMessages(messages)).toEqual([]);
    expect(messages.map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "tool",
      "assistant",
    ]);
    expect(messages[2]?.parts).toMatchObject([
      { type: "reasoning", text: "Which files are there?" },
      { type: "text", text: "A look first." },
      { type: "tool-call", toolCallId: "c1", toolName: "bash", input: { command: "ls" } },
      { type: "tool-call", toolCallId: "c2" },
    ]);
    const named = messages.slice(3, 5).flatMap(({ parts }) => parts);
    expect(named).toMatchObject([
      { toolCallId: "c2", toolName: "bash", output: [{ text: "export const shop = 1;" }] },
      { toolCallId: "c1", toolName: "bash", output: [{ text: "shop.ts" }] },
    ]);
  });

  it("takes what came without a call as said to the agent", () => {
    const messages = messagesOf(
      { step_id: 1, source: "agent", message: "ls", observation: { results: [{ content: "a" }] } },
      {
        step_id: 2,
        source: "system",
        message: "Reset.",
        observation: { results: [{ source_call_id: null, content: "done" }] },
      },
    );
    expect(messages.map(({ role, kind }) => [role, kind])).toEqual([
      ["assistant", undefined],
      ["user", "injected"],
      ["system", undefined],
    ]);
    expect(messageText(messages[2]!)).toMatch(/Reset\.\s*done/);
  });

  it("reads texts and images in one message, as of version 1.6", () => {
    const source = { media_type: "image/png", path: "images/step_2.png" };
    const content = [
      { type: "text", text: "The screen:" },
      { type: "image", source },
    ];
    const [typed, , result] = messagesOf(
      { step_id: 1, source: "user", message: content },
      {
        step_id: 2,
        source: "agent",
        message: "",
        tool_calls: CALLS.slice(0, 1),
        observation: { results: [{ source_call_id: "c1", content }] },
      },
    );
    const parts = [
      { type: "text", text: "The screen:" },
      { type: "file", mediaType: "image/png", url: "images/step_2.png" },
    ];
    expect(typed?.parts).toMatchObject(parts);
    expect(result?.parts).toMatchObject([{ type: "tool-result", output: parts }]);
  });

  it("counts sub-agents and several calls in one step, and no copied step, as of version 1.7", () => {
    const spent = { prompt_tokens: 100, completion_tokens: 10 };
    const step = { source: "agent", message: "Hm.", metrics: spent };
    const { conversations, warnings } = read(
      [
        { ...step, step_id: 1, is_copied_context: true },
        { ...step, step_id: 2, llm_call_count: 3 },
        {
          step_id: 3,
          source: "agent",
          message: "",
          tool_calls: CALLS.slice(0, 1),
          observation: {
            results: [{ source_call_id: "c1", subagent_trajectory_ref: [{ trajectory_id: "s" }] }],
          },
        },
      ],
      {
        session_id: undefined,
        trajectory_id: "t",
        continued_trajectory_ref: "trajectory.cont-1.json",
        subagent_trajectories: [{ ...TRAJECTORY, trajectory_id: "s", steps: [step] }],
      },
    );
    const [conversation] = conversations;
    expect(conversation).toMatchObject({ id: "t", timeline: [] });
    expect(
      conversation?.requests?.map(({ requests = 1, usage }) => [requests, usage.input]),
    ).toEqual([
      [3, 100],
      [1, 100],
    ]);
    expect(conversation?.messages).toHaveLength(4);
    expect(conversation?.messages.at(-1)?.parts).toMatchObject([
      { output: [{ text: "Sub-agent: s" }] },
    ]);
    expect(warnings.map(({ message }) => message).join()).toContain("trajectory.cont-1.json");
  });

  it("leaves out what is no step, and says so", () => {
    const { conversations, warnings } = read([{ source: "robot", message: "?" }, ...STEPS]);
    expect(conversations[0]?.messages).toHaveLength(6);
    expect(warnings).toEqual([{ message: "Entry 1 has no known form and was left out." }]);
  });

  it.each(["ATIF-v1.0", "ATIF-v1.7", "ATIF-v2.0"])("is told by its version %s", async (version) => {
    const { format } = await readTranscript(bytes({ ...TRAJECTORY, schema_version: version }));
    expect(format).toBe("atif");
  });
});

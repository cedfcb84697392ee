import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { checkMessages, type Message } from "../../src/core/message/index.ts";
import { sweAgent } from "../../src/transcripts/swe-agent/swe-agent.ts";
import type { Reading } from "../../src/transcripts/transcript.ts";
import { describeTranscript } from "../conformance/describe-transcript.ts";
import { recording, RECORDINGS } from "../recordings.ts";
import { existsSync } from "node:fs";
import { countsOf } from "./counts.ts";
import { isSweAgent } from "../../src/transcripts/signs.ts";

const V0 = "swe-agent/swe-v0-dubbo-7041.traj";
const V1 = "swe-agent/swe-v1-marshmallow-1867-function-calling.traj";

describeTranscript("swe-agent", [
  {
    file: V0,
    differs: {
      reason: "the last observation stands in the last step only",
      counts: { toolResults: 44 },
    },
  },
  { file: V1 },
]);

function messagesOf(reading: Reading): readonly Message[] {
  return reading.conversations[0]?.messages ?? [];
}

function readHistory(history: readonly unknown[], trajectory: readonly unknown[] = []): Reading {
  return sweAgent.read({ history, trajectory, info: {} });
}

describe.skipIf(!existsSync(RECORDINGS))("recorded SWE-agent trajectories", () => {
  it("keep the whole of a 276,698-character observation, as the result of its action", () => {
    const messages = messagesOf(sweAgent.read(JSON.parse(recording(V0).toString())));
    const longest = messages
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === "tool-result" ? part.output : []))
      .map((part) => (part.type === "text" ? part.text.length : 0));
    expect(Math.max(...longest)).toBe(276_698);
  });

  it("close a run that was stopped with the observation that only the last step has", () => {
    const messages = messagesOf(sweAgent.read(JSON.parse(recording(V0).toString())));
    expect(messages).toHaveLength(91);
    expect(messages.at(-1)).toEqual({
      role: "tool",
      parts: [
        {
          type: "tool-result",
          toolCallId: "action_44",
          toolName: "exit_cost",
          output: [{ type: "text", text: "Exited (autosubmitted)" }],
        },
      ],
    });
  });

  it("keep the arguments of 1.x as the model made them", () => {
    const document = JSON.parse(recording(V1).toString()) as {
      history: readonly { tool_calls?: readonly { function: { arguments: string } }[] }[];
    };
    const made = document.history.flatMap(({ tool_calls: calls }) =>
      (calls ?? []).map((call): unknown => JSON.parse(call.function.arguments)),
    );
    const read = messagesOf(sweAgent.read(document))
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool-call")
      .map(({ input }) => input);
    expect(made.length).toBeGreaterThan(5);
    expect(read).toEqual(made);
  });

  it("name the file of every edit of 0.x, whose text leaves it out", () => {
    const messages = messagesOf(sweAgent.read(JSON.parse(recording(V0).toString())));
    const edits = messages
      .flatMap(({ parts }) => parts)
      .filter((part) => part.type === "tool-call" && /^(?:edit|insert)$/.test(part.toolName));
    expect(edits.length).toBeGreaterThan(0);
    for (const edit of edits) {
      expect(edit).toHaveProperty("input.path", expect.stringMatching(/^\//));
    }
  });

  it("have one typed turn, the issue, after demonstrations that are none", () => {
    const messages = messagesOf(sweAgent.read(JSON.parse(recording(V0).toString())));
    expect(messages.slice(0, 3).map(({ role, kind }) => [role, kind])).toEqual([
      ["system", undefined],
      ["user", "injected"],
      ["user", undefined],
    ]);
  });
});

describe("SWE-agent", () => {
  it("makes shell commands of actions, and editor calls of those that name a file", () => {
    const actions = [
      "ls -a\n",
      'open "a b.py" 12',
      "create x.py",
      "edit 3:4\nnew\nend_of_edit",
      "exit_cost",
    ];
    const history = actions.flatMap((action) => [
      { role: "assistant", content: `T\n\`\`\`\n${action}\n\`\`\``, thought: "T", action },
      { role: "user", content: "seen" },
    ]);
    const steps = actions.map(() => ({ state: '{"open_file": "/r/x.py", "working_dir": "/r"}' }));
    const reading = readHistory([{ role: "user", content: "issue" }, ...history], steps);
    const calls = messagesOf(reading)
      .flatMap(({ parts }) => parts)
      .flatMap((part) => (part.type === "tool-call" ? [[part.toolName, part.input]] : []));
    expect(calls).toEqual([
      ["bash", { command: "ls -a" }],
      ["open", { path: "a b.py", line_number: 12 }],
      ["create", { filename: "x.py" }],
      ["edit", { path: "/r/x.py", start_line: 3, end_line: 4, text: "new" }],
      ["exit_cost", {}],
    ]);
    expect(reading.conversations[0]?.cwd).toBe("/r");
    expect(checkMessages(messagesOf(reading))).toEqual([]);
  });

  it("takes a user entry without an open action for a notice", () => {
    const messages = messagesOf(
      readHistory([
        { role: "user", content: "issue" },
        { role: "assistant", content: "no action here" },
        { role: "user", content: "Your output was not formatted correctly." },
      ]),
    );
    expect(messages.at(-1)?.kind).toBe("injected");
  });

  it("pairs tool messages by their list of ids, and tells repeated ids apart", () => {
    const call = {
      id: "c|1",
      type: "function",
      function: { name: "bash", arguments: '{"command":"ls"}' },
    };
    const step = [
      { role: "assistant", content: "", tool_calls: [call] },
      { role: "tool", content: [{ type: "text", text: "out" }], tool_call_ids: ["c|1"] },
    ];
    const reading = readHistory([{ role: "user", content: "issue" }, ...step, ...step]);
    expect(checkMessages(messagesOf(reading))).toEqual([]);
    expect(countsOf(reading)).toMatchObject({ toolCalls: 2, toolResults: 2 });
  });

  it("reads thinking blocks with their signatures", () => {
    const thinking_blocks = [{ type: "thinking", thinking: "hm", signature: "s" }];
    const reading = readHistory([{ role: "assistant", content: "x", thinking_blocks }]);
    expect(messagesOf(reading)[0]?.parts[0]).toEqual({
      type: "reasoning",
      text: "hm",
      signature: "s",
    });
  });

  it("puts the conversation together from the steps when the history is missing", () => {
    const trajectory = [
      { action: "ls", observation: "a.py", response: "Look.\nls", thought: "Look." },
    ];
    const reading = sweAgent.read({ trajectory, info: {} });
    expect(messagesOf(reading).map(({ role }) => role)).toEqual(["assistant", "tool"]);
    expect(reading.warnings).toHaveLength(1);
  });

  it("drops the last entry of a torn document", () => {
    const history = [
      { role: "user", content: "issue" },
      { role: "assistant", content: "I wi" },
    ];
    const reading = sweAgent.read({ history, trajectory: [] }, { isTorn: true });
    expect(messagesOf(reading).map(({ role }) => role)).toEqual(["user"]);
  });

  it("reads mini-swe-agent: one fenced command a reply, and calls with extra times", () => {
    const messages = [
      { role: "system", content: "You are…" },
      { role: "user", content: "Fix it" },
      {
        role: "assistant",
        content: "THOUGHT: look\n\n```bash\nls -la\n```",
        extra: { timestamp: 1.5 },
      },
      { role: "user", content: "<returncode>0</returncode>" },
      {
        role: "assistant",
        content: null,
        tool_calls: [{ id: "c1", function: { name: "bash", arguments: '{"command":"pwd"}' } }],
      },
      { role: "tool", content: "/r", tool_call_id: "c1" },
      { role: "exit", content: "done" },
    ];
    const document = {
      info: { mini_version: "2.0" },
      messages,
      trajectory_format: "mini-swe-agent-1",
    };
    expect(isSweAgent(document)).toBe(true);
    const reading = sweAgent.read(document);
    expect(reading.version).toBe("2.0");
    expect(messagesOf(reading).map(({ role }) => role)).toEqual([
      "system",
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
    ]);
    expect(messagesOf(reading)[2]).toEqual({
      role: "assistant",
      time: 1500,
      parts: [
        { type: "text", text: "THOUGHT: look" },
        {
          type: "tool-call",
          toolCallId: "action_1",
          toolName: "bash",
          input: { command: "ls -la" },
        },
      ],
    });
  });

  it("takes no command from a mini-swe-agent reply with several, or with one that never ends", () => {
    const block = "```bash\nls\n```\n";
    for (const content of [block + block, "```bash\nls", "```bash\n".repeat(100_000)]) {
      const messages = [{ role: "assistant", content }];
      const reading = sweAgent.read({ messages, trajectory_format: "mini-swe-agent-1" });
      expect(messagesOf(reading)[0]?.parts).toEqual([{ type: "text", text: content }]);
    }
  });

  it("gives legal conversations and takes any JSON for a history", () => {
    const entry = fc.record(
      {
        role: fc.constantFrom("system", "user", "assistant", "tool", "exit"),
        content: fc.oneof(fc.string(), fc.constant(null), fc.jsonValue()),
        action: fc.string(),
        thought: fc.string(),
        is_demo: fc.boolean(),
        tool_call_ids: fc.array(fc.constantFrom("a", "b")),
        tool_calls: fc.array(
          fc.record({
            id: fc.constantFrom("a", "b"),
            function: fc.record({ name: fc.string(), arguments: fc.jsonValue() }),
          }),
        ),
      },
      { requiredKeys: ["role"] },
    );
    const history = fc.array(fc.oneof({ weight: 9, arbitrary: entry }, fc.jsonValue()));
    fc.assert(
      fc.property(history, fc.boolean(), (entries, isTorn) => {
        const reading = sweAgent.read({ history: entries, trajectory: entries }, { isTorn });
        const rules = checkMessages(messagesOf(reading)).map(({ rule }) => rule);
        expect(rules).not.toContain("duplicate-tool-call-id");
        expect(rules).not.toContain("unpaired-tool-result");
      }),
    );
  });
});

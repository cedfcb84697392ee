import { describe, expect, it } from "vitest";
import { messageText } from "../../src/core/message/message.ts";
import { readTranscript } from "../../src/transcripts/read.ts";
import { readSessionHistory } from "../../src/transcripts/stretches.ts";
import { claudeCodeLines } from "./claude-code-lines.ts";

const bash = (step: number) => ({
  tool: "Bash",
  input: { command: `step ${step}` },
  output: `out ${step}`,
});

/** A session of Codex with a compaction in it. */
const rollout = [
  { type: "session_meta", payload: { id: "t1", cwd: "/repo", cli_version: "0.169.0" } },
  said("user", "first prompt"),
  said("assistant", "first answer"),
  { type: "compacted", payload: { message: "", replacement_history: [said("user", "S").payload] } },
  said("user", "second prompt"),
].map((line, ordinal) => JSON.stringify({ timestamp: "2026-01-01T00:00:00Z", ordinal, ...line }));

function said(role: string, text: string) {
  const type = role === "user" ? "input_text" : "output_text";
  return {
    type: "response_item",
    payload: { type: "message", role, content: [{ type, text }] },
  };
}

describe("the history of a session", () => {
  it("has what was said before each compaction, and no summary of the agent", async () => {
    const session = claudeCodeLines("s1");
    session.user("do it");
    for (let step = 1; step <= 3; step++) session.step(bash(step));
    session.compact("SUMMARY ONE");
    session.step(bash(4));
    session.compact("SUMMARY TWO");
    session.user("go on");
    session.step(bash(5));
    const bytes = Buffer.from(session.text());
    const history = await readSessionHistory(bytes, { format: "claude-code" });
    expect(history).toMatchObject({ id: "s1", cwd: "/repo", model: "claude-opus-4-6" });
    const calls = history.stretches.map((messages) =>
      messages.flatMap(({ parts }) =>
        parts.flatMap((part) => (part.type === "tool-result" ? part.output : [])),
      ),
    );
    const outputs = calls.map((own) => own.map((one) => (one.type === "text" ? one.text : "")));
    expect(outputs).toEqual([["out 1", "out 2", "out 3"], ["out 4"], ["out 5"]]);
    expect(JSON.stringify(history.stretches)).not.toContain("SUMMARY");
    expect(history.timeline).toHaveLength(5);
    const { conversations } = await readTranscript(bytes, { format: "claude-code" });
    expect(JSON.stringify(conversations)).toContain("SUMMARY TWO");
  });

  it("is read of Codex, too", async () => {
    const bytes = Buffer.from(`${rollout.join("\n")}\n`);
    const { stretches, id, cwd } = await readSessionHistory(bytes, { format: "codex" });
    expect({ id, cwd }).toEqual({ id: "t1", cwd: "/repo" });
    const texts = stretches.map((messages) => messages.map((message) => messageText(message)));
    expect(texts).toEqual([["first prompt", "first answer"], ["second prompt"]]);
  });

  it("is not there of an agent that throws away what it compacts", async () => {
    await expect(readSessionHistory(Buffer.from("{}"), { format: "pi" })).rejects.toMatchObject({
      code: "unknown-format",
    });
  });
});

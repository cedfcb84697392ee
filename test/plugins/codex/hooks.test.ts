import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { directoryArchive } from "../../../src/archive/directory.ts";
import { answerCodex } from "../../../src/plugins/codex/hooks.ts";
import { runs } from "../../property/runs.ts";

const CUT = "Warning: truncated output (original token count: 9)\nTotal output lines: 9\n\n";
const HANDLE = /out_[0-9a-f]{16}/;

/** A session's file with what Codex keeps of the outputs of its commands. */
function startSession(outputs: Readonly<Record<string, { output: string; code: number }>> = {}) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-test-"));
  const file = path.join(folder, "rollout-s1.jsonl");
  const lines = Object.entries(outputs).map(([id, { output, code }]) => {
    const item = { type: "CommandExecution", id, aggregated_output: output, exit_code: code };
    return { type: "event_msg", payload: { type: "item_completed", item } };
  });
  const all = [{ type: "session_meta", payload: { id: "s1", cwd: "/repo" } }, ...lines];
  writeFileSync(file, `${all.map((line) => JSON.stringify(line)).join("\n")}\n{"torn`);
  const archive = directoryArchive(path.join(folder, "archive"), { conversation: "s1" });
  const ask = async (response: unknown, more: object = {}) => {
    const event = {
      hook_event_name: "PostToolUse",
      session_id: "s1",
      transcript_path: file,
      tool_name: "Bash",
      tool_use_id: "call_2",
      tool_input: { command: "npm test" },
      tool_response: response,
      ...more,
    };
    const answer = await answerCodex({
      event,
      limits: { maxBytes: 20_000 },
      env: { LONGHAUL_HOME: folder },
      settings: async () => ({}),
    });
    return answer === undefined ? undefined : (JSON.parse(answer) as Record<string, string>);
  };
  return { ask, archive };
}

const log = Array.from({ length: 4_000 }, (_, at) => `line ${at}\n`).join("");

describe("an output that Codex has cut", () => {
  it("comes from the session's file, with its exit code, both ends and a handle", async () => {
    const { ask, archive } = startSession({
      call_1: { output: "another", code: 0 },
      call_2: { output: log, code: 3 },
    });
    const { decision, reason = "" } =
      (await ask(`${CUT}line 0\n…900 tokens truncated…end`.padEnd(2_000))) ?? {};
    expect(decision).toBe("block");
    expect(reason).toMatch(/^Process exited with code 3\nline 0\n[^]*line 3999\n<tool-output-tr/);
    expect(await archive.get(HANDLE.exec(reason)?.[0] ?? "")).toBe(log);
  });

  it("is left as it is where the file does not have it", async () => {
    const { ask } = startSession({ call_1: { output: log, code: 0 } });
    const cut = `${CUT}line 0\n…900 tokens truncated…end`.padEnd(2_000);
    expect(await ask(cut)).toBeUndefined();
    expect(await ask(cut, { transcript_path: null })).toBeUndefined();
  });

  it("says so where the file has 64 KB of it alone", async () => {
    const { ask } = startSession({ call_2: { output: "x\n".repeat(32_768), code: 0 } });
    const answer = await ask(`${CUT}x\n…900 tokens truncated…x`.padEnd(2_000));
    expect(answer?.["reason"]).toContain("Codex kept 64 KB of this output");
  });
});

describe("any output", () => {
  it("is left alone below the limits, and above them is no more than Codex takes of a hook", async () => {
    const line = fc.string({ unit: "grapheme", maxLength: 60 });
    const output = fc
      .tuple(fc.array(line, { minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 900 }))
      .map(([lines, times]) => Array<string>(times).fill(lines.join("\n")).join("\n"));
    await fc.assert(
      fc.asyncProperty(output, async (text) => {
        const { ask, archive } = startSession();
        const answer = await ask(text);
        const isLarge = Buffer.byteLength(text) > 20_000 || text.split("\n").length > 2_001;
        if (isLarge) {
          const reason = answer?.["reason"] ?? "";
          expect(Buffer.byteLength(reason)).toBeLessThan(10_000);
          expect(await archive.get(HANDLE.exec(reason)?.[0] ?? "")).toBe(text);
        } else {
          expect(answer).toBeUndefined();
        }
      }),
      { numRuns: runs(25, 1_000) },
    );
  });

  it("of a server of tools counts, too, unless there is more than text in it", async () => {
    const { ask } = startSession();
    const text = { type: "text", text: log };
    const of = { tool_name: "mcp__docs__read" };
    expect(await ask({ content: [text] }, of)).toMatchObject({ decision: "block" });
    const image = { type: "image", data: "AAAA", mimeType: "image/png" };
    expect(await ask({ content: [text, image] }, of)).toBeUndefined();
    expect(await ask({ content: [text] }, { tool_name: "mcp__longhaul__recall" })).toBeUndefined();
    expect(await ask({ anything: log }, of)).toBeUndefined();
  });
});

describe("after Codex has compacted", () => {
  it("the state is said again", async () => {
    const { ask } = startSession();
    const state = await ask(undefined, { hook_event_name: "SessionStart", source: "compact" });
    expect(JSON.stringify(state)).toContain("prior-conversation-summary");
    expect(
      await ask(undefined, { hook_event_name: "SessionStart", source: "startup" }),
    ).toBeUndefined();
  });
});

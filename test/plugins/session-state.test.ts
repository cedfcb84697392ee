import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { sha256Hex } from "../../src/archive/digest.ts";
import { directoryArchive } from "../../src/archive/directory.ts";
import { unframeSummary } from "../../src/core/summary/index.ts";
import { estimator } from "../../src/core/tokens/estimator.ts";
import { answerClaudeCode } from "../../src/plugins/claude-code/hooks.ts";
import { keepHeads, readSessionState, stateBlock } from "../../src/plugins/session-state.ts";
import { claudeCodeLines } from "../transcripts/claude-code-lines.ts";

/** A session with many files and rules, compacted twice, at the next compaction. */
function startSession() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-test-"));
  const file = path.join(folder, "s1.jsonl");
  const session = claudeCodeLines("s1");
  const work = (from: number, to: number): void => {
    for (let step = from; step <= to; step++) {
      const file_path = `/repo/src/module-${step}.ts`;
      session.step({ tool: "Read", input: { file_path }, output: `export const v${step} = 1;` });
      const edit = { file_path, old_string: "1", new_string: "2" };
      session.step({ tool: "Edit", input: edit, output: "The file has been updated." });
    }
  };
  session.user("Never touch secret.txt. Rename all modules.");
  work(1, 40);
  session.compact("the model forgot all");
  session.user("Also keep the changelog short, please.");
  work(41, 80);
  session.compact("again");
  work(81, 90);
  writeFileSync(file, session.text());
  const env = { LONGHAUL_HOME: folder };
  const ask = (event: object): Promise<string | undefined> =>
    answerClaudeCode({
      event: { transcript_path: file, session_id: "s1", ...event },
      limits: {},
      env,
      settings: async () => ({}),
    });
  const archive = directoryArchive(path.join(folder, "archive"), { conversation: "s1" });
  return { file, ask, archive };
}

describe("after Claude Code has compacted", () => {
  it("the state of the whole session is said again, with a handle for each stretch", async () => {
    const { ask, archive } = startSession();
    const answer = await ask({ hook_event_name: "SessionStart", source: "compact" });
    const { hookEventName, additionalContext } = JSON.parse(answer ?? "").hookSpecificOutput;
    expect(hookEventName).toBe("SessionStart");
    expect(additionalContext.length).toBeLessThan(10_000);
    const { text = "", headHandle = "" } = unframeSummary(additionalContext) ?? {};
    expect(text).toContain("Never touch secret.txt.");
    expect(text).toContain("keep the changelog short");
    expect(text).toContain("module-90.ts");
    const heads = [...new Set(text.match(/head_[0-9a-f]{16}/g))].filter(
      (one) => one !== headHandle,
    );
    expect(heads).toHaveLength(2);
    const kept = await Promise.all([...heads, headHandle].map((handle) => archive.get(handle)));
    const all = kept.join("");
    for (const step of [1, 40, 41, 80, 81, 90]) expect(all).toContain(`export const v${step} =`);
  });

  it("the same state is the same text, and nothing is archived twice", async () => {
    const { ask, archive } = startSession();
    const event = { hook_event_name: "SessionStart", source: "compact" };
    const first = await ask(event);
    expect(await ask(event)).toBe(first);
    expect(await archive.list()).toHaveLength(3);
  });

  it("a state of ids takes no more tokens than one of words", async () => {
    const folder = mkdtempSync(path.join(os.tmpdir(), "longhaul-test-"));
    const file = path.join(folder, "s1.jsonl");
    const session = claudeCodeLines("s1");
    session.user("Look at all logs.");
    for (let step = 1; step <= 60; step++) {
      const ids = Array.from(
        { length: 40 },
        (_, at) => `req_${sha256Hex(`${step}-${at}`).slice(0, 20)}`,
      );
      session.step({ tool: "Bash", input: { command: `cat ${step}.log` }, output: ids.join("\n") });
    }
    session.compact("the model forgot all");
    writeFileSync(file, session.text());
    const state = await readSessionState({ path: file, format: "claude-code" });
    const archive = directoryArchive(path.join(folder, "archive"), { conversation: "s1" });
    const block = stateBlock(state, await keepHeads(state.stretches, archive));
    expect(block).toContain("req_");
    expect(estimator.count(block)).toBeLessThan(2_500);
    expect(estimator.count(block)).toBeGreaterThan(1_000);
  });

  it("nothing is said at any other start", async () => {
    const { ask } = startSession();
    expect(await ask({ hook_event_name: "SessionStart", source: "startup" })).toBeUndefined();
  });
});

describe("before Claude Code compacts", () => {
  it("what its summary must keep is told, and nothing is archived", async () => {
    const { ask, archive } = startSession();
    const told = (await ask({ hook_event_name: "PreCompact", trigger: "auto" })) ?? "";
    expect(told.length).toBeLessThan(10_000);
    for (const text of ["Never touch secret.txt.", "changelog short", "module-90.ts"]) {
      expect(told).toContain(text);
    }
    expect(await archive.list()).toEqual([]);
  });

  it.each([
    ["a file that is not there", { transcript_path: "/nowhere/s1.jsonl" }, "nowhere"],
    ["a file of another agent", { transcript_path: path.resolve("package.json") }, "claude-code"],
  ])("%s is a failure, which the hook's process passes over", async (_, event, reason) => {
    const { ask } = startSession();
    await expect(ask({ hook_event_name: "PreCompact", ...event })).rejects.toThrow(reason);
  });
});

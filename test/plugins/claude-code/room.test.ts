import { mkdtempSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { answerClaudeCode } from "../../../src/plugins/claude-code/hooks.ts";
import { bytesWithin } from "../../../src/plugins/claude-code/room.ts";

const PROSE = "The quick brown fox jumps over the lazy dog, and then it goes home again. ".repeat(
  60,
);

function asked(input: number, more: object = {}): object {
  const usage = { input_tokens: 3, cache_read_input_tokens: input - 3, output_tokens: 9 };
  return { type: "assistant", message: { model: "claude-opus-5-5", usage }, ...more };
}

function compacted(preTokens: number, trigger = "auto"): object {
  return { type: "system", subtype: "compact_boundary", compactMetadata: { trigger, preTokens } };
}

function sessionFile(lines: readonly object[]): string {
  const file = path.join(mkdtempSync(path.join(os.tmpdir(), "longhaul-test-")), "s.jsonl");
  writeFileSync(file, `${lines.map((line) => JSON.stringify(line)).join("\n")}\n{"torn`);
  return file;
}

const roomOf = (lines: readonly object[], window?: number) =>
  bytesWithin(PROSE, { file: sessionFile(lines), window });

describe("what an output may have of the window of Claude Code", () => {
  it("is the usual limit where the model's window leaves room for ten of them", async () => {
    expect(await roomOf([asked(20_000), asked(150_000)])).toBeUndefined();
    expect(await roomOf([])).toBeUndefined();
  });

  it("is a tenth of what was free after the newest compaction, in the model's tokens", async () => {
    const lines = [asked(12_000), asked(70_000), compacted(72_000), asked(52_000), asked(60_000)];
    const bytes = (await roomOf(lines)) ?? 0;
    // 2,000 tokens of a Claude are some 1,330 of the estimator's, at 4.5 bytes each.
    expect(bytes).toBeGreaterThan(4_500);
    expect(bytes).toBeLessThan(7_500);
    // What others have used, and answers that nobody gave, say nothing.
    const noise = [
      asked(900, { isSidechain: true }),
      { type: "assistant", message: { usage: {} } },
    ];
    expect(await roomOf([...lines, ...noise])).toBe(bytes);
    expect(await roomOf([compacted(99_000), asked(1_000), ...lines])).toBe(bytes);
  });

  it("takes no compaction that a person asked for as a sign of a full window", async () => {
    const lines = [asked(12_000), compacted(30_000, "manual"), asked(20_000)];
    expect(await roomOf(lines)).toBeUndefined();
    expect(await roomOf([compacted(72_000), asked(40_000), ...lines])).toBeGreaterThan(10_000);
  });

  it("is smaller in a smaller window that was named, and never nothing", async () => {
    expect(await roomOf([asked(20_000)], 100_000)).toBeLessThan(20_000);
    expect(await roomOf([compacted(72_000), asked(71_900)])).toBe(2_000);
  });
});

describe("the hook behind a tool, in a window that was full once", () => {
  let file = "";
  beforeAll(() => {
    const old = { type: "user", message: { content: "x".repeat(4_000_000) } };
    file = sessionFile([old, asked(20_000), compacted(72_000), asked(52_000)]);
  });
  const answer = (limits: object, settings = {}): Promise<string | undefined> => {
    const stdout = PROSE.replaceAll(". ", ".\n").repeat(4);
    const event = { hook_event_name: "PostToolUse", tool_name: "Bash", session_id: "s1" };
    const response = { stdout, stderr: "", interrupted: false, isImage: false };
    return answerClaudeCode({
      event: { ...event, transcript_path: file, tool_response: response },
      limits,
      env: { LONGHAUL_HOME: path.dirname(file) },
      settings: async () => settings,
    });
  };

  it("truncates what ten of would not fit, unless a person set a limit", async () => {
    expect(await answer({})).toContain("tool-output-truncated");
    expect(await answer({ maxBytes: 50_000 })).toBeUndefined();
    expect(await answer({}, { toolLimits: { Bash: { maxBytes: 50_000 } } })).toBeUndefined();
    expect(await answer({}, { toolLimits: { Read: { maxBytes: 50_000 } } })).toBeDefined();
    expect(await answer({}, { toolLimits: { Bash: { maxLines: 9 } } })).toMatch(
      /9 of \d+ lines|lines/,
    );
  });
});

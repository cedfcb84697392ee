import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { hookAnswer } from "../../src/plugins/hooks.ts";

const LOG = "a line of some log\n".repeat(300);

/** A project with settings in it, and what a hook of Claude Code says there about a long output. */
async function answerIn(settings: string, options: readonly string[] = []): Promise<string> {
  const [cwd, home] = [0, 1].map(() => mkdtempSync(path.join(os.tmpdir(), "longhaul-test-")));
  writeFileSync(path.join(cwd!, "longhaul.json"), settings);
  const event = { hook_event_name: "PostToolUse", tool_name: "Bash", session_id: "s1", cwd };
  const response = { stdout: LOG, stderr: "", interrupted: false, isImage: false };
  const answer = await hookAnswer("claude-code", {
    event: { ...event, tool_response: response },
    options,
    env: { LONGHAUL_HOME: home },
  });
  const log = path.join(home!, "plugins.log");
  return answer ?? readFileSync(log, { encoding: "utf8", flag: "a+" });
}

describe("a hook", () => {
  it("takes the settings of the project that its event is from", async () => {
    expect(await answerIn("{}")).toBe("");
    const small = '{ "toolLimits": { "Bash": { "maxLines": 20 } } }';
    expect(await answerIn(small)).toContain("tool-output-truncated");
    expect(await answerIn(small, ["--max-lines=2000"])).toBe("");
  });

  it("goes on without settings that cannot be used, and says why in its log", async () => {
    expect(await answerIn("{ nonsense")).toMatch(/claude-code: The settings in .*longhaul\.json/);
  });
});

import { once } from "node:events";
import { createWriteStream, rmSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { runCli, temporaryFolder } from "./run-cli.ts";

const GIGABYTE = 1024 ** 3;
/** Tool results of some 30 KB, as a `tail` of a log gives them. */
const OUTPUT = "The quick brown fox reads the log and says: all is well. ".repeat(550);
const STEPS_BETWEEN_COMPACTIONS = 20;

/** A Claude Code session of weeks: it compacts itself again and again, and its file only grows. */
async function writeLongSession(file: string): Promise<number> {
  const out = createWriteStream(file);
  let parent: string | null = null;
  const put = async (uuid: string, line: object): Promise<void> => {
    const envelope = {
      uuid,
      parentUuid: parent,
      isSidechain: false,
      sessionId: "s",
      cwd: "/srv/app",
      version: "2.1.17",
    };
    const text = `${JSON.stringify({ ...envelope, ...line })}\n`;
    parent = uuid;
    if (!out.write(text)) await once(out, "drain");
  };
  await put("start", {
    type: "user",
    message: { role: "user", content: "Watch the logs and never restart the server." },
  });
  let step = 0;
  while (out.bytesWritten < GIGABYTE) {
    step++;
    const tool = {
      type: "tool_use",
      id: `t${step}`,
      name: "Bash",
      input: { command: `tail log.${step}` },
    };
    await put(`a${step}`, {
      type: "assistant",
      message: { id: `m${step}`, role: "assistant", content: [tool] },
    });
    const result = { type: "tool_result", tool_use_id: `t${step}`, content: `${step}: ${OUTPUT}` };
    await put(`r${step}`, {
      type: "user",
      message: { role: "user", content: [result] },
      toolUseResult: { stdout: OUTPUT },
    });
    if (step % STEPS_BETWEEN_COMPACTIONS === 0) {
      parent = null;
      await put(`c${step}`, {
        type: "system",
        subtype: "compact_boundary",
        content: "Conversation compacted",
      });
      const content = `This session is being continued from a previous conversation. Step ${step}.`;
      await put(`s${step}`, {
        type: "user",
        isCompactSummary: true,
        message: { role: "user", content },
      });
    }
  }
  out.end();
  await once(out, "close");
  return step;
}

describe("a transcript of one gigabyte", () => {
  it("is compacted in a heap of 256 MB, because it is read as a stream", async () => {
    const folder = temporaryFolder();
    const file = path.join(folder, "session.jsonl");
    try {
      const steps = await writeLongSession(file);
      expect(statSync(file).size).toBeGreaterThanOrEqual(GIGABYTE);
      const env = { NODE_OPTIONS: "--max-old-space-size=256" };
      const { code, stdout, stderr } = await runCli(
        ["compact", file, "--window", "32k", "--force", "--json"],
        { cwd: folder, env },
      );
      expect(stderr).toBe("");
      expect(code).toBe(0);
      const report = JSON.parse(stdout);
      expect(report).toMatchObject({ format: "claude-code", action: "compact" });
      const expected = 2 * (steps % STEPS_BETWEEN_COMPACTIONS) + 1;
      expect(report.messages.before).toBe(expected);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  }, 120_000);
});

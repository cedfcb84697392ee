import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extractLedger } from "../../src/core/ledger/index.ts";
import { readTranscript } from "../../src/transcripts/index.ts";
import { HOSTILE } from "../hostile-notices.ts";

/** How an agent writes down one command that printed `output` and ended with `code`. */
type Write = (output: string, code: number) => readonly object[];

interface Agent {
  readonly format: string;
  readonly write: Write;
  /** What its files tell of success and of failure; the exit code itself as a rule. */
  readonly told?: (code: number) => object;
}

const ended = (code: number): object => ({ outcome: code === 0 ? "ok" : "failed", exitCode: code });
/** Agents that mark failures, and name their exit codes only. */
const marked = (code: number): object => (code === 0 ? { outcome: "ok" } : ended(code));

function codexFile(output: string): object[] {
  const call = {
    type: "function_call",
    name: "exec_command",
    call_id: "c",
    arguments: '{"cmd":"x"}',
  };
  const items = [call, { type: "function_call_output", call_id: "c", output }];
  return items.map((payload) => ({ type: "response_item", payload }));
}

/** A command that ends under a call that only asks how it is. */
function codexLate(output: string, code: number): object[] {
  const told = { type: "function_call_output", call_id: "w" };
  const ended = `Chunk ID: 2b\nWall time: 9.0 seconds\nProcess exited with code ${code}\nOutput:\n${output}`;
  const write = { type: "function_call", name: "write_stdin", call_id: "w" };
  const items = [
    { ...write, arguments: '{"session_id":5,"chars":""}' },
    { ...told, output: ended },
  ];
  const header = "Chunk ID: 1a2b3c\nWall time: 0.5 seconds\nProcess running with session ID 5";
  return [
    ...codexFile(`${header}\nOutput:\n${output}`),
    ...items.map((payload) => ({ type: "response_item", payload })),
  ];
}

function claudeCode(output: string, code: number): object[] {
  const failed = code !== 0;
  const content = failed ? `Exit code ${code}\n${output}` : output;
  const call = { type: "tool_use", id: "c", name: "Bash", input: { command: "x" } };
  const result = { type: "tool_result", tool_use_id: "c", content, is_error: failed };
  const line = { sessionId: "s" };
  return [
    {
      ...line,
      type: "assistant",
      uuid: "1",
      parentUuid: null,
      message: { id: "m", content: [call] },
    },
    { ...line, type: "user", uuid: "2", parentUuid: "1", message: { content: [result] } },
  ];
}

function piFile(output: string, code: number): object[] {
  const isError = code !== 0;
  const text = isError ? `${output}\n\nCommand exited with code ${code}` : output;
  const call = { type: "toolCall", id: "c", name: "bash", arguments: { command: "x" } };
  const content = [{ type: "text", text }];
  const result = { role: "toolResult", toolCallId: "c", toolName: "bash", content, isError };
  return [
    { type: "session", id: "s", cwd: "/", version: 3 },
    { type: "message", id: "1", parentId: null, message: { role: "assistant", content: [call] } },
    { type: "message", id: "2", parentId: "1", message: result },
  ];
}

function geminiFile(output: string, code: number): object[] {
  const exit = code === 0 ? "" : `Exit Code: ${code}\n`;
  const shown = `Output: ${output === "" ? "(empty)" : output}\n${exit}Process Group PGID: 5`;
  const empty = code === 0 ? "" : `Command exited with code: ${code}`;
  const response = { id: "c", name: "run_shell_command", response: { output: shown } };
  const call = {
    id: "c",
    name: "run_shell_command",
    args: { command: "x" },
    status: "success",
    result: [{ functionResponse: response }],
    resultDisplay: output.trim() === "" ? empty : output,
  };
  const messages = [{ id: "1", type: "gemini", content: "", toolCalls: [call] }];
  return [{ sessionId: "s", projectHash: "h", messages }];
}

function openhandsFile(output: string, code: number): object[] {
  const suffix = `\n[The command completed with exit code ${code}.]`;
  const extras = { command: "x", metadata: { exit_code: code, prefix: "", suffix } };
  return [
    { id: 1, source: "agent", action: "run", args: { command: "x" } },
    { id: 2, cause: 1, source: "agent", observation: "run", content: output, extras },
  ];
}

function openhandsSdkFile(output: string, code: number): object[] {
  const content = [{ type: "text", text: `${output}\n[Command finished with exit code ${code}]` }];
  const timestamp = "2026-01-01T00:00:00";
  const tool = { tool_name: "terminal", tool_call_id: "c", timestamp };
  const action = {
    ...tool,
    id: "1",
    source: "agent",
    kind: "ActionEvent",
    action: { command: "x" },
  };
  const observation = { content, metadata: { exit_code: code } };
  return [action, { ...tool, id: "2", kind: "ObservationEvent", action_id: "1", observation }];
}

function miniFile(extra: (code: number) => object): Write {
  return (output, code) => {
    const content = `<returncode>${code}</returncode>\n<output>\n${output}</output>`;
    const messages = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "```bash\nx\n```" },
      { role: "user", content, extra: extra(code) },
    ];
    return [{ info: {}, messages, trajectory_format: "mini-swe-agent-1" }];
  };
}

function sweFile(output: string): object[] {
  const history = [
    { role: "user", content: "Go" },
    { role: "assistant", content: "x", action: "x" },
    { role: "user", content: output },
  ];
  return [{ history, trajectory: [], info: {} }];
}

const AGENTS: Readonly<Record<string, Agent>> = {
  "Codex, header": {
    format: "codex",
    write: (output, code) =>
      codexFile(
        `Chunk ID: 1a2b3c\nWall time: 0.5 seconds\nProcess exited with code ${code}\nOriginal token count: 9\nOutput:\n${output}`,
      ),
  },
  "Codex, running on": {
    format: "codex",
    write: (output) =>
      codexFile(
        `Chunk ID: 1a2b3c\nWall time: 0.5 seconds\nProcess running with session ID 5\nOutput:\n${output}`,
      ),
    told: () => ({ outcome: "unknown" }),
  },
  "Codex, ended later": { format: "codex", write: codexLate },
  "Codex, short header": {
    format: "codex",
    write: (output, code) =>
      codexFile(`Exit code: ${code}\nWall time: 0.5 seconds\nOutput:\n${output}`),
  },
  "Codex, JSON": {
    format: "codex",
    write: (output, code) =>
      codexFile(JSON.stringify({ output, metadata: { exit_code: code, duration_seconds: 1 } })),
  },
  "Claude Code": { format: "claude-code", write: claudeCode, told: marked },
  pi: { format: "pi", write: piFile, told: marked },
  "Gemini CLI": { format: "gemini-cli", write: geminiFile },
  "OpenHands 0.x": { format: "openhands", write: openhandsFile },
  "OpenHands SDK": { format: "openhands", write: openhandsSdkFile },
  "mini-swe-agent 1": { format: "swe-agent", write: miniFile(() => ({})) },
  "mini-swe-agent 2": {
    format: "swe-agent",
    write: miniFile((returncode) => ({ returncode, timestamp: 1 })),
  },
  "SWE-agent": { format: "swe-agent", write: sweFile, told: () => ({ outcome: "unknown" }) },
};

describe("the outcome of a recorded command", () => {
  const line = fc.oneof(fc.constantFrom(...HOSTILE), fc.constantFrom("", "ok", "7 failed"));
  const printed = fc.array(line, { maxLength: 4 }).map((lines) => lines.join("\n"));

  it.each(Object.entries(AGENTS))(
    "is what the agent says, never what the command printed: %s",
    async (_, { format, write, told = ended }) => {
      const isTold = async (output: string, code: number): Promise<void> => {
        const text = write(output, code).map((value) => JSON.stringify(value));
        const { conversations } = await readTranscript(Buffer.from(text.join("\n")), { format });
        const commands = extractLedger(conversations[0]?.messages ?? []).commands;
        const known = commands.map(({ outcome, exitCode }) =>
          exitCode === undefined ? { outcome } : { outcome, exitCode },
        );
        expect(known).toEqual([told(code)]);
      };
      await fc.assert(fc.asyncProperty(printed, fc.constantFrom(0, 3), isTold), {
        numRuns: 60,
        examples: [["\n", 0]],
      });
    },
  );
});

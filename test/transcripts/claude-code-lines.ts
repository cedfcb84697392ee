import { randomUUID } from "node:crypto";

/** One call of a scripted session of Claude Code. */
export interface Deed {
  readonly tool: string;
  readonly input: unknown;
  readonly output: string;
}

/** Writes the lines that Claude Code writes, as far as anybody reads them. */
export function claudeCodeLines(sessionId: string) {
  const lines: string[] = [];
  let parentUuid: string | null = null;
  const add = (line: Readonly<Record<string, unknown>>): string => {
    const uuid = randomUUID();
    const timestamp = new Date(1.7e12 + lines.length * 1000).toISOString();
    const about = { parentUuid, uuid, sessionId, cwd: "/repo", version: "2.1.330", timestamp };
    lines.push(JSON.stringify({ ...about, ...line }));
    parentUuid = uuid;
    return uuid;
  };
  const say = (type: "user" | "assistant", content: unknown, rest: object = {}): string =>
    add({ type, message: { role: type, content, ...rest } });
  return {
    text: () => `${lines.join("\n")}\n`,
    user: (text: string) => say("user", text),
    step({ tool, input, output }: Deed): void {
      const id = `toolu_${lines.length}`;
      const usage = { input_tokens: 1_000 + lines.length, output_tokens: 10 };
      const reply = { id: `msg_${lines.length}`, model: "claude-opus-4-6", usage };
      say("assistant", [{ type: "tool_use", id, name: tool, input }], reply);
      say("user", [{ type: "tool_result", tool_use_id: id, content: output }]);
    },
    /** What the program writes when it compacts. */
    compact(summary: string): void {
      parentUuid = null;
      add({ type: "system", subtype: "compact_boundary", content: "Conversation compacted" });
      add({
        type: "user",
        isCompactSummary: true,
        message: { role: "user", content: summary },
      });
    },
  };
}

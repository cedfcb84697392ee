import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";

/** What stands in a few of the sessions and nowhere else. */
export const RARE = "the heron on the lighthouse";

const WORDS =
  "connection refused while reading config from server port socket timeout error warning build test module import export function return value index cache token window session archive".split(
    " ",
  );

/** Numbers that look random and are the same in every run. */
function random(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) / 4_294_967_296;
}

/**
 * Sessions of Claude Code in a home folder: prompts, answers with usage, calls and their outputs of
 * 2 to 10 KB. `rare`: every so many sessions hold RARE once, in an output with quotes around.
 */
export function generateSessions(
  home: string,
  { count, bytes, rare }: { count: number; bytes: number; rare: number },
): void {
  for (let each = 0; each < count; each++) {
    const next = random(each + 1);
    const id = `${each.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const folder = path.join(home, ".claude/projects", `-home-ada-project-${each % 40}`);
    mkdirSync(folder, { recursive: true });
    const text = sessionText(id, bytes, next, each % rare === 0);
    writeFileSync(path.join(folder, `${id}.jsonl`), text);
  }
}

function sessionText(id: string, bytes: number, next: () => number, isRare: boolean): string {
  const lines: string[] = [];
  const cwd = `/home/ada/project-${Number.parseInt(id, 16) % 40}`;
  let [size, tokens, parent] = [0, 10_000, null as string | null];
  const add = (type: "user" | "assistant", message: object): void => {
    const uuid = `${id.slice(0, 8)}-${lines.length}`;
    const timestamp = new Date(1_790_000_000_000 + lines.length * 30_000).toISOString();
    const base = { parentUuid: parent, uuid, sessionId: id, cwd, version: "2.1.219", timestamp };
    const line = JSON.stringify({ type, isSidechain: false, ...base, message });
    parent = uuid;
    size += line.length + 1;
    lines.push(line);
  };
  const words = (count: number): string => {
    const out: string[] = [];
    for (let at = 0; at < count; at++) out.push(WORDS[Math.floor(next() * WORDS.length)] as string);
    return out.join(" ");
  };
  add("user", { role: "user", content: `Please ${words(12)}` });
  for (;;) {
    if (size >= bytes) break;
    const call = `toolu_${lines.length}`;
    const output = `${words(4)} "quoted"\n`.repeat(40 + Math.floor(next() * 200));
    const found = isRare && lines.length === 1 ? `he said "${RARE}"\n${output}` : output;
    const use = { type: "tool_use", id: call, name: "Bash", input: { command: words(5) } };
    tokens = tokens > 150_000 ? 30_000 : tokens + Math.round(found.length / 4);
    const usage = { input_tokens: 4, cache_read_input_tokens: tokens, output_tokens: 80 };
    const about = { id: `msg_${id.slice(0, 8)}_${lines.length}`, model: "claude-opus-4-6", usage };
    add("assistant", { ...about, role: "assistant", content: [use] });
    add("user", {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: call, content: found }],
    });
  }
  return `${lines.join("\n")}\n`;
}

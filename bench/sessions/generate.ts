import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { RECORDED_FILES, recording } from "../../test/recordings.ts";

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
): number {
  for (let each = 0; each < count; each++) {
    const next = random(each + 1);
    const id = `${each.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const folder = path.join(home, ".claude/projects", `-home-ada-project-${each % 40}`);
    mkdirSync(folder, { recursive: true });
    const text = sessionText(id, bytes, next, each % rare === 0);
    writeFileSync(path.join(folder, `${id}.jsonl`), text);
  }
  return count;
}

/** Where an agent keeps a session of this id; of the other agents' recordings there are no copies. */
const PLACES: Readonly<Record<string, (id: string) => string>> = {
  "claude-code": (id) => `.claude/projects/-home-ada-project-${id.slice(6, 8)}/${id}.jsonl`,
  codex: (id) =>
    `.codex/sessions/2026/11/${id.slice(6, 8)}/rollout-2026-11-20T10-00-00-${id}.jsonl`,
  pi: (id) => `.pi/agent/sessions/--home-ada-project-${id.slice(6, 8)}--/2026-11-20_${id}.jsonl`,
  "gemini-cli": (id) => `.gemini/tmp/${id.slice(6, 8)}/chats/session-${id}.json`,
};

/**
 * Copies of the recorded sessions in a home folder, each with an id of its own, until there are so many
 * bytes of them; how many there are. Every so many copies hold RARE once, in the middle.
 */
export function copyRecordings(
  home: string,
  { bytes, rare }: { bytes: number; rare: number },
): number {
  const originals = RECORDED_FILES.flatMap((file) => {
    const place = PLACES[path.dirname(file)];
    return place === undefined ? [] : [{ place, text: recording(file).toString() }];
  });
  if (originals.length === 0)
    throw new Error("There are no recorded sessions beside this checkout.");
  let count = 0;
  for (let left = bytes; left > 0; count++) {
    const { place, text } = originals[count % originals.length] as (typeof originals)[number];
    const id = `${count.toString(16).padStart(8, "0")}-0000-4000-8000-000000000000`;
    const own = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/.exec(text)?.[0];
    const named = own === undefined ? text : text.replaceAll(own, id);
    const at = named.indexOf(" the ", named.length / 2);
    const isRare = count % rare === 0 && at >= 0;
    const copy = isRare ? `${named.slice(0, at)} ${RARE}${named.slice(at)}` : named;
    const file = path.join(home, place(id));
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, copy);
    left -= copy.length;
  }
  return count;
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

/**
 * The recorded sessions that figures are made of: every conversation of every file, as its reader
 * gives it, and, for files in which the agent itself compacted, what stood before each compaction.
 * The latter are the long contexts that an agent really filled.
 */
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import type { Message } from "../../src/core/message/index.ts";
import { type Conversation, readTranscript } from "../../src/transcripts/index.ts";

/** Our own recording, which is part of the repository. */
export const EXAMPLE: string = path.join("examples", "recorded-session", "session.json.gz");

/** Where the recordings of other agents are, if this checkout has them beside it. */
export const RECORDINGS: string = path.join("..", "shared", "transcripts");

export interface Session {
  readonly file: string;
  readonly format: string;
  /** Which conversation of the file: its number, or `before N` for what the agent compacted. */
  readonly part: string;
  readonly conversation: Conversation;
}

/** The session files to run on: one file, or those of a folder (if it is there) and our own. */
export function sessionFiles(folder: string = RECORDINGS): readonly string[] {
  const found = existsSync(folder) ? filesUnder(folder) : [];
  const isFile = found.length === 1 && found[0] === folder;
  return existsSync(EXAMPLE) && !isFile ? [...found, EXAMPLE] : found;
}

function filesUnder(folder: string): string[] {
  if (statSync(folder).isFile()) return [folder];
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => /\.(?:gz|jsonl?|traj|md)$/.test(file))
    .filter((file) => !/^(?:README|LICENSES|manifest)\b/.test(file))
    .map((file) => path.join(folder, file))
    .toSorted();
}

/** All conversations of a file. */
export async function readSessions(file: string): Promise<readonly Session[]> {
  const whole = await readTranscript(file);
  const { format } = whole;
  const sessions = whole.conversations.map((conversation, index): Session => {
    return { file, format, part: String(index), conversation };
  });
  for (const [index, bytes] of beforeCompactions(file, format).entries()) {
    const { conversations } = await readTranscript(bytes, { format });
    const part = `before ${index + 1}`;
    sessions.push(...conversations.map((conversation) => ({ file, format, part, conversation })));
  }
  return sessions;
}

/** The file cut off before each compaction that its agent made. */
function beforeCompactions(file: string, format: string): readonly Buffer[] {
  const packed = readFileSync(file);
  const text = (packed[0] === 0x1f ? gunzipSync(packed) : packed).toString("utf8");
  const mark = COMPACTION_LINES[format];
  if (mark !== undefined) {
    const lines = text.split("\n");
    const cuts = lines.flatMap((line, index) => (index > 0 && mark.test(line) ? [index] : []));
    return cuts.map((cut) => Buffer.from(`${lines.slice(0, cut).join("\n")}\n`));
  }
  return format === "opencode" ? beforeMarkers(text) : [];
}

/** Lines that are nothing but the record of a compaction, by format. */
const COMPACTION_LINES: Readonly<Record<string, RegExp>> = {
  "claude-code":
    /"type":"system","subtype":"compact_boundary"|"subtype":"compact_boundary".*"type":"system"/,
  codex: /^\{"timestamp":"[^"]*","type":"compacted"/,
  pi: /^\{"type":"compaction"/,
};

function beforeMarkers(text: string): readonly Buffer[] {
  const document = JSON.parse(text) as {
    messages: readonly { parts: readonly { type: string }[] }[];
  };
  const { messages } = document;
  const cuts = messages.flatMap(({ parts }, index) => {
    return index > 0 && parts.some(({ type }) => type === "compaction") ? [index] : [];
  });
  return cuts.map((cut) =>
    Buffer.from(JSON.stringify({ ...document, messages: messages.slice(0, cut) })),
  );
}

/**
 * The effective context without what the agent's provider reported, which included a system prompt
 * and tools that are not in the file.
 */
export function contextOf({ messages }: Conversation): readonly Message[] {
  return messages.map(({ usage: _usage, ...message }) => message);
}

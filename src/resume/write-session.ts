import { mkdir, open, readFile, stat } from "node:fs/promises";
import path from "node:path";
import { ContextError, wrongUse } from "../core/error.ts";
import { isUntouched, type OutputPart, outputText, withParts } from "../core/message/message.ts";
import { isRecord } from "../core/text/json.ts";
import type { Transcript } from "../transcripts/index.ts";
import { readTranscript } from "../transcripts/read.ts";
import {
  type Home,
  type NewSession,
  type OldSession,
  type ResumeCommands,
  saysTheSame,
  type SessionContent,
  type SessionWriter,
} from "./session.ts";

/** The agents whose sessions can be written, by the names of their formats. */
const WRITERS = {
  "claude-code": async () => (await import("./claude-code.ts")).claudeCodeSessions,
  codex: async () => (await import("./codex.ts")).codexSessions,
  opencode: async () => (await import("./opencode.ts")).opencodeSessions,
  pi: async () => (await import("./pi.ts")).piSessions,
  "qwen-code": async () => (await import("./qwen-code.ts")).qwenCodeSessions,
} as const;

export type SessionAgent = keyof typeof WRITERS;

/** All of them. */
export const SESSION_AGENTS = Object.keys(WRITERS) as readonly SessionAgent[];

/** Loads what writes the sessions of an agent. */
export function sessionWriter(agent: SessionAgent): Promise<SessionWriter> {
  return WRITERS[agent]();
}

/** Whether sessions of this format can be written. */
export function isSessionAgent(format: string): format is SessionAgent {
  return Object.hasOwn(WRITERS, format);
}

/** A session that was written, and what its agent's reader finds in it. */
export interface WrittenSession extends NewSession {
  readonly read: Transcript;
}

/**
 * Writes a new session of an agent and reads it again: what an agent will be sent must say what
 * `content` says. Throws `ContextError` codes `unwritable-file` and `unreadable-file`; a file that
 * says something else does not stay.
 */
export async function writeSession(
  agent: SessionAgent,
  content: SessionContent,
  home: Home,
): Promise<WrittenSession> {
  const writer = await sessionWriter(agent);
  const kept = writable(writer, content);
  const session = writer.create(kept, home);
  const read = await verified(agent, Buffer.from(session.text), kept);
  await writeNew(session.path, session.text);
  return { ...session, read };
}

/** The texts that the agent does not say by itself; in results, blocks of others as the words that they hold. */
function writable(writer: SessionWriter, content: SessionContent): SessionContent {
  const { dialect = "" } = writer;
  const inWords = (piece: OutputPart): OutputPart => {
    const text = piece.type === "opaque" && piece.source.dialect !== dialect && outputText([piece]);
    return text ? { type: "text", text } : piece;
  };
  const messages = content.messages
    .filter((message) => !writer.announces(message))
    .map((message) => {
      if (message.role !== "tool" || isUntouched(message, dialect)) return message;
      const parts = message.parts.map((part) =>
        part.type === "tool-result" ? { ...part, output: part.output.map(inWords) } : part,
      );
      return withParts(message, parts);
    });
  return { ...content, messages };
}

/** Lines that were appended to a session, so that they can be taken back. */
export interface Appended extends ResumeCommands {
  readonly path: string;
  /** Bytes of the file before and after. */
  readonly before: number;
  readonly after: number;
}

/**
 * Makes an old session go on from `content`, by lines behind what is there; nothing before them
 * changes. Throws `ContextError` code `invalid-options` for an agent to whose sessions nothing can be
 * appended.
 */
export async function appendToSession(
  agent: SessionAgent,
  content: SessionContent,
  { id, path: file }: Omit<OldSession, "last">,
): Promise<Appended> {
  const writer = await sessionWriter(agent);
  if (writer.append === undefined) {
    throw wrongUse(
      `${agent} keeps its sessions in a database, to which nothing is appended. Leave out --in-place: a new session stands beside the old one.`,
      { option: "inPlace", agent },
    );
  }
  const before = await readFile(file);
  const isWhole = before.length === 0 || before.at(-1) === NEWLINE;
  const kept = writable(writer, content);
  const last = lastRecord(before);
  const { text, ...commands } = writer.append(kept, { id, path: file, last });
  const added = `${isWhole ? "" : "\n"}${text}`;
  await verified(agent, Buffer.concat([before, Buffer.from(added)]), kept);
  const handle = await open(file, "a");
  try {
    await handle.writeFile(added);
    await handle.sync();
  } finally {
    await handle.close();
  }
  return {
    path: file,
    before: before.length,
    after: before.length + Buffer.byteLength(added),
    ...commands,
  };
}

/**
 * Takes back what was appended. Throws `ContextError` code `invalid-options` if the session has gone on
 * since: what the agent wrote then would be lost.
 */
export async function undoAppend({ path: file, before, after }: Appended): Promise<void> {
  const { size } = await stat(file);
  if (size !== after) {
    throw wrongUse(
      `${file} has ${size} bytes and had ${after} after it was compacted: the session went on since, and undoing would lose that.`,
      { file, size, expected: after },
    );
  }
  const handle = await open(file, "r+");
  try {
    await handle.truncate(before);
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const NEWLINE = 0x0a;

function lastRecord(bytes: Buffer): Readonly<Record<string, unknown>> | undefined {
  for (let end = bytes.length; end > 0;) {
    const start = bytes.lastIndexOf(NEWLINE, end - 2) + 1;
    try {
      const value: unknown = JSON.parse(bytes.toString("utf8", start, end));
      if (isRecord(value)) return value;
    } catch {
      // A torn line, or an empty one: the one before it counts.
    }
    end = start;
  }
  return undefined;
}

async function verified(
  agent: string,
  bytes: Buffer,
  content: SessionContent,
): Promise<Transcript> {
  const read = await readTranscript(bytes, { format: agent });
  const messages = read.conversations[0]?.messages ?? [];
  if (saysTheSame(messages, content.messages)) return read;
  throw new ContextError(
    "unwritable-file",
    `The ${agent} session would not say what the compaction says; nothing was written. Use longhaul compact instead, and report this.`,
    { details: { agent } },
  );
}

/** Sessions hold what a person said: nobody else may read them. */
async function writeNew(file: string, text: string): Promise<void> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
    const handle = await open(file, "wx", 0o600);
    try {
      await handle.writeFile(text);
      await handle.sync();
    } finally {
      await handle.close();
    }
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? String(cause);
    throw new ContextError("unwritable-file", `Cannot write ${file}: the system says ${code}.`, {
      details: { file, reason: code },
      cause,
    });
  }
}

import { randomUUID } from "node:crypto";
import path from "node:path";
import { type Message, messageText } from "../core/message/message.ts";
import { encodeAnthropic } from "../dialects/anthropic/encode.ts";
import { writeTraits } from "../transcripts/write.ts";
import {
  hexId,
  jsonLines,
  type ResumeCommands,
  type SessionContent,
  type SessionWriter,
  splitSummary,
} from "./session.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Sessions of Claude Code: a boundary, a summary behind it, and the tail as a chain of parents. Usage
 * is left out: the program believes what the old, large context cost, and compacts at once.
 */
export const claudeCodeSessions: SessionWriter = {
  dialect: "anthropic",
  traits: () => writeTraits("anthropic"),
  announces: ({ role, kind }) => kind === "injected" || (role === "system" && kind === undefined),
  create(content, { folder, env }) {
    const id = randomUUID();
    const projects = path.join(
      env["CLAUDE_CONFIG_DIR"] ?? path.join(folder, ".claude"),
      "projects",
    );
    const slug = content.cwd.replace(/[^A-Za-z0-9]/g, "-");
    return {
      id,
      path: path.join(projects, slug, `${id}.jsonl`),
      text: jsonLines(lines(content, id)),
      ...commands(id),
    };
  },
  append(content, { id, last }) {
    const before = typeof last?.["uuid"] === "string" ? last["uuid"] : undefined;
    const messages = withFreshCalls(content.messages);
    return {
      text: jsonLines(lines({ ...content, messages }, id, before)),
      ...commands(id),
    };
  },
};

function commands(id: string): ResumeCommands {
  const command = ["claude", "--resume", id];
  return { command, promptCommand: [...command, "-p"] };
}

/** The version that these lines are like. */
const VERSION = "2.1.330";

function lines(content: SessionContent, sessionId: string, before?: string): Fields[] {
  const { cwd, now, model = "claude", version = VERSION } = content;
  const { summary, rest } = splitSummary(content.messages);
  const base = { isSidechain: false, userType: "external", cwd, sessionId, version, gitBranch: "" };
  let parentUuid: string | null = null;
  let count = 0;
  const line = (type: string, fields: Fields): Fields => {
    const uuid = randomUUID();
    const timestamp = new Date(now + count).toISOString();
    const whole = { parentUuid, ...base, type, ...fields, uuid, timestamp };
    parentUuid = uuid;
    count += 1;
    return whole;
  };
  const boundary =
    summary === undefined
      ? []
      : [
          line("system", {
            ...(before !== undefined && { logicalParentUuid: before }),
            subtype: "compact_boundary",
            content: "Conversation compacted",
            level: "info",
            isMeta: false,
            compactMetadata: { trigger: "manual" },
          }),
          line("user", {
            isCompactSummary: true,
            isVisibleInTranscriptOnly: true,
            message: { role: "user", content: messageText(summary) },
          }),
        ];
  // The dialect sees no summary before a reply, and would put a message of its own there.
  const isReplyFirst = summary !== undefined && rest[0]?.role === "assistant";
  const tail = encodeAnthropic(rest).messages.slice(isReplyFirst ? 1 : 0);
  return [
    ...boundary,
    ...tail.map((message) =>
      message.role === "assistant"
        ? line("assistant", { message: reply(message, model) })
        : line("user", { message }),
    ),
  ];
}

/** Blocks without a message's id are taken for messages, and thinking without a model is dropped. */
function reply(message: object, model: string): Fields {
  const id = `msg_${hexId(12)}`;
  return { ...message, id, type: "message", model, stop_reason: null, stop_sequence: null };
}

/** Lines are joined by the ids of calls wherever they stand, and the old ones stand in the file, too. */
function withFreshCalls(messages: readonly Message[]): readonly Message[] {
  const fresh = new Map<string, string>();
  const idOf = (old: string): string => {
    const id = fresh.get(old) ?? `toolu_${hexId(12)}`;
    fresh.set(old, id);
    return id;
  };
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "tool-call" || part.type === "tool-result"
        ? { ...part, toolCallId: idOf(part.toolCallId) }
        : part,
    ),
  }));
}

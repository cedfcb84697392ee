import path from "node:path";
import { type Message, messageText } from "../core/message/message.ts";
import { CUSTOM, piMessages } from "./pi-messages.ts";
import {
  hexId,
  jsonLines,
  type ResumeCommands,
  type SessionContent,
  sessionUuid,
  type SessionWriter,
  splitSummary,
} from "./session.ts";
import { traitsOfModel } from "./traits.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Sessions of pi: a tree of entries, one a line. A `compaction` entry that keeps nothing from before
 * itself stands for the head, the tail follows it; pi believes no usage that is older than it.
 */
export const piSessions: SessionWriter = {
  dialect: "pi",
  traits: traitsOfModel,
  announces: ({ role, kind }) => role === "system" && kind !== "summary",
  create(content, home) {
    const { cwd, now, provider, model } = content;
    const id = sessionUuid(now);
    const timestamp = new Date(now).toISOString();
    const header = { type: "session", version: 3, id, timestamp, cwd };
    const known = provider !== undefined && model !== undefined;
    const change = { type: "model_change", id: hexId(4), parentId: null, timestamp };
    const first = known ? [{ ...change, provider, modelId: model }] : [];
    const lines = [header, ...first, ...entries(content, first[0]?.id ?? null)];
    const agentFolder = home.env["PI_CODING_AGENT_DIR"] ?? path.join(home.folder, ".pi", "agent");
    const folder = `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
    const name = `${timestamp.replace(/[:.]/g, "-")}_${id}.jsonl`;
    const file = path.join(agentFolder, "sessions", folder, name);
    return { id, path: file, text: jsonLines(lines), ...commands(file) };
  },
  append(content, { path: file, last }) {
    // Without a summary nothing stands for what was: a branch of its own leaves it behind.
    const { summary } = splitSummary(content.messages);
    const before = typeof last?.["id"] === "string" ? last["id"] : null;
    const lines = entries(content, summary === undefined ? null : before);
    return { text: jsonLines(lines), ...commands(file) };
  },
};

function commands(file: string): ResumeCommands {
  const command = ["pi", "--session", file];
  return { command, promptCommand: [...command, "-p"] };
}

function entries(content: SessionContent, parent: string | null): Fields[] {
  const { summary, rest } = splitSummary(content.messages);
  const natives = natively(rest, content);
  const bodies = [
    ...(summary === undefined
      ? []
      : [{ type: "compaction", summary: messageText(summary), tokensBefore: 0 }]),
    ...natives,
  ];
  let parentId = parent;
  return bodies.map((body, index) => {
    const id = hexId(4);
    const timestamp = new Date(content.now + index).toISOString();
    const entry = { ...body, id, parentId, timestamp };
    parentId = id;
    return body["type"] === "compaction" ? { ...entry, firstKeptEntryId: id } : entry;
  });
}

/** The entries that messages of pi are kept in. */
function natively(messages: readonly Message[], content: SessionContent): Fields[] {
  return piMessages(messages, content).map((message) => {
    if (message.role !== "custom" || message["customType"] !== CUSTOM) {
      return { type: "message", message };
    }
    const { customType, content: said, display } = message;
    return { type: "custom_message", customType, content: said, display };
  });
}

import path from "node:path";
import { encodeOpenAIResponses } from "../dialects/openai-responses/encode.ts";
import { messageText } from "../core/message/message.ts";
import {
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
 * Rollouts of Codex: the items of a new history, or a `compacted` line with those that replace an old
 * one; then a count of tokens that says 0, because the program believes the last one and would
 * compact at once.
 */
export const codexSessions: SessionWriter = {
  dialect: "openai-responses",
  traits: () => traitsOfModel({}),
  announces: ({ role, kind }) => kind === "injected" || (role === "system" && kind === undefined),
  create(content, { folder, env }) {
    const { now, cwd, provider, version = VERSION } = content;
    const id = sessionUuid(now);
    const timestamp = new Date(now).toISOString();
    const meta = { id, timestamp, cwd, originator: "longhaul", cli_version: version };
    const payload = { ...meta, ...(provider !== undefined && { model_provider: provider }) };
    const day = timestamp.slice(0, 10).split("-");
    const name = `rollout-${timestamp.slice(0, 19).replaceAll(":", "-")}-${id}.jsonl`;
    const home = env["CODEX_HOME"] ?? path.join(folder, ".codex");
    return {
      id,
      path: path.join(home, "sessions", ...day, name),
      text: jsonLines([
        { timestamp, type: "session_meta", payload },
        ...items(content).map((item) => ({ timestamp, type: "response_item", payload: item })),
        noTokens(timestamp),
      ]),
      ...commands(id),
    };
  },
  append(content, { id, last }) {
    const ordinal = last?.["ordinal"];
    const records = compaction(content).map((record, index) =>
      typeof ordinal === "number" ? { ...record, ordinal: ordinal + 1 + index } : record,
    );
    return { text: jsonLines(records), ...commands(id) };
  },
};

function commands(id: string): ResumeCommands {
  return { command: ["codex", "resume", id], promptCommand: ["codex", "exec", "resume", id] };
}

/** The version that these lines are like. */
const VERSION = "0.169.0";

const NOTHING = {
  input_tokens: 0,
  cached_input_tokens: 0,
  output_tokens: 0,
  reasoning_output_tokens: 0,
  total_tokens: 0,
};

/** The first lines of a file are taken as they are; a `compacted` line counts behind others only. */
function compaction(content: SessionContent): Fields[] {
  const timestamp = new Date(content.now).toISOString();
  const { summary } = splitSummary(content.messages);
  const message = summary === undefined ? "" : messageText(summary);
  const payload = { message, replacement_history: items(content) };
  return [{ timestamp, type: "compacted", payload }, noTokens(timestamp)];
}

/** The program reads content as a list of pieces only; an item with a plain string is dropped. */
function items({ messages }: SessionContent): readonly unknown[] {
  return encodeOpenAIResponses(messages).map((item) => {
    const { content, role } = item as { readonly content?: unknown; readonly role?: unknown };
    if (typeof content !== "string") return item;
    const type = role === "assistant" ? "output_text" : "input_text";
    return { ...item, content: [{ type, text: content }] };
  });
}

function noTokens(timestamp: string): Fields {
  const info = {
    total_token_usage: NOTHING,
    last_token_usage: NOTHING,
    model_context_window: null,
  };
  const payload = { type: "token_count", info, rate_limits: null };
  return { timestamp, type: "event_msg", payload };
}

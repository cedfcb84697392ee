import path from "node:path";
import {
  type FilePart,
  type Message,
  messageText,
  type OutputPart,
  type Part,
} from "../core/message/message.ts";
import { isRecord } from "../core/text/json.ts";
import {
  hexId,
  jsonLines,
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
  traits: traitsOfModel,
  announces: ({ role, kind }) => role === "system" && kind === undefined,
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
    return { id, path: file, text: jsonLines(lines), command: ["pi", "--session", file] };
  },
  append(content, { path: file, last }) {
    // Without a summary nothing stands for what was: a branch of its own leaves it behind.
    const { summary } = splitSummary(content.messages);
    const before = typeof last?.["id"] === "string" ? last["id"] : null;
    const lines = entries(content, summary === undefined ? null : before);
    return { text: jsonLines(lines), command: ["pi", "--session", file] };
  },
};

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

/** Messages that came from pi and were not edited go back as they were. */
function natively(messages: readonly Message[], content: SessionContent): Fields[] {
  const known = messages.map(nativeOf).find((native) => typeof native?.["api"] === "string");
  return messages.flatMap((message, index) => {
    const native = nativeOf(message);
    if (native !== undefined && message.source?.parts === message.parts) {
      return [{ type: "message", message: native }];
    }
    const timestamp = content.now + index;
    if (message.role === "tool") return results(message, native, timestamp);
    if (message.role === "assistant") {
      return [{ type: "message", message: assistant(message, native ?? known, content) }];
    }
    if (message.kind === undefined) {
      const user = { role: "user", content: blocks(message.parts), timestamp };
      return [{ type: "message", message: { ...native, ...user } }];
    }
    const body = { customType: "longhaul", content: blocks(message.parts), display: false };
    return [{ type: "custom_message", ...body }];
  });
}

function nativeOf({ source }: Message): Fields | undefined {
  return source?.dialect === "pi" && isRecord(source.value) ? source.value : undefined;
}

const NO_USAGE = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

/** pi sends thinking as thinking only to the model that it names here. */
function assistant(
  { parts, time }: Message,
  native: Fields | undefined,
  { model = "unknown", provider, now }: SessionContent,
): Fields {
  const isClaude = /claude/i.test(model);
  const calls = parts.some(({ type }) => type === "tool-call");
  return {
    role: "assistant",
    content: parts.flatMap(assistantBlock),
    api: native?.["api"] ?? (isClaude ? "anthropic-messages" : "openai-responses"),
    provider: native?.["provider"] ?? provider ?? (isClaude ? "anthropic" : "openai"),
    model: native?.["model"] ?? model,
    usage: NO_USAGE,
    stopReason: calls ? "toolUse" : "stop",
    timestamp: time ?? now,
  };
}

function assistantBlock(part: Part): Fields[] {
  if (part.type === "text") return [{ type: "text", text: part.text }];
  if (part.type === "reasoning") {
    return [{ type: "thinking", thinking: part.text, thinkingSignature: part.signature }];
  }
  if (part.type !== "tool-call") return [];
  const { toolCallId: id, toolName: name, input } = part;
  return [{ type: "toolCall", id, name, arguments: isRecord(input) ? input : { input } }];
}

function results(message: Message, native: Fields | undefined, timestamp: number): Fields[] {
  return message.parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { toolCallId, toolName, isError = false } = part;
    const content = blocks(part.output);
    const result = { role: "toolResult", toolCallId, toolName, content, isError, timestamp };
    return [{ type: "message", message: { ...native, ...result } }];
  });
}

function blocks(parts: readonly (Part | OutputPart)[]): Fields[] {
  return parts.flatMap((part): Fields[] => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    return part.type === "file" ? [image(part)] : [];
  });
}

/** pi knows inline images only; anything else is named. */
function image({ data, mediaType, filename, url }: FilePart): Fields {
  if (typeof data === "string" && mediaType.startsWith("image/")) {
    return { type: "image", data, mimeType: mediaType };
  }
  return { type: "text", text: `[file: ${filename ?? url ?? mediaType}]` };
}

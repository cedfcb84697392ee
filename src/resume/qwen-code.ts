import { randomUUID } from "node:crypto";
import path from "node:path";
import { fileData } from "../core/message/file-data.ts";
import {
  type FilePart,
  type Message,
  messageText,
  type Part,
  resultText,
  type ToolResultPart,
} from "../core/message/message.ts";
import {
  jsonLines,
  objectInput,
  type ResumeCommands,
  type SessionContent,
  type SessionWriter,
  splitSummary,
} from "./session.ts";
import { traitsOfModel } from "./traits.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Sessions of Qwen Code: a compression whose history is the summary, and behind it the tail as turns
 * of the Gemini API, each the parent of the next. Usage is left out, so that the program counts anew.
 */
export const qwenCodeSessions: SessionWriter = {
  traits: traitsOfModel,
  announces: ({ role, kind }) => role === "system" && kind !== "summary",
  create(content, { folder, env }) {
    const id = randomUUID();
    const projects = path.join(env["QWEN_HOME"] ?? path.join(folder, ".qwen"), "projects");
    const slug = content.cwd.replace(/[^A-Za-z0-9]/g, "-");
    return {
      id,
      path: path.join(projects, slug, "chats", `${id}.jsonl`),
      text: jsonLines(lines(content, id)),
      ...commands(id),
    };
  },
  append(content, { id, last }) {
    // Without a summary nothing stands for what was: a branch of its own leaves it behind.
    const { summary } = splitSummary(content.messages);
    const before = typeof last?.["uuid"] === "string" ? last["uuid"] : null;
    return {
      text: jsonLines(lines(content, id, summary === undefined ? null : before)),
      ...commands(id),
    };
  },
};

function commands(id: string): ResumeCommands {
  const command = ["qwen", "--resume", id];
  return { command, promptCommand: [...command, "-p"] };
}

/** The version that these lines are like. */
const VERSION = "0.24.4";

function lines(
  { messages, cwd, now, model = "unknown", version = VERSION }: SessionContent,
  sessionId: string,
  before: string | null = null,
): Fields[] {
  const { summary, rest } = splitSummary(messages);
  const bodies = [
    ...(summary === undefined ? [] : [compression(summary)]),
    ...rest.flatMap((message) => {
      const turn = turnOf(message);
      if (turn.parts.length === 0) return [];
      if (message.role !== "assistant") {
        return [{ type: message.role === "tool" ? "tool_result" : "user", message: turn }];
      }
      return [{ type: "assistant", model, message: turn }];
    }),
  ];
  let parentUuid = before;
  return bodies.map((body, index) => {
    const uuid = randomUUID();
    const timestamp = new Date(now + index).toISOString();
    const line = { uuid, parentUuid, sessionId, timestamp, cwd, version, ...body };
    parentUuid = uuid;
    return line;
  });
}

function compression(summary: Message): Fields {
  const compressedHistory = [{ role: "user", parts: [{ text: messageText(summary) }] }];
  return { type: "system", subtype: "chat_compression", systemPayload: { compressedHistory } };
}

interface Turn {
  readonly role: "model" | "user";
  readonly parts: readonly Fields[];
}

function turnOf({ role, parts }: Message): Turn {
  return { role: role === "assistant" ? "model" : "user", parts: parts.flatMap(nativeParts) };
}

/** Thoughts go: their signatures are bound to what stood before them. */
function nativeParts(part: Part): Fields[] {
  if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
  if (part.type === "file") return [nativeFile(part)];
  if (part.type === "tool-call") {
    const { toolCallId: id, toolName: name, input } = part;
    return [{ functionCall: { id, name, args: objectInput(input) } }];
  }
  return part.type === "tool-result" ? nativeResult(part) : [];
}

function nativeResult(result: ToolResultPart): Fields[] {
  const said = resultText(result);
  const functionResponse = {
    id: result.toolCallId,
    name: result.toolName,
    response: result.isError === true ? { error: said } : { output: said },
  };
  const files = result.output.filter((part) => part.type === "file");
  return [{ functionResponse }, ...files.map(nativeFile)];
}

function nativeFile(part: FilePart): Fields {
  const { mediaType: mimeType, url } = part;
  const data = fileData(part);
  if (data !== undefined) return { inlineData: { mimeType, data } };
  return { fileData: { mimeType, fileUri: url } };
}

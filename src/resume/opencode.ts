import path from "node:path";
import {
  type FilePart,
  type Message,
  messageText,
  type OutputPart,
  type Part,
  resultText,
  type ToolResultPart,
} from "../core/message/message.ts";
import { isRecord } from "../core/text/json.ts";
import { createOpencodeIds, type OpencodeIds } from "./opencode-ids.ts";
import {
  hexId,
  objectInput,
  type SessionContent,
  type SessionWriter,
  splitSummary,
} from "./session.ts";
import { traitsOfModel } from "./traits.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Sessions of opencode, as `opencode import` takes them: the question and the summary of a
 * compaction, then the tail; all tokens 0, because the program believes what the old, large context
 * cost and compacts at once.
 */
export const opencodeSessions: SessionWriter = {
  traits: traitsOfModel,
  announces: ({ role, kind }) => role === "system" && kind !== "summary",
  create(content, { folder, env }) {
    const { now, cwd, title = "Compacted session", version = VERSION } = content;
    const ids = createOpencodeIds(now);
    const sessionID = ids("ses");
    const info = {
      id: sessionID,
      slug: `longhaul-${hexId(3)}`,
      projectID: "global",
      directory: cwd,
      title,
      version,
      time: { created: now, updated: now },
    };
    const data = env["XDG_DATA_HOME"] ?? path.join(folder, ".local", "share");
    const file = path.join(data, "longhaul", "sessions", `${sessionID}.json`);
    const messages = createMessages(content, { sessionID, ids });
    return {
      id: sessionID,
      path: file,
      text: `${JSON.stringify({ info, messages }, undefined, 2)}\n`,
      command: ["opencode", "-s", sessionID],
      promptCommand: ["opencode", "run", "-s", sessionID],
      importCommand: ["opencode", "import", file],
    };
  },
};

/** The version that these sessions are like. */
const VERSION = "1.18.33";

interface Place {
  readonly sessionID: string;
  readonly ids: OpencodeIds;
}

interface Native {
  readonly info: Fields;
  readonly parts: readonly Fields[];
}

const NO_TOKENS = { input: 0, output: 0, reasoning: 0, cache: { read: 0, write: 0 } };

function createMessages(content: SessionContent, place: Place): Native[] {
  const { cwd, now, model = "unknown", provider = providerOf(model) } = content;
  const { summary, rest } = splitSummary(content.messages);
  const natives: Native[] = [];
  let asked = "";
  let at = now;
  const native = (info: Fields, parts: readonly Fields[]): void => {
    const id = place.ids("msg");
    const owner = { sessionID: place.sessionID, messageID: id };
    if (info["role"] === "user") asked = id;
    natives.push({
      info: { id, sessionID: place.sessionID, ...info },
      parts: parts.map((part) => ({ id: place.ids("prt"), ...owner, ...part })),
    });
    at += 1;
  };
  const user = (parts: readonly Fields[]): void => {
    const used = { providerID: provider, modelID: model };
    native({ role: "user", time: { created: at }, agent: "build", model: used }, parts);
  };
  const assistant = (mode: string, finish: string, parts: readonly Fields[]): void => {
    native(
      {
        role: "assistant",
        parentID: asked,
        mode,
        agent: mode,
        path: { cwd, root: cwd },
        cost: 0,
        tokens: NO_TOKENS,
        modelID: model,
        providerID: provider,
        time: { created: at, completed: at },
        finish,
        ...(mode === "compaction" && { summary: true }),
      },
      parts,
    );
  };
  if (summary !== undefined) {
    user([{ type: "compaction", auto: false }]);
    assistant("compaction", "stop", [{ type: "text", text: messageText(summary) }]);
  }
  for (const [index, message] of rest.entries()) {
    if (message.role === "user") user(userParts(message));
    if (message.role !== "assistant") continue;
    const results = resultsAfter(rest, index);
    const parts = message.parts.flatMap((part) => assistantPart(part, results, at));
    assistant("build", results.size > 0 ? "tool-calls" : "stop", parts);
  }
  return natives;
}

function providerOf(model: string): string {
  return /claude/i.test(model) ? "anthropic" : "openai";
}

function userParts({ parts, kind }: Message): Fields[] {
  return parts.flatMap((part): Fields[] => {
    if (part.type === "file") return [file(part)];
    if (part.type !== "text") return [];
    return [{ type: "text", text: part.text, ...(kind !== undefined && { synthetic: true }) }];
  });
}

/** The results behind an assistant message, by call. */
function resultsAfter(
  messages: readonly Message[],
  index: number,
): ReadonlyMap<string, ToolResultPart> {
  const results = new Map<string, ToolResultPart>();
  for (let at = index + 1; messages[at]?.role === "tool"; at += 1) {
    for (const part of messages[at]?.parts ?? []) {
      if (part.type === "tool-result") results.set(part.toolCallId, part);
    }
  }
  return results;
}

function assistantPart(
  part: Part,
  results: ReadonlyMap<string, ToolResultPart>,
  at: number,
): Fields[] {
  const time = { start: at, end: at };
  if (part.type === "text") return [{ type: "text", text: part.text, time }];
  if (part.type === "reasoning") {
    const { source } = part;
    const native = source?.dialect === "opencode" && isRecord(source.value) ? source.value : {};
    return [{ type: "reasoning", text: part.text, metadata: native["metadata"], time }];
  }
  if (part.type !== "tool-call") return [];
  const input = objectInput(part.input);
  const state = toolState(results.get(part.toolCallId));
  const tool = { type: "tool", callID: part.toolCallId, tool: part.toolName };
  return [{ ...tool, state: { input, ...state, time } }];
}

function toolState(result: ToolResultPart | undefined): Fields {
  if (result === undefined) return { status: "error", error: "The call was interrupted." };
  if (result.isError === true) return { status: "error", error: resultText(result) };
  const files = result.output.flatMap((part: OutputPart) =>
    part.type === "file" ? [file(part)] : [],
  );
  return {
    status: "completed",
    output: resultText(result),
    title: "",
    metadata: {},
    ...(files.length > 0 && { attachments: files }),
  };
}

function file({ data, mediaType, filename, url }: FilePart): Fields {
  const where = typeof data === "string" ? `data:${mediaType};base64,${data}` : (url ?? "");
  return { type: "file", mime: mediaType, filename, url: where };
}

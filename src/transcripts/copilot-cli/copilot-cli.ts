import type { Message, Part } from "../../core/message/index.ts";
import { type Fields, fieldsOf, isRecord } from "../../core/text/json.ts";
import { assembleSteps, type Piece } from "../assemble.ts";
import {
  newest,
  reasoningParts,
  reportedUsage,
  spanOf,
  textParts,
  timelineOf,
} from "../content.ts";
import { instant, number, records, text } from "../lenient.ts";
import {
  createWarnings,
  type Reading,
  type RecordReader,
  type RequestUsage,
  type Warnings,
} from "../transcript.ts";

/**
 * A session of GitHub Copilot CLI: events in their order. Events of sub-agents stand among them and
 * are left out; after a compaction, its summary stands for what came before it began.
 */
export const copilotCli = { open };

/** The meaning of an event for the conversation; most have none. */
interface Entry {
  readonly id?: string;
  readonly type: string;
  readonly time?: number;
  readonly piece?: Piece;
  readonly compaction?: Compaction;
  readonly instructions?: string;
  readonly model?: string;
  readonly cwd?: string;
  /** Fill of the window. */
  readonly tokens?: number;
}

interface Compaction {
  /** Absent where it is not in the file. */
  readonly summary?: Message;
}

interface State {
  readonly entries: Entry[];
  /** Also of what was rewound. */
  readonly requests: RequestUsage[];
  readonly warnings: Warnings;
  start?: Fields;
}

function open(): RecordReader {
  const state: State = { entries: [], requests: [], warnings: createWarnings() };
  return {
    record(value, line) {
      const event = fieldsOf(value);
      const { type, data, agentId } = event;
      if (typeof type !== "string" || !isRecord(data)) {
        state.warnings.add("This is no event of a Copilot CLI session.", line);
      } else if (agentId === undefined && data["parentToolCallId"] === undefined) {
        take(state, { id: text(event["id"]), type, time: instant(event["timestamp"]) }, data);
      }
    },
    finish: () => finish(state),
  };
}

function take(state: State, about: Entry, data: Fields): void {
  const { entries, warnings } = state;
  switch (about.type) {
    case "session.start":
      state.start ??= data;
      break;
    case "session.shutdown":
      state.requests.push(...spent(data, about.time));
      break;
    case "session.snapshot_rewind": {
      const from = entries.findIndex(({ id }) => id !== undefined && id === data["upToEventId"]);
      if (from !== -1) entries.splice(from);
      return;
    }
    case "session.context_cleared":
      // Only what was said is gone.
      entries.splice(0, Infinity, ...entries.map(({ piece: _, compaction: __, ...rest }) => rest));
      return;
    case "session.truncation":
      warnings.add("Copilot CLI removed old messages; the file does not say which.");
      return;
  }
  entries.push({ ...about, ...meaning(about, data) });
}

function meaning({ id, type, time }: Entry, data: Fields): Partial<Entry> {
  switch (type) {
    case "session.start":
    case "session.resume": {
      const cwd = text(fieldsOf(data["context"])["cwd"]);
      return { cwd, model: text(data["selectedModel"]) };
    }
    case "session.model_change":
      return { model: text(data["newModel"]) };
    case "system.message":
      return { instructions: text(data["content"]) };
    case "user.message":
      return { piece: said(data, { id, time }) };
    case "assistant.message":
      return { model: text(data["model"]), piece: replied(data, time) };
    case "tool.execution_complete":
      return { piece: answered(data, time) };
    case "session.compaction_complete":
      return data["success"] === false ? {} : compacted(data, time);
    case "session.shutdown":
      return { tokens: windowIn(data) };
    default:
      return {};
  }
}

/** The sent form of a prompt; a program's own prompts name their source. */
function said(data: Fields, about: Pick<Message, "id" | "time">): Piece | undefined {
  const { source = "user", isAutopilotContinuation, transformedContent, content } = data;
  const isTyped = source === "user" && isAutopilotContinuation !== true;
  const parts = textParts(text(transformedContent) || text(content));
  if (parts.length === 0) return undefined;
  const message: Message = { role: "user", parts, ...about };
  return { type: "other", message: isTyped ? message : { ...message, kind: "injected" } };
}

function replied(data: Fields, time: number | undefined): Piece | undefined {
  const { messageId, apiCallId, reasoningText, content, toolRequests } = data;
  const parts: Part[] = [
    ...reasoningParts(reasoningText),
    ...textParts(content),
    ...records(toolRequests).flatMap(({ toolCallId, name, arguments: input = {} }): Part[] =>
      typeof toolCallId === "string" && typeof name === "string"
        ? [{ type: "tool-call", toolCallId, toolName: name, input }]
        : [],
    ),
  ];
  const id = text(messageId);
  const reply = text(apiCallId) ?? id;
  if (parts.length === 0) return undefined;
  const message: Message = { role: "assistant", id, parts, time };
  return reply === undefined ? { type: "other", message } : { type: "reply", reply, message };
}

/** The result as the model was sent it; `detailedContent` is for the screen. */
function answered(data: Fields, time: number | undefined): Piece | undefined {
  const { toolCallId, success, result, error, isUserRequested } = data;
  if (typeof toolCallId !== "string" || isUserRequested === true) return undefined;
  const output = textParts(text(fieldsOf(result)["content"]) ?? text(fieldsOf(error)["message"]));
  const isError = success === false || undefined;
  // The call names the tool.
  const part: Part = { type: "tool-result", toolCallId, toolName: "", output, isError };
  return { type: "results", message: { role: "tool", parts: [part], time } };
}

function compacted(data: Fields, time: number | undefined): Partial<Entry> {
  const tokensBefore = number(data["preCompactionTokens"]);
  const parts = textParts(data["summaryContent"]);
  const summary: Message | undefined =
    parts.length > 0
      ? { role: "user", kind: "summary", parts, time, metadata: { tokensBefore } }
      : undefined;
  return { compaction: { summary }, tokens: tokensBefore };
}

/** Fill of the window when the program ended. */
function windowIn(data: Fields): number | undefined {
  const names = ["systemTokens", "toolDefinitionsTokens", "conversationTokens"];
  const known = names.flatMap((name) => number(data[name]) ?? []);
  return known.length === names.length ? known.reduce((sum, tokens) => sum + tokens) : undefined;
}

/** All requests from one start of the program to its end, by model; what came from a cache is input too. */
function spent(data: Fields, time: number | undefined): RequestUsage[] {
  return Object.entries(fieldsOf(data["modelMetrics"])).flatMap(([model, metrics]) => {
    const { requests, usage } = fieldsOf(metrics);
    const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = fieldsOf(usage);
    const sum = reportedUsage({
      total: inputTokens,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
      output: outputTokens,
    });
    if (sum === undefined) return [];
    return { time, model, usage: sum, requests: number(fieldsOf(requests)["count"]) || 1 };
  });
}

function finish({ entries, requests, warnings, start = {} }: State): Reading {
  const { startedAt, updatedAt } = spanOf(entries);
  const conversation = {
    id: text(start["sessionId"]),
    messages: effectiveMessages(entries, warnings),
    instructions: newest(entries, "instructions"),
    model: newest(entries, "model"),
    cwd: newest(entries, "cwd"),
    startedAt: instant(start["startTime"]) ?? startedAt,
    updatedAt,
    timeline: timelineOf(entries),
    requests,
  };
  return {
    version: text(start["copilotVersion"]),
    conversations: [conversation],
    compactions: entries.filter(({ compaction }) => compaction !== undefined).length,
    warnings: warnings.list(),
  };
}

/**
 * A compaction runs beside the work, so that what came after its start is not in its summary. Which
 * messages from before it were kept is not recorded.
 */
function effectiveMessages(entries: readonly Entry[], warnings: Warnings): Message[] {
  const at = entries.findLastIndex(({ compaction }) => compaction !== undefined);
  const summary = entries[at]?.compaction?.summary;
  if (at === -1) return messagesOf(entries);
  if (summary === undefined) warnings.missing("summary");
  warnings.add(
    "The file does not say what the last compaction kept word for word: its summary stands for all that came before it.",
  );
  const begun = entries.slice(0, at).findLastIndex(({ type, compaction }) => {
    return type === "session.compaction_start" || compaction !== undefined;
  });
  const isStart = entries[begun]?.type === "session.compaction_start";
  const since = messagesOf(entries.slice(isStart ? begun : at));
  return [...(summary === undefined ? [] : [summary]), ...since];
}

/** Results without their calls are left out: their calls are in the summary, or never were. */
function messagesOf(entries: readonly Entry[]): Message[] {
  const messages = assembleSteps(entries.flatMap(({ piece }) => piece ?? []));
  return messages.flatMap((message) => {
    const parts = message.parts.filter(
      (part) => part.type !== "tool-result" || part.toolName !== "",
    );
    return parts.length === 0 ? [] : [{ ...message, parts }];
  });
}

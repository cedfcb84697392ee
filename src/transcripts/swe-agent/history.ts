import type { Message, Part, ReasoningPart, ToolCallPart } from "../../core/message/index.ts";
import { createCallIds, type CallIds } from "../../dialects/call-ids.ts";
import { parseInput } from "../../dialects/wire.ts";
import { contentParts, isRecord, textParts } from "../content.ts";
import { actionCall } from "./action.ts";
import type { HistoryEntry } from "./entry.ts";

/** What the walk over a history has seen so far. */
interface Walk {
  readonly messages: Message[];
  /** Calls whose observation has not come yet, oldest first. */
  open: ToolCallPart[];
  issueSeen: boolean;
  readonly ids: CallIds;
  /** How many replies with an action there were. */
  actions: number;
}

/** Longest id that every provider accepts. */
const ID_LENGTH = 40;

/** A history as messages, and the calls at its end that no observation answers. */
export interface History {
  readonly messages: readonly Message[];
  readonly open: readonly ToolCallPart[];
}

/**
 * The messages of a history. The first user entry that is no demonstration states the issue: the
 * one thing that a person wrote. Any later user entry is an observation; it is the result of the
 * oldest open call, or a notice when none is open. Actions in text get ids made from their place; an
 * id that was used before (replayed demonstrations repeat theirs) is made different.
 * `openFiles` names the file in the agent's editor after each action: edits do not name theirs, so
 * it becomes their `path`.
 */
export function readHistory(
  entries: readonly HistoryEntry[],
  openFiles: readonly (string | undefined)[] = [],
): History {
  const ids = createCallIds(ID_LENGTH);
  const walk: Walk = { messages: [], open: [], issueSeen: false, ids, actions: 0 };
  for (const entry of entries) readEntry(walk, entry, openFiles);
  return { messages: walk.messages, open: walk.open };
}

function readEntry(
  walk: Walk,
  entry: HistoryEntry,
  openFiles: readonly (string | undefined)[],
): void {
  if (entry.is_demo === true || entry.message_type === "demonstration") readDemo(walk, entry);
  else if (entry.role === "system") push(walk, { role: "system", parts: parts(entry) }, entry);
  else if (entry.role === "user") readUser(walk, entry);
  else if (entry.role === "assistant") readAssistant(walk, entry, openFiles);
  else if (entry.role === "tool") readObservation(walk, entry, entry.tool_call_ids);
}

/** A demonstration is example text, also where it poses as replies and observations. */
function readDemo(walk: Walk, entry: HistoryEntry): void {
  const role = entry.role === "assistant" ? "assistant" : "user";
  push(walk, { role, kind: "injected", parts: parts(entry) }, entry);
}

function readUser(walk: Walk, entry: HistoryEntry): void {
  if (walk.open.length > 0) return readObservation(walk, entry);
  const isIssue = !walk.issueSeen;
  walk.issueSeen = true;
  const message: Message = { role: "user", parts: parts(entry) };
  push(walk, isIssue ? message : { ...message, kind: "injected" }, entry);
}

function readAssistant(
  walk: Walk,
  entry: HistoryEntry,
  openFiles: readonly (string | undefined)[],
): void {
  const openFile = openFiles[walk.actions];
  const native = (entry.tool_calls ?? []).map((call) => nativeCall(walk, call, openFile));
  const calls = native.length > 0 ? native : textCalls(walk, entry, openFile);
  // Where the action stands in the content, the thought is what is left of it.
  const isInText = native.length === 0 && calls.length > 0 && entry.thought !== undefined;
  const said = isInText ? textParts(entry.thought ?? "") : parts(entry);
  if (calls.length > 0) walk.actions += 1;
  walk.open = calls;
  push(walk, { role: "assistant", parts: [...reasoning(entry), ...said, ...calls] }, entry);
}

/** Editor tools that change the open file without naming it. */
const ON_OPEN_FILE = new Set(["edit", "insert"]);

function nativeCall(
  walk: Walk,
  call: NonNullable<HistoryEntry["tool_calls"]>[number],
  openFile: string | undefined,
): ToolCallPart {
  const { name } = call.function;
  const given = parseInput(call.function.arguments ?? {});
  const isNameless = isRecord(given) && !("path" in given || "filename" in given);
  const input =
    openFile !== undefined && isNameless && ON_OPEN_FILE.has(name)
      ? { path: openFile, ...given }
      : given;
  return {
    type: "tool-call",
    toolCallId: walk.ids.assign(call.id ?? "call"),
    toolName: name,
    input,
  };
}

function textCalls(walk: Walk, entry: HistoryEntry, openFile: string | undefined): ToolCallPart[] {
  const action = entry.action?.trimEnd() ?? "";
  if (action === "") return [];
  const toolCallId = walk.ids.assign(`action_${walk.actions + 1}`);
  return [{ type: "tool-call", toolCallId, ...actionCall(action, openFile) }];
}

/**
 * An observation answers the open calls it names, the first with its content; one that names none
 * answers the oldest. Without an open call it is a notice.
 */
function readObservation(walk: Walk, entry: HistoryEntry, ids?: readonly string[]): void {
  const named = ids?.map((id) => walk.ids.resolve(id));
  const answered =
    named === undefined
      ? walk.open.slice(0, 1)
      : walk.open.filter((call) => named.includes(call.toolCallId));
  walk.open = walk.open.filter((call) => !answered.includes(call));
  if (answered.length === 0) {
    return push(walk, { role: "user", kind: "injected", parts: parts(entry) }, entry);
  }
  const results = answered.map((call, index): Part => ({
    type: "tool-result",
    toolCallId: call.toolCallId,
    toolName: call.toolName,
    output: index === 0 ? contentParts(entry.content) : [],
  }));
  push(walk, { role: "tool", parts: results }, entry);
}

function push(walk: Walk, message: Message, entry: HistoryEntry): void {
  // What stands between an action and a later observation ends the wait for it.
  if (message.role === "system" || message.kind === "injected") walk.open = [];
  walk.messages.push(entry.time === undefined ? message : { ...message, time: entry.time });
}

function parts(entry: HistoryEntry): Part[] {
  return contentParts(entry.content);
}

function reasoning(entry: HistoryEntry): ReasoningPart[] {
  return (entry.thinking_blocks ?? []).map(({ thinking, signature }) => ({
    type: "reasoning",
    text: thinking,
    ...(signature === undefined ? {} : { signature }),
  }));
}

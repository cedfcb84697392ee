import { z } from "zod";
import type { Message, Part, ReasoningPart, ToolCallPart } from "../../core/message/index.ts";
import { type CallIds, createCallIds } from "../../dialects/call-ids.ts";
import { parseInput } from "../../dialects/wire.ts";
import { contentParts, exitCodeIn, textParts } from "../content.ts";

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
 * `openFiles` names the file in the agent's editor after each action: edits in text do not name
 * theirs, so it becomes their `path`. Calls of 1.x stay as the model made them.
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
  const native = (entry.tool_calls ?? []).map((call) => nativeCall(walk, call));
  const calls = native.length > 0 ? native : textCalls(walk, entry, openFile);
  // Where the action stands in the content, the thought is what is left of it.
  const isInText = native.length === 0 && calls.length > 0 && entry.thought !== undefined;
  const said = isInText ? textParts(entry.thought ?? "") : parts(entry);
  if (calls.length > 0) walk.actions += 1;
  walk.open = calls;
  push(walk, { role: "assistant", parts: [...reasoning(entry), ...said, ...calls] }, entry);
}

function nativeCall(
  walk: Walk,
  { id, function: made }: NonNullable<HistoryEntry["tool_calls"]>[number],
): ToolCallPart {
  const toolCallId = walk.ids.assign(id ?? "call");
  const input = parseInput(made.arguments ?? {});
  return { type: "tool-call", toolCallId, toolName: made.name, input };
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
    ...(index === 0 ? endOf(call, entry) : {}),
  }));
  push(walk, { role: "tool", parts: results }, entry);
}

/** What a tool of 0.x says when there is no such file to open. */
const NOT_FOUND = /^File \S+ not found\.?\s*$/;

function endOf(call: ToolCallPart, { content, exitCode }: HistoryEntry): object {
  if (exitCode !== undefined) return { exitCode };
  const isMissing =
    call.toolName === "open" && typeof content === "string" && NOT_FOUND.test(content);
  return isMissing ? { isError: true } : {};
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
    signature,
  }));
}

const toolCall = z.looseObject({
  id: z.string().optional().catch(undefined),
  function: z.looseObject({
    name: z.string(),
    arguments: z.unknown().optional(),
  }),
});

const thinkingBlock = z.looseObject({
  thinking: z.string(),
  signature: z.string().optional().catch(undefined),
});

/** One entry of a trajectory's history; only the role must be there, odd fields read as absent. */
const historyEntry = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  thought: z.string().optional().catch(undefined),
  action: z.string().optional().catch(undefined),
  is_demo: z.boolean().optional().catch(undefined),
  message_type: z.string().optional().catch(undefined),
  tool_calls: z.array(toolCall).optional().catch(undefined),
  tool_call_ids: z.array(z.string()).optional().catch(undefined),
  thinking_blocks: z.array(thinkingBlock).optional().catch(undefined),
  time: z.number().optional().catch(undefined),
  /** Of the command that it is the observation of. */
  exitCode: z.number().optional().catch(undefined),
});

export type HistoryEntry = z.infer<typeof historyEntry>;

/** An entry of a history, or undefined for a value that is none. */
export function parseEntry(value: unknown): HistoryEntry | undefined {
  const { success, data } = historyEntry.safeParse(value);
  return success ? data : undefined;
}

const miniMessage = z.looseObject({
  role: z.string(),
  content: z.unknown().optional(),
  tool_call_id: z.string().optional().catch(undefined),
  tool_calls: z.array(toolCall).optional().catch(undefined),
  extra: z
    .looseObject({
      timestamp: z.number().optional().catch(undefined),
      returncode: z.number().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
  timestamp: z.number().optional().catch(undefined),
});

/** How an observation begins by the agent's own template. */
const RETURN_CODE = /^<returncode>(-?\d+)<\/returncode>\n/;

const BLOCK_START = /^```(?:bash|sh|mswea_bash_command)[ \t]*\r?\n/gm;
const BLOCK_END = "\n```";

/** A mini-swe-agent message as a history entry: the command is taken out of the text. */
export function parseMiniMessage(value: unknown): HistoryEntry | undefined {
  const { success, data } = miniMessage.safeParse(value);
  if (!success) return undefined;
  const seconds = data.extra?.timestamp ?? data.timestamp;
  const ids = data.tool_call_id === undefined ? undefined : [data.tool_call_id];
  const command =
    data.role === "assistant" && typeof data.content === "string" && !data.tool_calls?.length
      ? splitCommand(data.content)
      : undefined;
  return {
    role: data.role,
    content: data.content,
    tool_calls: data.tool_calls,
    tool_call_ids: ids,
    exitCode: data.extra?.returncode ?? exitCodeIn(String(data.content), RETURN_CODE),
    time: seconds === undefined ? undefined : Math.round(seconds * 1000),
    ...command,
  };
}

/** mini-swe-agent asks its model for one fenced shell command a reply; with more, none is run. */
function splitCommand(text: string): { thought: string; action: string } | undefined {
  const [block, ...others] = text.matchAll(BLOCK_START);
  if (block === undefined || others.length > 0) return undefined;
  const start = block.index + block[0].length;
  // One back, so that the line end of the fence can also be the one before an empty block's end.
  const end = text.indexOf(BLOCK_END, start - 1);
  if (end === -1) return undefined;
  const thought = text.slice(0, block.index) + text.slice(end + BLOCK_END.length);
  return { thought: thought.trim(), action: text.slice(start, end).trimEnd() };
}

/** The tool and the arguments that an action in the text of a reply amounts to. */
interface ActionCall {
  readonly toolName: string;
  readonly input: Readonly<Record<string, unknown>>;
}

const OPEN = /^open\s+("[^"]+"|\S+)(?:\s+(\d+))?\s*$/;
const CREATE = /^create\s+("[^"]+"|\S+)\s*$/;
const EDIT = /^edit\s+(\d+):(\d+)[ \t]*\r?\n([\s\S]*?)\n?end_of_edit$/;
/** Pseudo-actions that the agent writes itself when it stops: `exit_cost`, `exit_context`, … */
const EXIT = /^exit_\w+$/;

/**
 * Actions of SWE-agent 0.x are lines for a shell that knows some editor commands. Those that name
 * or change a file get the tool name and arguments that 1.x gives them; all others are shell
 * commands: `bash` with `command`. An `edit` names no file, it means the one that is open.
 */
function actionCall(action: string, openFile: string | undefined): ActionCall {
  const created = CREATE.exec(action);
  if (created?.[1] !== undefined) {
    return { toolName: "create", input: { filename: unquoted(created[1]) } };
  }
  const opened = OPEN.exec(action);
  if (opened?.[1] !== undefined) {
    const line = opened[2] === undefined ? {} : { line_number: Number(opened[2]) };
    return { toolName: "open", input: { path: unquoted(opened[1]), ...line } };
  }
  const edited = EDIT.exec(action);
  if (edited !== null) return { toolName: "edit", input: editInput(edited, openFile) };
  if (EXIT.test(action)) return { toolName: action, input: {} };
  return { toolName: "bash", input: { command: action } };
}

function editInput(match: RegExpExecArray, openFile: string | undefined): ActionCall["input"] {
  const range = { start_line: Number(match[1]), end_line: Number(match[2]), text: match[3] ?? "" };
  return openFile === undefined ? range : { path: openFile, ...range };
}

function unquoted(text: string): string {
  return text.startsWith('"') ? text.slice(1, -1) : text;
}

import type { Message, Part, ReasoningPart, ToolCallPart } from "../../core/message/index.ts";
import { type Fields, fieldsOf } from "../../core/text/json.ts";
import { type CallIds, createCallIds } from "../../dialects/call-ids.ts";
import { parseInput } from "../../dialects/wire.ts";
import { contentParts, exitCodeIn, resultOf, textParts } from "../content.ts";
import { number, records, text } from "../lenient.ts";

export interface HistoryEntry {
  readonly role: string;
  readonly content: unknown;
  /** The rest of the content, if the action stands in it. */
  readonly thought?: string;
  readonly action?: string;
  readonly isDemo?: boolean;
  readonly calls?: readonly Call[];
  /** The calls that an observation names. */
  readonly callIds?: readonly string[];
  readonly reasoning?: readonly ReasoningPart[];
  readonly time?: number;
  /** Of the command that it is the observation of. */
  readonly exitCode?: number;
}

type Call = Pick<ToolCallPart, "toolName" | "input"> & { readonly id?: string };

interface Walk {
  readonly messages: Message[];
  /** Calls whose observation has not come yet, oldest first. */
  open: readonly ToolCallPart[];
  issueSeen: boolean;
  readonly ids: CallIds;
  /** The number of replies with an action. */
  actions: number;
  /** The file in the agent's editor after each action. */
  readonly openFiles: readonly (string | undefined)[];
}

/** Longest id that every provider accepts. */
const ID_LENGTH = 40;

/**
 * The messages of a history, and the calls at its end that no observation answers. The first user
 * entry that is no demonstration states the issue: the one thing that a person wrote. Any later user
 * entry is an observation; it is the result of the oldest open call, or a notice when none is open.
 * Actions in text get ids made from their place; an id that was used before (replayed demonstrations
 * repeat theirs) is made different. Edits in text do not name their file: the one in the agent's
 * editor becomes their `path`. Calls of 1.x stay as the model made them.
 */
export function readHistory(
  entries: readonly HistoryEntry[],
  openFiles: readonly (string | undefined)[] = [],
): { readonly messages: readonly Message[]; readonly open: readonly ToolCallPart[] } {
  const ids = createCallIds(ID_LENGTH);
  const walk: Walk = { messages: [], open: [], issueSeen: false, ids, actions: 0, openFiles };
  for (const entry of entries) readEntry(walk, entry);
  return walk;
}

function readEntry(walk: Walk, entry: HistoryEntry): void {
  const { role, content } = entry;
  // A demonstration is example text, also where it poses as replies and observations.
  if (entry.isDemo) {
    const speaker = role === "assistant" ? "assistant" : "user";
    push(walk, { role: speaker, kind: "injected", parts: contentParts(content) }, entry);
  } else if (role === "system") push(walk, { role, parts: contentParts(content) }, entry);
  else if (role === "user") readUser(walk, entry);
  else if (role === "assistant") readAssistant(walk, entry);
  else if (role === "tool") readObservation(walk, entry);
}

function readUser(walk: Walk, entry: HistoryEntry): void {
  if (walk.open.length > 0) return readObservation(walk, { ...entry, callIds: undefined });
  const kind = walk.issueSeen ? "injected" : undefined;
  walk.issueSeen = true;
  push(walk, { role: "user", parts: contentParts(entry.content), kind }, entry);
}

function readAssistant(walk: Walk, entry: HistoryEntry): void {
  const { thought, content, reasoning = [] } = entry;
  const native = (entry.calls ?? []).map(({ id = "call", toolName, input }): ToolCallPart => {
    return { type: "tool-call", toolCallId: walk.ids.assign(id), toolName, input };
  });
  const calls = native.length > 0 ? native : textCalls(walk, entry);
  const isInText = native.length === 0 && calls.length > 0 && thought !== undefined;
  const said = isInText ? textParts(thought) : contentParts(content);
  if (calls.length > 0) walk.actions += 1;
  walk.open = calls;
  push(walk, { role: "assistant", parts: [...reasoning, ...said, ...calls] }, entry);
}

function textCalls(walk: Walk, entry: HistoryEntry): ToolCallPart[] {
  const action = entry.action?.trimEnd() ?? "";
  if (action === "") return [];
  const toolCallId = walk.ids.assign(`action_${walk.actions + 1}`);
  return [{ type: "tool-call", toolCallId, ...actionCall(action, walk.openFiles[walk.actions]) }];
}

/**
 * An observation answers the open calls it names, the first with its content; one that names none
 * answers the oldest. Without an open call it is a notice.
 */
function readObservation(walk: Walk, entry: HistoryEntry): void {
  const { content, callIds } = entry;
  const named = callIds?.map((id) => walk.ids.resolve(id));
  const answered = walk.open.filter((call, at) => named?.includes(call.toolCallId) ?? at === 0);
  walk.open = walk.open.filter((call) => !answered.includes(call));
  const results = answered.map((call, at): Part =>
    at > 0 ? resultOf(call, { output: [] }) : observed(call, entry),
  );
  if (results.length > 0) push(walk, { role: "tool", parts: results }, entry);
  else push(walk, { role: "user", kind: "injected", parts: contentParts(content) }, entry);
}

/** The words of a tool of 0.x when there is no such file to open. */
const NOT_FOUND = /^File \S+ not found\.?\s*$/;

function observed(call: ToolCallPart, { content, exitCode }: HistoryEntry): Part {
  const isMissing =
    exitCode === undefined && call.toolName === "open" && NOT_FOUND.test(text(content) ?? "");
  return resultOf(call, {
    output: contentParts(content),
    exitCode,
    isError: isMissing || undefined,
  });
}

function push(walk: Walk, message: Message, { time }: HistoryEntry): void {
  // A message between an action and a later observation ends the wait for it.
  if (message.role === "system" || message.kind === "injected") walk.open = [];
  walk.messages.push({ ...message, time });
}

export function parseEntry(value: unknown): HistoryEntry | undefined {
  const native = fieldsOf(value);
  const { role, content, tool_call_ids: ids } = native;
  if (typeof role !== "string") return undefined;
  const isNamed = Array.isArray(ids) && ids.every((id) => typeof id === "string");
  return {
    role,
    content,
    thought: text(native["thought"]),
    action: text(native["action"]),
    isDemo: native["is_demo"] === true || native["message_type"] === "demonstration",
    calls: callsOf(native),
    callIds: isNamed ? ids : undefined,
    reasoning: records(native["thinking_blocks"]).flatMap(({ thinking, signature }) =>
      typeof thinking === "string"
        ? [{ type: "reasoning", text: thinking, signature: text(signature) }]
        : [],
    ),
  };
}

function callsOf({ tool_calls: calls }: Fields): Call[] {
  return records(calls).flatMap(({ id, function: made }) => {
    const { name, arguments: input = {} } = fieldsOf(made);
    return typeof name === "string"
      ? [{ id: text(id), toolName: name, input: parseInput(input) }]
      : [];
  });
}

/** The beginning of an observation by the agent's own template. */
const RETURN_CODE = /^<returncode>(-?\d+)<\/returncode>\n/;

const BLOCK_START = /^```(?:bash|sh|mswea_bash_command)[ \t]*\r?\n/gm;
const BLOCK_END = "\n```";

/** A mini-swe-agent message as a history entry: the command is taken out of the text. */
export function parseMiniMessage(value: unknown): HistoryEntry | undefined {
  const native = fieldsOf(value);
  const { role, content, tool_call_id: id } = native;
  if (typeof role !== "string") return undefined;
  const extra = fieldsOf(native["extra"]);
  const seconds = number(extra["timestamp"]) ?? number(native["timestamp"]);
  const calls = callsOf(native);
  const isText = role === "assistant" && typeof content === "string" && calls.length === 0;
  return {
    role,
    content,
    calls,
    callIds: typeof id === "string" ? [id] : undefined,
    exitCode: number(extra["returncode"]) ?? exitCodeIn(String(content), RETURN_CODE),
    time: seconds === undefined ? undefined : Math.round(seconds * 1000),
    ...(isText && splitCommand(content)),
  };
}

/** mini-swe-agent asks its model for one fenced shell command a reply; with more, none is run. */
function splitCommand(reply: string): { thought: string; action: string } | undefined {
  const [block, ...others] = reply.matchAll(BLOCK_START);
  if (block === undefined || others.length > 0) return undefined;
  const start = block.index + block[0].length;
  // One back, so that the line end of the fence can also be the one before an empty block's end.
  const end = reply.indexOf(BLOCK_END, start - 1);
  if (end === -1) return undefined;
  const thought = reply.slice(0, block.index) + reply.slice(end + BLOCK_END.length);
  return { thought: thought.trim(), action: reply.slice(start, end).trimEnd() };
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
function actionCall(
  action: string,
  openFile: string | undefined,
): Pick<ToolCallPart, "toolName" | "input"> {
  const [, created] = CREATE.exec(action) ?? [];
  if (created !== undefined) return { toolName: "create", input: { filename: unquoted(created) } };
  const [, opened, line] = OPEN.exec(action) ?? [];
  if (opened !== undefined) {
    const line_number = line === undefined ? undefined : Number(line);
    return { toolName: "open", input: { path: unquoted(opened), line_number } };
  }
  const [, from, to, edit] = EDIT.exec(action) ?? [];
  if (edit !== undefined) {
    const range = { start_line: Number(from), end_line: Number(to), text: edit };
    return { toolName: "edit", input: { path: openFile, ...range } };
  }
  if (EXIT.test(action)) return { toolName: action, input: {} };
  return { toolName: "bash", input: { command: action } };
}

function unquoted(word: string): string {
  return word.startsWith('"') ? word.slice(1, -1) : word;
}

/**
 * By what the content of each format is told. Each of these looks at a sample only and gives `true`,
 * or one clause that says what is missing. No reader is loaded for it.
 */
import { fieldsOf, isRecord } from "../core/text/json.ts";
import type { PlainConversation } from "./plain/plain-conversation.ts";
import type { Detection } from "./transcript.ts";
import { words } from "../core/text/words.ts";

type Json = Readonly<Record<string, unknown>>;

const CLAUDE_CODE_MESSAGES = new Set(["user", "assistant", "system", "progress", "attachment"]);

export function isClaudeCode(records: readonly unknown[]): Detection {
  return records.filter(isRecord).some(isSessionLine) || "no line has a type and a sessionId";
}

function isSessionLine(record: Json): boolean {
  const { type } = record;
  if (typeof type !== "string") return false;
  if (type === "summary") return typeof record["leafUuid"] === "string";
  if (type === "file-history-snapshot") return isRecord(record["snapshot"]);
  if (typeof record["sessionId"] !== "string") return false;
  return CLAUDE_CODE_MESSAGES.has(type) ? "parentUuid" in record || "uuid" in record : true;
}

const ROLLOUT_LINES = new Set([
  "session_meta",
  "turn_context",
  "response_item",
  "event_msg",
  "compacted",
]);

export function isCodex(records: readonly unknown[]): Detection {
  const lines = records.filter(isRecord);
  const isRollout = lines.some(
    ({ type, payload }) => ROLLOUT_LINES.has(String(type)) && isRecord(payload),
  );
  const isOld = lines.some(({ record_type: type }) => type === "state") && lines.some(isBareItem);
  return isRollout || isOld || "no line has the type and payload of a rollout line";
}

const COPILOT_EVENT = /^(?:session|system|user|assistant|tool)\.[a-z_]+$/;

export function isCopilotCli(records: readonly unknown[]): Detection {
  const isEvent = ({ type, data, id }: Json): boolean =>
    COPILOT_EVENT.test(String(type)) && isRecord(data) && typeof id === "string";
  const events = records.filter(isRecord).filter(isEvent);
  return (
    events.some((event) => "parentId" in event) || "no line is an event with data and parentId"
  );
}

const ITEM_TYPES = new Set<unknown>(
  words(`message reasoning function_call function_call_output custom_tool_call custom_tool_call_output
  local_shell_call`),
);

/** An item of Codex without a wrapping, as items stood in the file before August 2025. */
export function isBareItem({ type, payload }: Json): boolean {
  return payload === undefined && ITEM_TYPES.has(type);
}

/** Lines like those of Claude Code, with turns of the Gemini API in them. */
export function isQwenCode(records: readonly unknown[]): Detection {
  const isOwn = ({ sessionId, message, subtype }: Json): boolean => {
    const isTurn = Array.isArray(fieldsOf(message)["parts"]);
    return typeof sessionId === "string" && (isTurn || subtype === "chat_compression");
  };
  return records.map(fieldsOf).some(isOwn) || "no line has a sessionId and a message with parts";
}

export function isOpencode(document: unknown): Detection {
  const { info, messages } = fieldsOf(document);
  if (typeof fieldsOf(info)["id"] !== "string") return "it has no `info` with the session's id";
  const [first] = listOf(messages);
  if (first === undefined) return true;
  if (typeof fieldsOf(fieldsOf(first)["info"])["role"] === "string") return true;
  return "its messages are not of the form `{info, parts}`";
}

const PI_ENTRIES: ReadonlySet<unknown> = new Set([
  "message",
  "compaction",
  "model_change",
  "thinking_level_change",
]);

export function isPi(records: readonly unknown[]): Detection {
  const entries = records.map(fieldsOf);
  const header = entries.find(({ type }) => type === "session");
  if (typeof header?.["id"] === "string" && typeof header["cwd"] === "string") return true;
  const looksLikePi = entries.some(
    ({ type, parentId }) => PI_ENTRIES.has(type) && parentId !== undefined,
  );
  return looksLikePi || "no record is a `session` header with an id and a cwd";
}

export function isGeminiCli(document: unknown): Detection {
  if (geminiTurns(document) !== undefined) return true;
  const { sessionId, projectHash, messages } = fieldsOf(document);
  if (typeof sessionId !== "string") return "it has no `sessionId`";
  if (typeof projectHash === "string") return true;
  const isTyped = typeof fieldsOf(listOf(messages)[0])["type"] === "string";
  return isTyped || "its messages have no `type`, and it has no `projectHash`";
}

/**
 * The turns of a checkpoint; `undefined` for what is none: the parts of the Gemini API have no
 * `type`, those of the AI SDK's UI messages do.
 */
export function geminiTurns(document: unknown): readonly unknown[] | undefined {
  const turns: unknown = Array.isArray(document) ? document : fieldsOf(document)["history"];
  if (!Array.isArray(turns)) return undefined;
  const { role, parts } = fieldsOf(turns[0]);
  if ((role !== "user" && role !== "model") || !Array.isArray(parts)) return undefined;
  return typeof fieldsOf(parts[0])["type"] === "string" ? undefined : turns;
}

export function isGeminiCliLines(records: readonly unknown[]): Detection {
  const isOwn = ({ sessionId, projectHash, $rewindTo }: Json): boolean =>
    (typeof sessionId === "string" && typeof projectHash === "string") ||
    typeof $rewindTo === "string";
  return records.map(fieldsOf).some(isOwn) || "no record has a `sessionId` and a `projectHash`";
}

export function isSweAgent(document: unknown): Detection {
  if (!isRecord(document)) return "it is no object";
  const { trajectory, history, info } = document;
  if (Array.isArray(trajectory) && (Array.isArray(history) || isRecord(info))) return true;
  if (isMiniSweAgent(document)) return true;
  return 'there is no "trajectory" with "history" or "info", no "messages" with "trajectory_format"';
}

export function isMiniSweAgent({ messages, trajectory_format: format }: Json): boolean {
  return Array.isArray(messages) && typeof format === "string";
}

export function isAtif(document: unknown): Detection {
  const { schema_version: version, steps } = fieldsOf(document);
  const isOwn = typeof version === "string" && version.startsWith("ATIF-");
  return (isOwn && Array.isArray(steps)) || 'it has no `schema_version` "ATIF-…" and no `steps`';
}

const NO_EVENTS = 'there is no "history" of events, and no event with "action" or "observation"';

export function isOpenHandsLines(records: readonly unknown[]): Detection {
  return records.some((value) => isOpenHandsTask(value) || isOpenHandsEvent(value)) || NO_EVENTS;
}

export function isOpenHandsDocument(document: unknown): Detection {
  const isList = Array.isArray(document) && document.some(isOpenHandsEvent);
  return isOpenHandsTask(document) || isList || NO_EVENTS;
}

function isOpenHandsTask(value: unknown): boolean {
  return listOf(fieldsOf(value)["history"]).slice(0, 10).some(isOpenHandsEvent);
}

/** An event of OpenHands 0.x, or a pair of them, or one of its SDK 1.x. */
export function isOpenHandsEvent(value: unknown): boolean {
  if (isSdkEvent(value)) return true;
  const item: unknown = Array.isArray(value) ? value[0] : value;
  if (!isRecord(item)) return false;
  if (typeof item["action"] === "string") return isRecord(item["args"]);
  return typeof item["observation"] === "string" && "content" in item && isRecord(item["extras"]);
}

const SDK_SOURCES = new Set<unknown>(["agent", "user", "environment"]);

/** An event of the OpenHands SDK 1.x; without an id, by who speaks. */
export function isSdkEvent(value: unknown): boolean {
  const { kind, id, timestamp, source } = fieldsOf(value);
  if (typeof kind !== "string") return false;
  if (typeof id !== "string" && !SDK_SOURCES.has(source)) return false;
  return typeof timestamp === "string" && /(?:Event|Condensation|Observation)$/.test(kind);
}

const LOOKED_AT = 20;

export function isCline(document: unknown): Detection {
  const isList = Array.isArray(document);
  const session = isList ? {} : fieldsOf(document);
  const messages = isList ? (document as unknown[]) : listOf(session["messages"]);
  const first = messages.slice(0, LOOKED_AT).map(fieldsOf);
  const areMessages = first.some(({ role, content }) => role === "user" && Boolean(content));
  if (!areMessages) return "it is no list of messages with roles, nor a session with one";
  if (typeof session["sessionId"] === "string") return true;
  if (!isList) return "it has no `sessionId`";
  const isOwn = first.some(({ ts }) => typeof ts === "number") || startsWithTask(first[0]);
  return isOwn || "its messages have no `ts`, and the first is no `<task>`";
}

function startsWithTask(message: Json | undefined): boolean {
  const content = message?.["content"];
  const text = Array.isArray(content) ? fieldsOf(content[0])["text"] : content;
  return typeof text === "string" && text.trimStart().startsWith("<task>");
}

const AIDER_START = /^# aider chat started at \d{4}-\d\d-\d\d \d\d:\d\d:\d\d/m;

export function isAider(head: string): Detection {
  return AIDER_START.test(head) || 'there is no line "# aider chat started at <date> <time>"';
}

/** The newest version of the neutral format: it is written, and it and older ones are read. */
export const NEUTRAL_VERSION = 1;

/** Part types that no other format has under `parts`. */
const NEUTRAL_PARTS = new Set(["tool-call", "tool-result", "opaque"]);

export function isNeutral({ wrapper, messages }: PlainConversation): Detection {
  const { format, version } = wrapper;
  if (format !== "longhaul") {
    return messages.some(isNeutralMessage) || 'there is no "format": "longhaul", and no tool parts';
  }
  const isKnown = typeof version === "number" && version <= NEUTRAL_VERSION;
  return isKnown || `its version is ${String(version)}; this reads ${NEUTRAL_VERSION}`;
}

/** A message of ours; the AI SDK's UI messages have `parts`, too. */
function isNeutralMessage(message: unknown): boolean {
  const { parts, kind } = fieldsOf(message);
  if (!Array.isArray(parts)) return false;
  return typeof kind === "string" || parts.some((part) => isOfType(part, NEUTRAL_PARTS));
}

/** Part types that no other format has in `content`. */
const AI_SDK_PARTS = new Set(["tool-call", "tool-result", "reasoning"]);

export function isAiSdk({ messages }: PlainConversation): Detection {
  return (
    messages.some((message) => isUiMessage(message) || isModelMessage(message)) ||
    'no message has "parts", tool-call, tool-result, reasoning or file parts, or our own options'
  );
}

/** A `UIMessage` of the AI SDK. Gemini's turns have `parts`, too, but these have no type. */
export function isUiMessage(message: unknown): message is Json {
  const { parts } = fieldsOf(message);
  return listOf(parts).some((part) => typeof fieldsOf(part)["type"] === "string");
}

function isModelMessage(message: unknown): boolean {
  if (isRecord(fieldsOf(message)["providerOptions"])) return true;
  return blocksOf(message).some(
    (block) =>
      isOfType(block, AI_SDK_PARTS) ||
      (block["type"] === "file" && block["data"] !== undefined) ||
      (block["type"] === "image" && block["image"] !== undefined),
  );
}

/** Block types that no other format has. */
const ANTHROPIC_BLOCKS = new Set(
  words("tool_use tool_result thinking redacted_thinking server_tool_use document"),
);

export function isAnthropic({ wrapper, messages }: PlainConversation): Detection {
  const isOwn = (block: Json): boolean =>
    isOfType(block, ANTHROPIC_BLOCKS) ||
    (block["type"] === "image" && typeof block["source"] === "object");
  return (
    wrapper["system"] !== undefined ||
    messages.some((message) => blocksOf(message).some(isOwn)) ||
    "no message has a block that only Anthropic knows, and there is no system beside them"
  );
}

/** Block types that no other format has in `content`. */
const RESPONSES_BLOCKS = new Set(["input_text", "input_image", "input_file", "output_text"]);
/** Item types that no other format has in a list of messages. */
const RESPONSES_ITEM = /^(?:reasoning|item_reference|compaction|[a-z_]+_call(?:_output)?)$/;

export function isOpenAIResponses({ messages }: PlainConversation): Detection {
  return (
    messages.some(isResponsesItem) ||
    "no message has a type or a part that only OpenAI Responses knows"
  );
}

function isResponsesItem(item: unknown): boolean {
  const { type, role, content } = fieldsOf(item);
  if (type === "message" && typeof role === "string" && typeof content === "string") return true;
  if (typeof type === "string" && role === undefined && RESPONSES_ITEM.test(type)) return true;
  return blocksOf(item).some((block) => isOfType(block, RESPONSES_BLOCKS));
}

const CHAT_ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);

export function isOpenAIChat({ messages }: PlainConversation): Detection {
  return (
    messages.some((message) => CHAT_ROLES.has(String(fieldsOf(message)["role"]))) ||
    "the messages have roles that OpenAI chat does not know"
  );
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function blocksOf(message: unknown): readonly Json[] {
  return listOf(fieldsOf(message)["content"]).filter(isRecord);
}

function isOfType(value: unknown, types: ReadonlySet<string>): boolean {
  return types.has(String(fieldsOf(value)["type"]));
}

import type { CheckOptions, Dialect, DialectIssue } from "../dialect.ts";
import { createAnthropicDecoder, decodeAnthropic } from "./decode.ts";
import { encodeAnthropic } from "./encode.ts";
import {
  ANTHROPIC,
  type AnthropicConversation,
  type AnthropicMessage,
  contentBlocks,
  SERVER_TOOL_BLOCK,
} from "./wire.ts";
import { checkList, type Report } from "../checking.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isText, isWireObject, type WireObject } from "../wire.ts";

/** Anthropic Messages: `system` and `messages` of a request. */
export const anthropic: Dialect<AnthropicConversation, AnthropicMessage> & {
  readonly encode: typeof encodeAnthropic;
} = {
  name: ANTHROPIC,
  traits: { summaryRole: "user", boundReasoning: true, endsWithInput: true },
  decode: decodeAnthropic,
  createDecoder: createAnthropicDecoder,
  encode: encodeAnthropic,
  check: checkAnthropic,
};

/** The API takes at most this many cache breakpoints in one request. */
const MAX_CACHE_CONTROLS = 4;

/** Neighbours of one role: the API reads them as one message. */
interface Turn {
  readonly role: string;
  /** Index of the first native message. */
  readonly index: number;
  readonly blocks: { readonly block: WireObject; readonly index: number }[];
}

type ReportAt = (index: number) => Report;

/**
 * The issues for which the Messages API would reject a conversation. Cache breakpoints on
 * tools are not seen here.
 */
export function checkAnthropic(
  conversation: unknown,
  { asRequest = false }: CheckOptions = {},
): readonly DialectIssue[] {
  const fields = fieldsOf(conversation);
  const { messages: given } = fields;
  const messages: readonly unknown[] = Array.isArray(given) ? given : [];
  const issues = checkList(messages, "message", (reportAt) => ({
    visit: (native, index) => checkMessage(native, reportAt(index)),
    end() {
      const turns = joinTurns(messages);
      if (turns[0]?.role !== "user") reportAt(0)("first-message-role", "is not a user message");
      checkSystemPlaces(turns, reportAt);
      checkPairing(turns, reportAt);
      checkServerResults(turns, reportAt);
      if (asRequest) checkEnd(turns.at(-1), reportAt);
    },
  }));
  if (messages.length === 0) return issues;
  return [...issues, ...checkSystem(fields), ...checkCacheControls(fields, messages)];
}

function checkMessage(native: unknown, report: Report): void {
  const { role, content, output_config } = fieldsOf(native);
  if (!["user", "assistant", "system"].includes(String(role))) {
    return report("unknown-role", `has the unknown role ${JSON.stringify(role)}`);
  }
  const blocks = contentBlocks(content);
  const isSetting = role === "system" && isWireObject(output_config);
  if (blocks.length === 0 && !isSetting) report("empty-content", "has no content");
  for (const block of blocks) checkBlock(block, String(role), report);
}

function joinTurns(messages: readonly unknown[]): Turn[] {
  const turns: Turn[] = [];
  messages.forEach((native, index) => {
    const { role: said, content } = fieldsOf(native);
    const role = String(said);
    const blocks = contentBlocks(content).map((block) => ({ block, index }));
    const last = turns.at(-1);
    if (last?.role === role) last.blocks.push(...blocks);
    else turns.push({ role, index, blocks });
  });
  return turns;
}

/** An entry of the system in the middle stands behind input, and what follows is of the assistant. */
function checkSystemPlaces(turns: readonly Turn[], reportAt: ReportAt): void {
  turns.forEach(({ role, index }, at) => {
    if (role !== "system") return;
    const next = turns[at + 1]?.role ?? "assistant";
    if (turns[at - 1]?.role === "user" && next === "assistant") return;
    reportAt(index)(
      "system-place",
      "is of the system, and stands neither behind a user message nor before one of the assistant",
    );
  });
}

function checkPairing(turns: readonly Turn[], reportAt: ReportAt): void {
  const seen = new Set<string>();
  turns.forEach((turn, at) => {
    if (turn.role === "assistant") checkCalls(turn, turns[at + 1], { seen, reportAt });
    else checkResults(turn, turns[at - 1], reportAt);
  });
}

function checkCalls(
  turn: Turn,
  next: Turn | undefined,
  { seen, reportAt }: { readonly seen: Set<string>; readonly reportAt: ReportAt },
): void {
  const answered = idsIn(next?.role === "user" ? next : undefined, "tool_result", "tool_use_id");
  for (const { block, index } of turn.blocks) {
    if (block["type"] !== "tool_use") continue;
    const id = String(block["id"]);
    const report = reportAt(index);
    if (seen.has(id)) report("duplicate-tool-call-id", `uses tool_use id ${id} again`);
    seen.add(id);
    if (answered.has(id)) continue;
    report("unanswered-tool-call", `calls ${id}, which the next user message does not answer`);
  }
}

function idsIn(turn: Turn | undefined, type: string, field: string): ReadonlySet<string> {
  const blocks = turn?.blocks.filter(({ block }) => block["type"] === type) ?? [];
  return new Set(blocks.map(({ block }) => String(block[field])));
}

function checkResults(turn: Turn, before: Turn | undefined, reportAt: ReportAt): void {
  const open = idsIn(before?.role === "assistant" ? before : undefined, "tool_use", "id");
  const answered = new Set<string>();
  let isAfterOther = false;
  for (const { block, index } of turn.blocks) {
    if (block["type"] !== "tool_result") {
      isAfterOther = true;
      continue;
    }
    const id = String(block["tool_use_id"]);
    const report = reportAt(index);
    if (!open.has(id)) {
      report("unpaired-tool-result", `answers ${id}, which the message before does not call`);
    } else if (answered.has(id)) {
      report("duplicate-tool-result", `answers ${id} a second time`);
    } else if (isAfterOther) {
      report("results-first", `has the result of ${id} after other content`);
    }
    answered.add(id);
  }
}

/** The result of a server tool stands behind its call, in the same message or a later one. */
function checkServerResults(turns: readonly Turn[], reportAt: ReportAt): void {
  const calls = new Set<unknown>();
  for (const { role, blocks } of turns) {
    if (role !== "assistant") continue;
    for (const { block, index } of blocks) {
      const { type, id, tool_use_id: answered } = block;
      if (type === "server_tool_use" || type === "mcp_tool_use") calls.add(id);
      else if (SERVER_TOOL_BLOCK.test(String(type)) && !calls.has(answered)) {
        const problem = `has a ${String(type)} of ${String(answered)}, which no call before has`;
        reportAt(index)("unpaired-server-result", problem);
      }
    }
  }
}

/** A turn that a server tool paused is sent back as it is; any other must end with input. */
function checkEnd(turn: Turn | undefined, reportAt: ReportAt): void {
  const last = turn?.blocks.at(-1);
  if (turn?.role !== "assistant" || last === undefined) return;
  const { type, text } = last.block;
  if (SERVER_TOOL_BLOCK.test(String(type)) || type === "tool_use") return;
  const report = reportAt(last.index);
  report("ends-with-assistant", "is of the assistant and the last one; newer models refuse it");
  if (type !== "text" || !/\s$/.test(String(text))) return;
  report("trailing-whitespace", "is the last one, of the assistant, and ends in white space");
}

function checkSystem(conversation: WireObject): DialectIssue[] {
  const { system } = conversation;
  if (!Array.isArray(system)) return [];
  return system.flatMap((block: unknown): DialectIssue[] => {
    const { type, text } = fieldsOf(block);
    if (type === "text" && typeof text === "string" && text.trim() !== "") return [];
    return [{ rule: "empty-text", message: "A block of system has no text." }];
  });
}

function checkCacheControls(
  conversation: WireObject,
  messages: readonly unknown[],
): DialectIssue[] {
  const all = [
    ...contentBlocks(conversation["system"]),
    ...messages.flatMap((native) => contentBlocks(fieldsOf(native)["content"])),
  ];
  const nested = all.flatMap((block) =>
    block["type"] === "tool_result" ? contentBlocks(block["content"]) : [],
  );
  const count = [...all, ...nested].filter((block) => isWireObject(block["cache_control"])).length;
  if (count <= MAX_CACHE_CONTROLS) return [];
  const message = `There are ${count} blocks with cache_control, and ${MAX_CACHE_CONTROLS} are allowed.`;
  return [{ rule: "cache-control", message }];
}

const CALL_ID = /^[a-zA-Z0-9_-]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** Blocks that only the model or only the user may send. */
const ASSISTANT_BLOCKS = ["tool_use", "thinking", "redacted_thinking", "server_tool_use"];
const USER_BLOCKS = ["tool_result", "image", "document", "search_result"];
const MISPLACED: Readonly<Record<string, readonly string[]>> = {
  user: ASSISTANT_BLOCKS,
  assistant: USER_BLOCKS,
  system: [...ASSISTANT_BLOCKS, ...USER_BLOCKS],
};

function checkBlock(block: WireObject, role: string, report: Report): void {
  const type = String(block["type"]);
  const misplaced = MISPLACED[role] ?? [];
  if (misplaced.includes(type)) report("misplaced-block", `may not hold a ${type} block`);
  if (type === "text" && (typeof block["text"] !== "string" || block["text"].trim() === "")) {
    report("empty-text", "has a text block without text");
  }
  if (type === "thinking" && !isText(block["signature"])) {
    report("thinking-signature", "has a thinking block without a signature");
  }
  if (type === "tool_use") checkCall(block, report);
  if (type === "tool_result") checkContentOfResult(block, report);
}

function checkContentOfResult({ content }: WireObject, report: Report): void {
  if (content !== undefined && typeof content !== "string" && !Array.isArray(content)) {
    report("tool-output-shape", "has a tool result that is neither a string nor blocks");
  }
  for (const inner of contentBlocks(content)) {
    const type = String(inner["type"]);
    const isEmpty = type === "text" && inner["text"] === "";
    if (isEmpty) report("empty-text", "has a tool result with an empty text block");
    if (ASSISTANT_BLOCKS.includes(type) || type === "tool_result") {
      report("misplaced-block", `has a ${type} block inside of a tool result`);
    }
  }
}

function checkCall(block: WireObject, report: Report): void {
  if (!isText(block["id"]) || !CALL_ID.test(block["id"])) {
    report("tool-call-id", `has the tool_use id ${JSON.stringify(block["id"])}, which is refused`);
  }
  if (!isText(block["name"]) || !TOOL_NAME.test(block["name"])) {
    report("tool-name", `calls ${JSON.stringify(block["name"])}, which is no tool name`);
  }
  if (!isWireObject(block["input"])) {
    report("tool-input", `has a tool_use ${String(block["id"])} whose input is no object`);
  }
}

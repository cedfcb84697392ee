import type { Dialect, DialectIssue } from "../dialect.ts";
import { createOpenAIChatDecoder } from "./decode.ts";
import { encodeOpenAIChat } from "./encode.ts";
import { type ChatMessage, OPENAI_CHAT } from "./wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { listDialect } from "../decoding.ts";
import { checkSteps, type Place, type Report } from "../checking.ts";
import { isText, isWireObject, type WireObject } from "../wire.ts";

/** OpenAI Chat Completions: the `messages` array. */
export const openaiChat: Dialect<readonly ChatMessage[], ChatMessage> & {
  readonly encode: typeof encodeOpenAIChat;
} = {
  ...listDialect(OPENAI_CHAT, createOpenAIChatDecoder),
  traits: { summaryRole: "system", boundReasoning: false, endsWithInput: false },
  encode: encodeOpenAIChat,
  check: checkOpenAIChat,
};

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
const PARTICIPANT_NAME = /^[^\s<|\\/>]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Content parts that each role may hold; servers that imitate the API add more for users. */
const CONTENT_PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};

/** The issues for which the API would reject a conversation; none in a legal one. */
export function checkOpenAIChat(conversation: unknown): readonly DialectIssue[] {
  return checkSteps(conversation, {
    roleOf: ({ role }) => (typeof role === "string" && ROLES.has(role) ? role : undefined),
    check(native, role, place) {
      checkContent(native, place.report);
      checkName(native, place.report);
      if (role === "tool") place.calls.answer(String(native["tool_call_id"]), place.index);
      if (role === "assistant") openCalls(native, place);
    },
    isForgetful: true,
  });
}

function checkContent(native: WireObject, report: Report): void {
  const { role, content } = native;
  if (content === null || content === undefined) {
    const others = ["tool_calls", "function_call", "refusal", "audio"];
    const isTold = role === "assistant" && others.some((field) => Boolean(native[field]));
    if (isTold || role === "function") return;
    return report("missing-content", "has neither content nor tool calls");
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content) || content.length === 0) {
    return report("empty-content", "needs a string or a non-empty array as content");
  }
  const allowed = CONTENT_PARTS[String(role)];
  for (const part of content as unknown[]) {
    const { type, text } = fieldsOf(part);
    const isAllowed = typeof type === "string" && (allowed?.includes(type) ?? role !== "function");
    if (!isAllowed) {
      report("content-part", `may not hold a content part of type ${String(type)}`);
    } else if (type === "text" && typeof text !== "string") {
      report("content-part", "has a text part whose text is no string");
    }
  }
}

function checkName(native: WireObject, report: Report): void {
  const { name, role } = native;
  if ((name === undefined || name === null) && role !== "function") return;
  if (typeof name !== "string" || !PARTICIPANT_NAME.test(name)) {
    report("message-name", `has the name ${JSON.stringify(name)}, which is refused`);
  }
}

function openCalls(native: WireObject, place: Place): void {
  const calls = native["tool_calls"];
  if (calls === undefined || calls === null) return;
  if (!Array.isArray(calls) || calls.length === 0) {
    return place.report("empty-tool-calls", "has an empty tool_calls");
  }
  for (const call of calls as unknown[]) openCall(call, place);
}

function openCall(call: unknown, { index, calls, report }: Place): void {
  if (!isWireObject(call) || !isText(call["id"])) {
    return report("missing-tool-call-id", "has a tool call without an id");
  }
  const { id, type } = call;
  calls.open(id, index);
  const custom = type === "custom";
  if (!custom && type !== "function") {
    report("tool-call-type", `has call ${id} of type ${String(type)}`);
  }
  const called = fieldsOf(call[custom ? "custom" : "function"]);
  if (typeof called[custom ? "input" : "arguments"] !== "string") {
    report("tool-arguments", `has call ${id} whose arguments are no string`);
  } else if (!TOOL_NAME.test(String(called["name"]))) {
    report("tool-name", `calls ${JSON.stringify(called["name"])}, which is no name`);
  }
}

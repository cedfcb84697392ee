import type { DialectIssue } from "../dialect.ts";
import { isWireObject, type WireObject } from "../wire.ts";

const ROLES = new Set(["system", "developer", "user", "assistant", "tool", "function"]);
/** What the API demands of a participant's name and of a tool's. */
const PARTICIPANT_NAME = /^[^\s<|\\/>]+$/;
const TOOL_NAME = /^[a-zA-Z0-9_-]{1,64}$/;
/** Content parts that each role may hold; servers that imitate the API add more for users. */
const CONTENT_PARTS: Readonly<Record<string, readonly string[]>> = {
  system: ["text"],
  developer: ["text"],
  assistant: ["text", "refusal"],
  tool: ["text"],
};

/** The state of a walk over the messages. */
interface Walk {
  readonly issues: DialectIssue[];
  /** Calls of the last assistant message and whether each has a result. */
  calls: Map<string, boolean>;
  /** Index of that message. */
  step: number;
}

/** What the Chat Completions API would reject; empty when the conversation is legal. */
export function checkOpenAIChat(conversation: unknown): readonly DialectIssue[] {
  if (!Array.isArray(conversation) || conversation.length === 0) {
    return [{ rule: "empty-conversation", message: "There must be at least one message." }];
  }
  const walk: Walk = { issues: [], calls: new Map(), step: 0 };
  conversation.forEach((native: unknown, index) => checkMessage(walk, native, index));
  closeStep(walk);
  return walk.issues;
}

function checkMessage(walk: Walk, native: unknown, index: number): void {
  const role = isWireObject(native) ? native["role"] : undefined;
  if (!isWireObject(native) || typeof role !== "string" || !ROLES.has(role)) {
    report(walk, "unknown-role", index, `has the unknown role ${JSON.stringify(role)}`);
    return;
  }
  if (role !== "tool") closeStep(walk);
  checkContent(walk, native, index);
  checkName(walk, native, index);
  if (role === "tool") checkResult(walk, native, index);
  if (role === "assistant") openStep(walk, native, index);
}

function checkContent(walk: Walk, native: WireObject, index: number): void {
  const role = native["role"] as string;
  const content = native["content"];
  if (content === null || content === undefined) {
    const others = ["tool_calls", "function_call", "refusal", "audio"];
    const isTold = role === "assistant" && others.some((field) => Boolean(native[field]));
    if (!isTold && role !== "function") {
      report(walk, "missing-content", index, "has neither content nor tool calls");
    }
    return;
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content) || content.length === 0) {
    report(walk, "empty-content", index, "needs a string or a non-empty array as content");
    return;
  }
  const allowed = CONTENT_PARTS[role];
  for (const part of content as unknown[]) {
    const type = isWireObject(part) ? part["type"] : undefined;
    const isAllowed = typeof type === "string" && (allowed?.includes(type) ?? role !== "function");
    if (!isAllowed) {
      report(walk, "content-part", index, `may not hold a content part of type ${String(type)}`);
    } else if (type === "text" && typeof (part as WireObject)["text"] !== "string") {
      report(walk, "content-part", index, "has a text part whose text is no string");
    }
  }
}

function checkName(walk: Walk, native: WireObject, index: number): void {
  const name = native["name"];
  if ((name === undefined || name === null) && native["role"] !== "function") return;
  if (typeof name !== "string" || !PARTICIPANT_NAME.test(name)) {
    report(walk, "message-name", index, `has the name ${JSON.stringify(name)}, which is refused`);
  }
}

function openStep(walk: Walk, native: WireObject, index: number): void {
  const calls = native["tool_calls"];
  if (calls === undefined || calls === null) return;
  if (!Array.isArray(calls) || calls.length === 0) {
    report(walk, "empty-tool-calls", index, "has an empty tool_calls");
    return;
  }
  walk.step = index;
  for (const call of calls as unknown[]) openCall(walk, call, index);
}

function openCall(walk: Walk, call: unknown, index: number): void {
  if (!isWireObject(call) || typeof call["id"] !== "string" || call["id"] === "") {
    report(walk, "missing-tool-call-id", index, "has a tool call without an id");
    return;
  }
  const id = call["id"];
  if (walk.calls.has(id))
    report(walk, "duplicate-tool-call-id", index, `has two calls with id ${id}`);
  walk.calls.set(id, false);
  const custom = call["type"] === "custom";
  if (!custom && call["type"] !== "function") {
    report(walk, "tool-call-type", index, `has call ${id} of type ${String(call["type"])}`);
  }
  const called = call[custom ? "custom" : "function"];
  if (!isWireObject(called) || typeof called[custom ? "input" : "arguments"] !== "string") {
    report(walk, "tool-arguments", index, `has call ${id} whose arguments are no string`);
  } else if (!TOOL_NAME.test(String(called["name"]))) {
    report(walk, "tool-name", index, `calls ${JSON.stringify(called["name"])}, which is no name`);
  }
}

function checkResult(walk: Walk, native: WireObject, index: number): void {
  const id = native["tool_call_id"];
  const answered = typeof id === "string" ? walk.calls.get(id) : undefined;
  if (answered === undefined) {
    report(walk, "unpaired-tool-result", index, `answers ${String(id)}, which is not open there`);
  } else if (answered) {
    report(walk, "duplicate-tool-result", index, `answers ${String(id)} a second time`);
  }
  if (answered === false) walk.calls.set(id as string, true);
}

function closeStep(walk: Walk): void {
  for (const [id, answered] of walk.calls) {
    if (!answered) {
      report(walk, "unanswered-tool-call", walk.step, `calls ${id} and no tool message follows`);
    }
  }
  walk.calls = new Map();
}

function report(walk: Walk, rule: string, index: number, problem: string): void {
  walk.issues.push({ rule, index, message: `Message ${index} ${problem}.` });
}

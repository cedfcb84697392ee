import { checkList, type Report } from "../checking.ts";
import type { DialectIssue } from "../dialect.ts";
import { isText, isWireObject, type WireObject } from "../wire.ts";

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

/** The calls of the last assistant message. */
interface Step {
  /** The calls by id, and whether each has a result. */
  readonly answered: Map<string, boolean>;
  report: Report;
}

/** What the Chat Completions API would reject; empty when the conversation is legal. */
export function checkOpenAIChat(conversation: unknown): readonly DialectIssue[] {
  return checkList(conversation, "message", (reportAt) => {
    const step: Step = { answered: new Map(), report: reportAt(0) };
    return {
      visit(native, index) {
        const report = reportAt(index);
        const role = isWireObject(native) ? native["role"] : undefined;
        if (!isWireObject(native) || typeof role !== "string" || !ROLES.has(role)) {
          report("unknown-role", `has the unknown role ${JSON.stringify(role)}`);
          return;
        }
        if (role !== "tool") closeStep(step);
        checkContent(native, report);
        checkName(native, report);
        if (role === "tool") checkResult(native, step, report);
        if (role === "assistant") openStep(native, step, report);
      },
      end: () => closeStep(step),
    };
  });
}

function checkContent(native: WireObject, report: Report): void {
  const role = native["role"] as string;
  const content = native["content"];
  if (content === null || content === undefined) {
    const others = ["tool_calls", "function_call", "refusal", "audio"];
    const isTold = role === "assistant" && others.some((field) => Boolean(native[field]));
    if (!isTold && role !== "function") {
      report("missing-content", "has neither content nor tool calls");
    }
    return;
  }
  if (typeof content === "string") return;
  if (!Array.isArray(content) || content.length === 0) {
    report("empty-content", "needs a string or a non-empty array as content");
    return;
  }
  const allowed = CONTENT_PARTS[role];
  for (const part of content as unknown[]) {
    const type = isWireObject(part) ? part["type"] : undefined;
    const isAllowed = typeof type === "string" && (allowed?.includes(type) ?? role !== "function");
    if (!isAllowed) {
      report("content-part", `may not hold a content part of type ${String(type)}`);
    } else if (type === "text" && typeof (part as WireObject)["text"] !== "string") {
      report("content-part", "has a text part whose text is no string");
    }
  }
}

function checkName(native: WireObject, report: Report): void {
  const name = native["name"];
  if ((name === undefined || name === null) && native["role"] !== "function") return;
  if (typeof name !== "string" || !PARTICIPANT_NAME.test(name)) {
    report("message-name", `has the name ${JSON.stringify(name)}, which is refused`);
  }
}

function openStep(native: WireObject, step: Step, report: Report): void {
  const calls = native["tool_calls"];
  if (calls === undefined || calls === null) return;
  if (!Array.isArray(calls) || calls.length === 0) {
    report("empty-tool-calls", "has an empty tool_calls");
    return;
  }
  step.report = report;
  for (const call of calls as unknown[]) openCall(call, step);
}

function openCall(call: unknown, { answered, report }: Step): void {
  if (!isWireObject(call) || !isText(call["id"])) {
    report("missing-tool-call-id", "has a tool call without an id");
    return;
  }
  const { id } = call;
  if (answered.has(id)) report("duplicate-tool-call-id", `has two calls with id ${id}`);
  answered.set(id, false);
  const custom = call["type"] === "custom";
  if (!custom && call["type"] !== "function") {
    report("tool-call-type", `has call ${id} of type ${String(call["type"])}`);
  }
  const called = call[custom ? "custom" : "function"];
  if (!isWireObject(called) || typeof called[custom ? "input" : "arguments"] !== "string") {
    report("tool-arguments", `has call ${id} whose arguments are no string`);
  } else if (!TOOL_NAME.test(String(called["name"]))) {
    report("tool-name", `calls ${JSON.stringify(called["name"])}, which is no name`);
  }
}

function checkResult(native: WireObject, { answered }: Step, report: Report): void {
  const id = String(native["tool_call_id"]);
  const isAnswered = answered.get(id);
  if (isAnswered === undefined) {
    report("unpaired-tool-result", `answers ${id}, which is not open there`);
  } else if (isAnswered) {
    report("duplicate-tool-result", `answers ${id} a second time`);
  } else {
    answered.set(id, true);
  }
}

function closeStep({ answered, report }: Step): void {
  for (const [id, isAnswered] of answered) {
    if (isAnswered) continue;
    report("unanswered-tool-call", `calls ${id} and no tool message follows`);
  }
  answered.clear();
}

import type { DialectIssue } from "../dialect.ts";
import { isWireObject, type WireObject } from "../wire.ts";

const CONTENT: Readonly<Record<string, readonly string[]>> = {
  user: ["text", "image", "file"],
  assistant: [
    "text",
    "file",
    "reasoning",
    "reasoning-file",
    "custom",
    "tool-call",
    "tool-result",
    "tool-approval-request",
  ],
  tool: ["tool-result", "tool-approval-response"],
};
const OUTPUTS: ReadonlySet<string> = new Set([
  "text",
  "json",
  "content",
  "error-text",
  "error-json",
  "execution-denied",
]);

interface Walk {
  readonly issues: DialectIssue[];
  /** Every call id seen so far. */
  readonly calls: Set<string>;
  readonly answered: Set<string>;
  /** Calls that wait for a result, with the index of their message. */
  open: Map<string, number>;
  isBeforeBody: boolean;
}

/**
 * What the AI SDK or every provider behind it would reject; empty when the conversation is legal.
 * A call that waits for an approval needs no result yet.
 */
export function checkAiSdk(conversation: unknown): readonly DialectIssue[] {
  if (!Array.isArray(conversation) || conversation.length === 0) {
    return [{ rule: "empty-conversation", message: "There must be at least one message." }];
  }
  const walk: Walk = {
    issues: [],
    calls: new Set(),
    answered: new Set(),
    open: new Map(),
    isBeforeBody: true,
  };
  conversation.forEach((native: unknown, index) => checkMessage(walk, native, index));
  closeCalls(walk);
  return walk.issues;
}

function checkMessage(walk: Walk, native: unknown, index: number): void {
  const role = isWireObject(native) ? native["role"] : undefined;
  if (!isWireObject(native) || !["system", ...Object.keys(CONTENT)].includes(String(role))) {
    report(walk, "unknown-role", index, `has the unknown role ${JSON.stringify(role)}`);
    return;
  }
  if (role !== "tool") closeCalls(walk);
  if (role === "system") checkSystem(walk, native, index);
  else checkContent(walk, native, index);
}

function checkSystem(walk: Walk, native: WireObject, index: number): void {
  if (typeof native["content"] !== "string") {
    report(walk, "content-shape", index, "is a system message whose content is no string");
  }
  if (!walk.isBeforeBody) {
    report(walk, "system-not-leading", index, "is a system message behind others");
  }
}

function checkContent(walk: Walk, native: WireObject, index: number): void {
  walk.isBeforeBody = false;
  const { content, role } = native;
  if (typeof content === "string" && role !== "tool") return;
  if (!Array.isArray(content)) {
    report(walk, "content-shape", index, "needs a string or an array as content");
    return;
  }
  const allowed = CONTENT[String(role)] ?? [];
  for (const part of content as unknown[]) {
    const type = isWireObject(part) ? String(part["type"]) : "none";
    if (!isWireObject(part) || !allowed.includes(type)) {
      const rule = role === "tool" ? "tool-message-content" : "content-part";
      report(walk, rule, index, `may not hold a part of type ${type}`);
    } else {
      checkPart(walk, part, index);
    }
  }
  if (role === "assistant") acceptApprovals(walk, content as WireObject[]);
}

function checkPart(walk: Walk, part: WireObject, index: number): void {
  const id = String(part["toolCallId"]);
  if (part["type"] === "tool-call") {
    // Once it is answered, a provider may use an id again.
    if (walk.open.has(id))
      report(walk, "duplicate-tool-call-id", index, `uses call id ${id} again`);
    walk.calls.add(id);
    walk.answered.delete(id);
    if (part["providerExecuted"] !== true) walk.open.set(id, index);
  }
  if (part["type"] !== "tool-result") return;
  checkOutput(walk, part, index);
  if (!walk.calls.has(id)) {
    report(walk, "unpaired-tool-result", index, `has a result of ${id}, which no call before has`);
  } else if (walk.answered.has(id)) {
    report(walk, "duplicate-tool-result", index, `has a second result of ${id}`);
  }
  walk.answered.add(id);
  walk.open.delete(id);
}

function checkOutput(walk: Walk, part: WireObject, index: number): void {
  const output = part["output"];
  const type = isWireObject(output) ? String(output["type"]) : "none";
  const value = isWireObject(output) ? output["value"] : undefined;
  const isText = type === "text" || type === "error-text";
  const isLegal =
    OUTPUTS.has(type) &&
    (!isText || typeof value === "string") &&
    (type !== "content" || Array.isArray(value)) &&
    (!type.endsWith("json") || value !== undefined);
  if (!isLegal) {
    const id = String(part["toolCallId"]);
    report(
      walk,
      "tool-output-shape",
      index,
      `has a result of ${id} with an illegal ${type} output`,
    );
  }
}

function acceptApprovals(walk: Walk, content: readonly WireObject[]): void {
  for (const part of content) {
    if (part["type"] === "tool-approval-request") walk.open.delete(String(part["toolCallId"]));
  }
}

/** The SDK throws `AI_MissingToolResultsError` for what is still open here. */
function closeCalls(walk: Walk): void {
  for (const [id, index] of walk.open) {
    report(walk, "unanswered-tool-call", index, `calls ${id}, and no result follows directly`);
  }
  walk.open = new Map();
}

function report(walk: Walk, rule: string, index: number, problem: string): void {
  walk.issues.push({ rule, index, message: `Message ${index} ${problem}.` });
}

import type { DialectIssue } from "../dialect.ts";
import { isWireBlock, isWireObject, type WireObject } from "../wire.ts";
import { typeOf } from "./message-object.ts";

interface Walk {
  readonly issues: DialectIssue[];
  /** Every call id seen so far. */
  readonly calls: Set<string>;
  readonly answered: Set<string>;
  /** Calls that wait for a result, with the index of their message. */
  open: Map<string, number>;
}

/** What every model behind LangChain would reject; empty when the conversation is legal. */
export function checkLangChain(conversation: unknown): readonly DialectIssue[] {
  if (!Array.isArray(conversation) || conversation.length === 0) {
    return [{ rule: "empty-conversation", message: "There must be at least one message." }];
  }
  const walk: Walk = { issues: [], calls: new Set(), answered: new Set(), open: new Map() };
  conversation.forEach((native: unknown, index) => checkMessage(walk, native, index));
  closeCalls(walk);
  return walk.issues;
}

function checkMessage(walk: Walk, native: unknown, index: number): void {
  const { type, name } = isWireObject(native)
    ? typeOf(native)
    : { type: undefined, name: typeof native };
  if (!isWireObject(native) || type === undefined) {
    report(walk, "unknown-type", index, `has the unknown type ${name}`);
    return;
  }
  if (type !== "tool") closeCalls(walk);
  checkContent(walk, native, index);
  if (type === "ai") openCalls(walk, native, index);
  if (type === "tool") checkResult(walk, native, index);
}

function checkContent(walk: Walk, { content }: WireObject, index: number): void {
  if (typeof content === "string") return;
  if (!Array.isArray(content)) {
    report(walk, "content-shape", index, "needs a string or an array as content");
  } else if (!content.every((block) => typeof block === "string" || isWireBlock(block))) {
    report(walk, "content-block", index, "has a content block without a type");
  }
}

function openCalls(walk: Walk, native: WireObject, index: number): void {
  const calls = native["tool_calls"] ?? [];
  for (const call of Array.isArray(calls) ? (calls as unknown[]) : []) {
    const id = isWireObject(call) ? call["id"] : undefined;
    if (!isWireObject(call) || typeof id !== "string" || id === "") {
      report(walk, "missing-tool-call-id", index, "has a tool call without an id");
      continue;
    }
    if (!isWireObject(call["args"])) {
      report(walk, "tool-call-args", index, `has call ${id} whose args are no object`);
    }
    if (walk.open.has(id)) {
      report(walk, "duplicate-tool-call-id", index, `uses call id ${id} again`);
    }
    // Once it is answered, a provider may use an id again.
    walk.calls.add(id);
    walk.answered.delete(id);
    walk.open.set(id, index);
  }
}

function checkResult(walk: Walk, native: WireObject, index: number): void {
  const id = String(native["tool_call_id"]);
  if (!walk.calls.has(id)) {
    report(walk, "unpaired-tool-result", index, `has a result of ${id}, which no call before has`);
  } else if (walk.answered.has(id)) {
    report(walk, "duplicate-tool-result", index, `has a second result of ${id}`);
  } else if (!walk.open.has(id)) {
    report(walk, "late-tool-result", index, `has a result of ${id} that does not follow its call`);
  }
  walk.answered.add(id);
  walk.open.delete(id);
}

function closeCalls(walk: Walk): void {
  for (const [id, index] of walk.open) {
    report(walk, "unanswered-tool-call", index, `calls ${id}, and no result follows directly`);
  }
  walk.open = new Map();
}

function report(walk: Walk, rule: string, index: number, problem: string): void {
  walk.issues.push({ rule, index, message: `Message ${index} ${problem}.` });
}

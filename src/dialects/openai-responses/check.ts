import type { DialectIssue } from "../dialect.ts";
import type { WireObject } from "../wire-value.ts";
import { checkItem, isCallId, typeOf } from "./check-item.ts";
import { answeredTypes, callIdOf, isHosted, mayBeCall, outputType } from "./item-kind.ts";

/** A call that waits for its output; the provider answers its own when it likes. */
interface OpenCall {
  readonly index: number;
  readonly type: string;
  readonly isHosted: boolean;
}

/** The state of a walk over the items. */
interface Walk {
  readonly issues: DialectIssue[];
  readonly ids: Set<string>;
  /** The ids of all calls so far. */
  readonly calls: Set<string>;
  readonly open: Map<string, OpenCall>;
  /** The calls of the local shell by the ids of their items, which some outputs name. */
  readonly shells: Map<string, string>;
  /** Stored items that were referred to; each may be a call that an output answers. */
  references: number;
  /** Index of reasoning that nothing has followed yet. */
  thought: number | undefined;
}

/**
 * What the Responses API would reject in `input`; empty when the conversation is legal. It is taken
 * to be all there is: with `previous_response_id` an output may answer a call that is not in it.
 */
export function checkOpenAIResponses(conversation: unknown): readonly DialectIssue[] {
  if (!Array.isArray(conversation) || conversation.length === 0) {
    return [{ rule: "empty-conversation", message: "There must be at least one item." }];
  }
  const walk: Walk = {
    issues: [],
    ids: new Set(),
    calls: new Set(),
    open: new Map(),
    shells: new Map(),
    references: 0,
    thought: undefined,
  };
  conversation.forEach((item: unknown, index) => walkItem(walk, item, index));
  closeThought(walk);
  for (const [id, { index, isHosted: isAnswered }] of walk.open) {
    if (isAnswered) continue;
    report(walk, "unanswered-tool-call", index, `calls ${id}, and no output follows`);
  }
  return walk.issues;
}

function walkItem(walk: Walk, value: unknown, index: number): void {
  const type = typeOf(value);
  if (type === undefined) {
    report(walk, "unknown-item", index, "is no item: it has neither a type nor a role nor an id");
    return;
  }
  const item = value as WireObject;
  checkItem(item, type, (rule, problem) => report(walk, rule, index, problem));
  followThought(walk, item, type, index);
  noteId(walk, item, index);
  if (type === "item_reference" && mayBeCall(item)) walk.references += 1;
  if (callIdOf(item) === undefined && isHosted(item)) return;
  if (answeredTypes(type).length > 0) closeCall(walk, item, type, index);
  else if (answeredTypes(outputType(type)).includes(type)) openCall(walk, item, type, index);
}

/** Reasoning leads to something that the model said or did, and that stands directly behind it. */
function followThought(walk: Walk, item: WireObject, type: string, index: number): void {
  const isReference = type === "item_reference" && String(item["id"]).startsWith("rs");
  if (type === "reasoning" || isReference) {
    walk.thought ??= index;
    return;
  }
  const isInput =
    (type === "message" && item["role"] !== "assistant") || answeredTypes(type).length > 0;
  if (isInput) closeThought(walk);
  walk.thought = undefined;
}

function closeThought(walk: Walk): void {
  if (walk.thought === undefined) return;
  report(walk, "reasoning-alone", walk.thought, "is reasoning without the item it led to");
}

function noteId(walk: Walk, { id, type }: WireObject, index: number): void {
  if (typeof id !== "string" || type === "local_shell_call_output") return;
  if (walk.ids.has(id)) report(walk, "duplicate-item-id", index, `has the id ${id} again`);
  walk.ids.add(id);
}

function openCall(walk: Walk, item: WireObject, type: string, index: number): void {
  const id = callIdOf(item);
  if (id === undefined || !isCallId(id)) {
    report(walk, "tool-call-id", index, `has the call_id ${JSON.stringify(id)}, which is refused`);
    return;
  }
  if (walk.calls.has(id)) report(walk, "duplicate-tool-call-id", index, `uses call_id ${id} again`);
  walk.calls.add(id);
  if (type === "local_shell_call") walk.shells.set(String(item["id"]), id);
  walk.open.set(id, { index, type, isHosted: isHosted(item) });
}

function closeCall(walk: Walk, item: WireObject, type: string, index: number): void {
  const named = callIdOf(item) ?? "";
  const id = walk.shells.get(named) ?? named;
  const call = walk.open.get(id);
  if (call !== undefined && answeredTypes(type).includes(call.type)) {
    walk.open.delete(id);
    return;
  }
  if (walk.calls.has(id) && call === undefined) {
    report(walk, "duplicate-tool-result", index, `answers ${id} a second time`);
  } else if (walk.references > 0) {
    walk.references -= 1;
  } else {
    report(walk, "unpaired-tool-result", index, `is the ${type} of ${id}, which no such call has`);
  }
}

function report(walk: Walk, rule: string, index: number, problem: string): void {
  walk.issues.push({ rule, index, message: `Item ${index} ${problem}.` });
}

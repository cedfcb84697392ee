import { fieldsOf } from "../../core/text/json.ts";
import { numberIn, objectsIn, type WireObject } from "../wire.ts";

/** The whole completion that the chunks of a stream tell, as far as they go; a whole one as it is. */
export function wholeCompletion(chunks: readonly WireObject[]): WireObject {
  let whole: WireObject = {};
  let finish: unknown = null;
  const message = new Map<string, unknown>([["role", "assistant"]]);
  const calls = new Map<number, WireObject>();
  for (const chunk of chunks) {
    const [choice = {}] = objectsIn(chunk["choices"]);
    const { usage, ...rest } = filled(chunk);
    // Some servers end with an empty one.
    const isCounted = Object.values(fieldsOf(usage)).some((count) => typeof count === "number");
    whole = { ...whole, ...rest, ...(isCounted && { usage }) };
    finish = choice["finish_reason"] ?? finish;
    const { tool_calls, role: _, ...said } = fieldsOf(choice["message"] ?? choice["delta"]);
    objectsIn(tool_calls).forEach((piece, place) => {
      const at = numberIn(piece, "index") ?? place;
      calls.set(at, withPiece(calls.get(at), piece));
    });
    for (const [field, value] of Object.entries(filled(said))) add(message, field, value);
  }
  const called = [...calls].sort(([a], [b]) => a - b).map(([, call]) => call);
  if (called.length > 0) message.set("tool_calls", called);
  const choice = { index: 0, message: Object.fromEntries(message), finish_reason: finish };
  return { ...whole, choices: [choice] };
}

function filled(fields: WireObject): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

/** Texts go on; where parts and texts come in turn, a text is a part. Lists in `message` are ours. */
function add(message: Map<string, unknown>, field: string, value: unknown): void {
  const before = message.get(field);
  if (!Array.isArray(value) && !(Array.isArray(before) && typeof value === "string")) {
    message.set(field, typeof value === "string" ? textOf(before) + value : value);
    return;
  }
  const parts: unknown[] = Array.isArray(before) ? before : partsOf(before);
  for (const part of partsOf(value)) parts.push(part);
  message.set(field, parts);
}

function partsOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  const text = textOf(value);
  return text === "" ? [] : [{ type: "text", text }];
}

/** A call with its next piece; the first one has its name and id. */
function withPiece(before: WireObject = {}, { index: _, ...piece }: WireObject): WireObject {
  const { function: known, ...fields } = before;
  const { function: called, ...rest } = piece;
  const { name, arguments: text } = fieldsOf(known);
  const { name: newName, arguments: more } = fieldsOf(called);
  const whole = { name: newName ?? name, arguments: textOf(text) + textOf(more) };
  return { ...fields, ...filled(rest), function: whole };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

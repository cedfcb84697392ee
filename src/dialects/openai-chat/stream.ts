import { fieldsOf } from "../../core/text/json.ts";
import { objectsIn, type WireObject } from "../wire.ts";

/** The whole completion that the chunks of a stream tell, as far as they go; a whole one as it is. */
export function wholeCompletion(chunks: readonly WireObject[]): WireObject {
  let whole: WireObject = {};
  let finish: unknown = null;
  const message: Record<string, unknown> = { role: "assistant" };
  const calls: Record<string, unknown>[] = [];
  for (const chunk of chunks) {
    const [choice = {}] = objectsIn(chunk["choices"]);
    whole = { ...whole, ...filled(chunk) };
    finish = choice["finish_reason"] ?? finish;
    const { tool_calls, role: _, ...said } = fieldsOf(choice["message"] ?? choice["delta"]);
    objectsIn(tool_calls).forEach((piece, at) => addCall(calls, piece, at));
    for (const [field, value] of Object.entries(filled(said))) {
      message[field] = joined(message[field], value);
    }
  }
  if (calls.length > 0) message["tool_calls"] = objectsIn(calls);
  return { ...whole, choices: [{ index: 0, message, finish_reason: finish }] };
}

function filled(fields: WireObject): WireObject {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null));
}

function joined(before: unknown, value: unknown): unknown {
  if (typeof value === "string") return textOf(before) + value;
  return Array.isArray(before) && Array.isArray(value)
    ? [...(before as unknown[]), ...(value as unknown[])]
    : value;
}

/** A piece of a call, which has its name and id in the first one; `place` is that in its chunk. */
function addCall(
  calls: Record<string, unknown>[],
  { index, ...piece }: WireObject,
  place: number,
): void {
  const at = Number(index ?? place);
  const { function: before, ...known } = calls[at] ?? {};
  const { function: called, ...rest } = piece;
  const { name, arguments: text } = fieldsOf(before);
  const { name: newName, arguments: more } = fieldsOf(called);
  const whole = { name: newName ?? name, arguments: textOf(text) + textOf(more) };
  calls[at] = { ...known, ...filled(rest), function: whole };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}

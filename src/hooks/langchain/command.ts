import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";

/**
 * What a tool returned, with `change` made to its messages: a tool message, or a LangGraph `Command`
 * that brings some into the state. Anything else comes back as it is, and so does what stays the
 * same.
 */
export async function withToolMessages<Result>(
  result: Result,
  change: (message: LangChainMessage) => Promise<LangChainMessage>,
): Promise<Result> {
  if (isToolMessage(result)) return (await change(result)) as Result & LangChainMessage;
  if (!isWireObject(result) || result["lg_name"] !== "Command") return result;
  const { update } = result;
  if (!isWireObject(update) || !Array.isArray(update["messages"])) return result;
  const before: readonly unknown[] = update["messages"];
  const messages = await Promise.all(
    before.map((message) => (isToolMessage(message) ? change(message) : message)),
  );
  if (messages.every((message, at) => message === before[at])) return result;
  const prototype = Object.getPrototypeOf(result) as object;
  const copy = Object.create(prototype, Object.getOwnPropertyDescriptors(result)) as object;
  return Object.assign(copy, { update: { ...update, messages } }) as object as Result;
}

function isToolMessage(value: unknown): value is LangChainMessage {
  return isWireObject(value) && value["type"] === "tool" && "tool_call_id" in value;
}

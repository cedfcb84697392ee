import type { Message, ToolCallPart } from "./message.ts";

/**
 * The smallest piece that may be moved or dropped as a whole: a step (an assistant message and the
 * results of its calls) or a single other message. `to` is exclusive.
 */
export interface Unit {
  readonly type: "step" | "message";
  readonly from: number;
  readonly to: number;
}

/** Cuts a conversation into units, in order, without gaps. */
export function splitUnits(messages: readonly Message[]): Unit[] {
  const units: Unit[] = [];
  let from = 0;
  while (from < messages.length) {
    let to = from + 1;
    const isStep = messages[from]?.role === "assistant";
    if (isStep) while (messages[to]?.role === "tool") to++;
    units.push({ type: isStep ? "step" : "message", from, to });
    from = to;
  }
  return units;
}

/** Whether a message starts a turn: the person typed it. */
export function startsTurn(message: Message): boolean {
  return message.role === "user" && message.kind === undefined;
}

/** The indices at which turns start, oldest first. */
export function turnStarts(messages: readonly Message[]): number[] {
  const starts: number[] = [];
  messages.forEach((message, index) => {
    if (startsTurn(message)) starts.push(index);
  });
  return starts;
}

/** How many system messages stand at the very beginning; a summary is none of them. */
export function leadingSystemCount(messages: readonly Message[]): number {
  let count = 0;
  while (messages[count]?.role === "system" && messages[count]?.kind !== "summary") count++;
  return count;
}

export function toolCalls(message: Message): ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}

import type { Message, Part, ToolCallPart } from "./message.ts";

/**
 * The smallest piece that may be moved or dropped as a whole: a step (an assistant message and the
 * results of its calls) or a single other message. Linked opaque parts and all that lies
 * between them are one, which counts as a step. `to` is exclusive.
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
  return joinLinked(units, messages);
}

function joinLinked(units: Unit[], messages: readonly Message[]): Unit[] {
  if (linksIn(messages, { from: 0, to: messages.length }).length === 0) return units;
  const starts = new Map<string, number>();
  const joined: Unit[] = [];
  for (const unit of units) {
    let { from } = unit;
    for (const link of linksIn(messages, unit)) {
      from = Math.min(from, starts.get(link) ?? from);
      if (!starts.has(link)) starts.set(link, unit.from);
    }
    let start = unit.from;
    while (start > from) start = joined.pop()?.from ?? from;
    joined.push(start === unit.from ? unit : { type: "step", from: start, to: unit.to });
  }
  return joined;
}

function linksIn(messages: readonly Message[], { from, to }: Omit<Unit, "type">): string[] {
  const links: string[] = [];
  for (let index = from; index < to; index++) {
    for (const part of messages[index]?.parts ?? []) {
      if (part.type === "opaque" && part.link !== undefined) links.push(part.link);
    }
  }
  return links;
}

/** True of a message that starts a turn: the person typed it. */
export function startsTurn(message: Message): boolean {
  return message.role === "user" && message.kind === undefined;
}

/** The index at which the turn starts that is the last but `turns - 1`; `undefined` with fewer turns. */
export function turnStart(messages: readonly Message[], turns: number): number | undefined {
  let left = turns;
  const index = messages.findLastIndex((message) => startsTurn(message) && --left <= 0);
  return index < 0 ? undefined : index;
}

/** System messages at the very beginning; a summary is none of them. */
export function leadingSystemCount(messages: readonly Message[]): number {
  let count = 0;
  while (messages[count]?.role === "system" && messages[count]?.kind !== "summary") count++;
  return count;
}

/** A summary in a form that only its provider can read, e.g. a `compaction` item of OpenAI. */
export function isSealedSummary({ kind, parts }: Message): boolean {
  return kind === "summary" && parts.length > 0 && parts.every(({ type }) => type === "opaque");
}

export function toolCalls(message: Message): ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}

/** The pending calls that have no result in their step yet. */
export function waitingCalls(messages: readonly Message[]): ReadonlySet<ToolCallPart> {
  const waiting = new Set<ToolCallPart>();
  let step: readonly ToolCallPart[] = [];
  for (const message of messages) {
    if (message.role !== "tool") {
      step = message.parts.filter(isPendingCall);
      for (const part of step) waiting.add(part);
    }
    if (step.length === 0) continue;
    const results = message.parts.filter((part) => part.type === "tool-result");
    const answered = new Set(results.map(({ toolCallId }) => toolCallId));
    for (const part of step) if (answered.has(part.toolCallId)) waiting.delete(part);
  }
  return waiting;
}

function isPendingCall(part: Part): part is ToolCallPart {
  return part.type === "tool-call" && part.pending === true;
}

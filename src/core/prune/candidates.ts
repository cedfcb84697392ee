import { type CallFacts, changesFiles, describeCall } from "../calls/index.ts";
import {
  isPruned,
  type Message,
  type ToolCallPart,
  type ToolResultPart,
  waitingCalls,
} from "../message/index.ts";
import type { PruneContext } from "./options.ts";
import { DEFAULT_PROTECTED_TOOLS, isProtectedBy } from "./protection.ts";
import { findRepeats } from "./repeats.ts";

/** A large field of a call's input is worth pruning from this many characters on. */
export const LARGE_INPUT_UNITS = 400;

/** A tool result and its call, as a candidate. */
export interface Candidate {
  readonly message: number;
  readonly part: number;
  readonly result?: ToolResultPart;
  readonly call: ToolCallPart;
  readonly facts: CallFacts;
  /** What goes first: 0 repeated, 1 old outputs, 2 large inputs, 3 failed outputs. */
  readonly rank: 0 | 1 | 2 | 3;
  readonly reason: "pruned" | "superseded" | "duplicate";
}

/** What may be pruned before a boundary, in the order in which it goes. */
export function candidates(
  messages: readonly Message[],
  boundary: number,
  context: PruneContext,
): Candidate[] {
  const isProtected = isProtectedBy(context.options?.protectedTools ?? DEFAULT_PROTECTED_TOOLS);
  const repeats = findRepeats(messages, context.toolKinds);
  const waiting = waitingCalls(messages);
  const calls = new Map<string, ToolCallPart>();
  const found: Candidate[] = [];
  for (let message = 0; message < boundary; message++) {
    messages[message]?.parts.forEach((piece, part) => {
      if (piece.type === "tool-call") {
        calls.set(piece.toolCallId, piece);
        const facts = describeCall(piece, context.toolKinds);
        const isOpen = waiting.has(piece) || isProtected(piece.toolName, piece);
        if (hasLargeInput(piece, facts) && !isOpen)
          found.push({ message, part, call: piece, facts, rank: 2, reason: "pruned" });
      } else if (piece.type === "tool-result" && !isPruned(piece)) {
        const call = calls.get(piece.toolCallId) ?? unknownCall(piece);
        if (isProtected(piece.toolName, call)) return;
        const facts = describeCall(call, context.toolKinds);
        const repeat = repeats.get(piece);
        const rank = repeat !== undefined ? 0 : isFailed(piece) ? 3 : 1;
        found.push({ message, part, result: piece, call, facts, rank, reason: repeat ?? "pruned" });
      }
    });
  }
  // The sort is stable, so that within a rank the oldest goes first.
  return found.sort((a, b) => a.rank - b.rank);
}

/** Whether a call carries the content of files: in fields, or as one free text (a patch). */
function hasLargeInput(call: ToolCallPart, facts: CallFacts): boolean {
  if (typeof call.input !== "string") return facts.largeInput.length > 0;
  return changesFiles(facts.kind) && call.input.length >= LARGE_INPUT_UNITS;
}

/** Whether a call failed, as its result says. */
export function isFailed({ isError, exitCode = 0 }: ToolResultPart): boolean {
  return isError === true || exitCode !== 0;
}

function unknownCall(result: ToolResultPart): ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: result.toolCallId,
    toolName: result.toolName,
    input: {},
  };
}

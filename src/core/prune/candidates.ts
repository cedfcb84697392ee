import { changesFiles, describeCall, type CallFacts } from "../calls/describe-call.ts";
import { coversRead, type FileAccess } from "../calls/file-access.ts";
import { isPruned } from "../message/edit.ts";
import {
  outputText,
  type Message,
  type ToolCallPart,
  type ToolResultPart,
} from "../message/message.ts";
import { waitingCalls } from "../message/structure.ts";
import { protection, type PruneContext } from "./protection.ts";
import type { ToolKinds } from "../calls/index.ts";

/** A large field of a call's input is worth pruning from this many characters on. */
export const LARGE_INPUT_UNITS = 400;

/** A tool result and its call, as a candidate. */
export interface Candidate {
  readonly message: number;
  readonly part: number;
  readonly result?: ToolResultPart;
  readonly call: ToolCallPart;
  readonly facts: CallFacts;
  /** The order: 0 repeated, 1 old outputs, 2 large inputs, 3 failed outputs. */
  readonly rank: 0 | 1 | 2 | 3;
  readonly reason: "pruned" | "superseded" | "duplicate";
}

/** The pieces before a boundary that may be pruned, in the order in which they go. */
export function candidates(
  messages: readonly Message[],
  boundary: number,
  context: PruneContext,
): Candidate[] {
  const isProtected = protection(context.protectedTools);
  const repeats = findRepeats(messages, context.toolKinds);
  const waiting = waitingCalls(messages);
  const calls = new Map<string, ToolCallPart>();
  const found: Candidate[] = [];
  for (let message = 0; message < boundary; message++) {
    messages[message]?.parts.forEach((piece, part) => {
      if (piece.type === "tool-call") {
        calls.set(piece.toolCallId, piece);
        const facts = describeCall(piece, context.toolKinds);
        const isOpen = waiting.has(piece) || isProtected(piece, facts);
        if (hasLargeInput(piece, facts) && !isOpen)
          found.push({ message, part, call: piece, facts, rank: 2, reason: "pruned" });
      } else if (piece.type === "tool-result" && !isPruned(piece)) {
        const call = calls.get(piece.toolCallId) ?? unknownCall(piece);
        const facts = describeCall(call, context.toolKinds);
        if (isProtected(call, facts)) return;
        const repeat = repeats.get(piece);
        const rank = repeat !== undefined ? 0 : isFailed(piece) ? 3 : 1;
        found.push({ message, part, result: piece, call, facts, rank, reason: repeat ?? "pruned" });
      }
    });
  }
  // The sort is stable, so that within a rank the oldest goes first.
  return found.sort((a, b) => a.rank - b.rank);
}

/** True of a call that carries the content of files: in fields, or as one free text (a patch). */
function hasLargeInput(call: ToolCallPart, facts: CallFacts): boolean {
  if (typeof call.input !== "string") return facts.largeInput.length > 0;
  return changesFiles(facts.kind) && call.input.length >= LARGE_INPUT_UNITS;
}

/** The agent's own word for it, not the output's. */
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

/** Why a later result makes an earlier one needless. */
type Repeats = ReadonlyMap<ToolResultPart, "superseded" | "duplicate">;

interface Read {
  readonly result: ToolResultPart;
  readonly file: FileAccess;
}

/**
 * Results that say nothing which a later one does not say: a read of a file that was read again,
 * whole or at least as much of it, and an output that comes again word for word. Failed outputs and
 * pruned ones are left out.
 */
function findRepeats(messages: readonly Message[], toolKinds: ToolKinds | undefined): Repeats {
  const repeats = new Map<ToolResultPart, "superseded" | "duplicate">();
  const byText = new Map<string, ToolResultPart>();
  const newestReads = new Map<string, Read>();
  for (const { result, facts } of wholeResults(messages, toolKinds)) {
    const text = outputText(result.output);
    const same = byText.get(text);
    if (same !== undefined) repeats.set(same, "duplicate");
    byText.set(text, result);
    const file = fileRead(facts);
    if (file === undefined) continue;
    const earlier = newestReads.get(file.path);
    const isCovered = earlier !== undefined && coversRead(file, earlier.file);
    if (isCovered && !repeats.has(earlier.result)) repeats.set(earlier.result, "superseded");
    if (isCovered || earlier === undefined) newestReads.set(file.path, { result, file });
  }
  return repeats;
}

interface WholeResult {
  readonly result: ToolResultPart;
  readonly facts: CallFacts | undefined;
}

function wholeResults(
  messages: readonly Message[],
  toolKinds: ToolKinds | undefined,
): WholeResult[] {
  const calls = new Map<string, CallFacts>();
  const results: WholeResult[] = [];
  for (const part of messages.flatMap((message) => message.parts)) {
    if (part.type === "tool-call") calls.set(part.toolCallId, describeCall(part, toolKinds));
    if (part.type !== "tool-result" || part.isError === true || isPruned(part)) continue;
    results.push({ result: part, facts: calls.get(part.toolCallId) });
  }
  return results;
}

/** The file of a call that reads exactly one. */
function fileRead(facts: CallFacts | undefined): FileAccess | undefined {
  return facts?.kind === "read" && facts.files.length === 1 ? facts.files[0] : undefined;
}

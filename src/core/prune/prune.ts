import { type Edit, isPruned, originalHandle } from "../edit/index.ts";
import type { Digest, Handle } from "../handle/index.ts";
import {
  inputText,
  type Message,
  outputText,
  type ToolCallPart,
  type ToolResultPart,
  waitingCalls,
} from "../message/index.ts";
import { type MessageMeter, partTokens, type TokenCounter } from "../tokens/index.ts";
import { type CallFacts, changesFiles, describeCall, type ToolKinds } from "../tools/index.ts";
import { pruneBoundary } from "./boundary.ts";
import { inputPlaceholder, placeholder } from "./placeholder.ts";
import { findRepeats } from "./repeats.ts";
import { DEFAULT_PROTECTED_TOOLS, isProtectedBy, type ProtectedTools } from "./protection.ts";

/** The original's minimum saving, in tokens; less does not pay for the prompt cache it breaks. */
const DEFAULT_MINIMUM_SAVING = 20_000;
/** On small windows the minimum is this share of the window. */
const MINIMUM_SAVING_SHARE = 0.1;
/** A large field of a call's input is worth pruning from this many characters on. */
const LARGE_INPUT_UNITS = 400;

export interface PruneOptions {
  /** @default ["skill"] */
  readonly protectedTools?: ProtectedTools;
  /** Tokens. @default 20000, or 10 % of the window if that is less */
  readonly minimumSaving?: number;
  /** Tokens of newest steps protected where user turns give no boundary. @default 40000 */
  readonly protectedTokens?: number;
}

/** What pruning needs to know; token figures are the meter's. */
export interface PruneContext {
  readonly options?: PruneOptions | undefined;
  readonly window: number;
  readonly usable: number;
  /** How many tokens have to go; pruning stops once they are gone. */
  readonly excess: number;
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  readonly digest: Digest;
  readonly toolKinds?: ToolKinds | undefined;
  /** For `time.compacted`, in ms since the epoch. */
  readonly now: number;
}

/** One pruned piece: the edit, and what it brings back. */
export interface PrunedPiece {
  readonly edit: Edit;
  readonly tool: string;
  /** Tokens saved. */
  readonly saving: number;
}

/** A tool result and its call, as a candidate. */
interface Candidate {
  readonly message: number;
  readonly part: number;
  readonly result?: ToolResultPart;
  readonly call: ToolCallPart;
  readonly facts: CallFacts;
  /** What goes first: 0 repeated, 1 old outputs, 2 large inputs, 3 failed outputs. */
  readonly rank: 0 | 1 | 2 | 3;
  readonly reason: "pruned" | "superseded" | "duplicate";
}

/**
 * Chooses what to prune (T9): repeated outputs first, then old outputs from the oldest on, then the
 * large inputs of old write and edit calls, then failed outputs. Returns nothing when less than the
 * minimum saving would come back. The edits are sorted by place; pruned pieces are left alone, so
 * pruning twice changes nothing.
 */
export function planPrune(messages: readonly Message[], context: PruneContext): PrunedPiece[] {
  const boundary = boundaryOf(messages, context);
  const chosen: PrunedPiece[] = [];
  let saved = 0;
  for (const candidate of candidates(messages, boundary, context)) {
    if (saved >= context.excess) break;
    const piece = prunedPiece(candidate, context);
    if (piece === undefined) continue;
    chosen.push(piece);
    saved += piece.saving;
  }
  if (saved < minimumSaving(context)) return [];
  return chosen.sort((a, b) => a.edit.message - b.edit.message || a.edit.part - b.edit.part);
}

/**
 * More than pruning can bring back, in tokens: all that the messages with tool calls and results
 * before the boundary hold. It needs nothing but what the meter remembers.
 */
export function prunableTokens(messages: readonly Message[], context: PruneContext): number {
  const prunable = messages
    .slice(0, boundaryOf(messages, context))
    .filter(({ parts }) =>
      parts.some(({ type }) => type === "tool-call" || type === "tool-result"),
    );
  return context.meter.total(prunable);
}

function boundaryOf(
  messages: readonly Message[],
  { meter, usable, options }: PruneContext,
): number {
  const protectedTokens = options?.protectedTokens;
  return pruneBoundary(messages, {
    meter,
    usable,
    ...(protectedTokens !== undefined && { protectedTokens }),
  });
}

function minimumSaving({ options, window }: PruneContext): number {
  return (
    options?.minimumSaving ??
    Math.min(DEFAULT_MINIMUM_SAVING, Math.floor(window * MINIMUM_SAVING_SHARE))
  );
}

function candidates(
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

function isFailed({ isError, exitCode = 0 }: ToolResultPart): boolean {
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

function prunedPiece(candidate: Candidate, context: PruneContext): PrunedPiece | undefined {
  return candidate.result === undefined
    ? prunedInput(candidate, context)
    : prunedOutput(candidate, candidate.result, context);
}

function prunedOutput(
  { message, part, call, facts, reason }: Candidate,
  result: ToolResultPart,
  { counter, digest, now }: PruneContext,
): PrunedPiece | undefined {
  const before = partTokens(result, counter);
  const handle = originalHandle(result, digest);
  const text = placeholder({
    tool: call.toolName || result.toolName,
    input: facts.subject,
    text: outputText(result.output),
    tokens: before,
    isFailed: isFailed(result),
    exitCode: result.exitCode,
    reason,
    handle,
  });
  const after = partTokens({ ...result, output: [{ type: "text", text }] }, counter);
  if (after >= before) return undefined;
  const edit: Edit = { type: "replace-output", message, part, reason, handle, text, at: now };
  return { edit, tool: call.toolName || result.toolName, saving: before - after };
}

function prunedInput(
  { message, part, call, facts }: Candidate,
  { counter, digest }: PruneContext,
): PrunedPiece | undefined {
  const handle = originalHandle(call, digest);
  const input = smallInput(call.input, facts.largeInput, handle);
  const saving = partTokens(call, counter) - partTokens({ ...call, input }, counter);
  if (saving <= 0) return undefined;
  const edit: Edit = { type: "replace-input", message, part, reason: "pruned", handle, input };
  return { edit, tool: call.toolName, saving };
}

function smallInput(input: unknown, largeFields: readonly string[], handle: Handle): unknown {
  if (typeof input === "string") return inputPlaceholder(input, handle);
  const small: Record<string, unknown> = { ...(input as Record<string, unknown>) };
  for (const name of largeFields) {
    const text = inputText(small[name]);
    if (text.length >= LARGE_INPUT_UNITS) small[name] = inputPlaceholder(text, handle);
  }
  return small;
}

import type { MessageMeter } from "../tokens/index.ts";
import { inputText, outputText, type Message, type ToolResultPart } from "../message/message.ts";
import type { Handle } from "../message/handle.ts";
import { originalHandle } from "../message/original.ts";
import { partTokens } from "../tokens/count.ts";
import { type Candidate, candidates, isFailed, LARGE_INPUT_UNITS } from "./candidates.ts";
import { inputPlaceholder, placeholder } from "./placeholder.ts";
import { splitUnits, turnStarts } from "../message/structure.ts";
import type { PruneContext } from "./protection.ts";
import type { Edit } from "../message/index.ts";

/** One pruned piece: the edit, and what it brings back. */
export interface PrunedPiece {
  readonly edit: Edit;
  readonly tool: string;
  /** Tokens saved. */
  readonly saving: number;
}

/**
 * Chooses what to prune (T9): repeated outputs first, then old outputs from the oldest on, then the
 * large inputs of old write and edit calls, then failed outputs. Returns nothing when less than the
 * minimum saving would come back. The edits are sorted by place; pruned pieces are left alone, so
 * pruning twice changes nothing.
 */
export function planPrune(messages: readonly Message[], context: PruneContext): PrunedPiece[] {
  const boundary = pruneBoundary(messages, context);
  const chosen: PrunedPiece[] = [];
  let saved = 0;
  for (const candidate of candidates(messages, boundary, context)) {
    if (saved >= context.excess) break;
    const piece = prunedPiece(candidate, context);
    if (piece === undefined) continue;
    chosen.push(piece);
    saved += piece.saving;
  }
  // Less does not pay for the prompt cache it breaks.
  if (saved < context.budget.minimumSaving) return [];
  return chosen.sort((a, b) => a.edit.message - b.edit.message || a.edit.part - b.edit.part);
}

/**
 * More than pruning can bring back, in tokens: all that the messages with tool calls and results
 * before the boundary hold. It needs nothing but what the meter remembers.
 */
export function prunableTokens(messages: readonly Message[], context: PruneContext): number {
  const prunable = messages
    .slice(0, pruneBoundary(messages, context))
    .filter(({ parts }) =>
      parts.some(({ type }) => type === "tool-call" || type === "tool-result"),
    );
  return context.meter.total(prunable);
}

/** The edit that prunes a candidate; `undefined` where its placeholder would not be smaller. */
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

/**
 * The index before which tool outputs may be pruned (T9): the start of the second-last user turn.
 * With fewer turns than are protected, or when what they protect would overflow by itself, the
 * newest steps are protected instead, so that one long autonomous turn can be pruned.
 */
export function pruneBoundary(
  messages: readonly Message[],
  { meter, budget }: Pick<PruneContext, "meter" | "budget">,
): number {
  const { protectedTurns, usable, recent } = budget;
  const byTurn = protectedTurns > 0 ? turnStarts(messages).at(-protectedTurns) : undefined;
  if (byTurn !== undefined && meter.total(messages.slice(byTurn)) < usable) return byTurn;
  return newestHolding(messages, recent, meter);
}

function newestHolding(messages: readonly Message[], keep: number, meter: MessageMeter): number {
  const units = splitUnits(messages);
  let held = 0;
  for (let index = units.length - 1; index >= 0; index--) {
    const unit = units[index];
    if (unit === undefined) break;
    held += meter.total(messages.slice(unit.from, unit.to));
    if (held >= keep) return unit.from;
  }
  return 0;
}

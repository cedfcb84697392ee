import type { Message } from "../message/index.ts";
import { pruneBoundary } from "./boundary.ts";
import { candidates } from "./candidates.ts";
import type { PruneContext } from "./options.ts";
import { type PrunedPiece, prunedPiece } from "./pruned-piece.ts";

/** The original's minimum saving, in tokens; less does not pay for the prompt cache it breaks. */
const DEFAULT_MINIMUM_SAVING = 20_000;
/** On small windows the minimum is this share of the window. */
const MINIMUM_SAVING_SHARE = 0.1;

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

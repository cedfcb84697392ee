import { sha256Hex } from "../../archive/index.ts";
import { repairMessages } from "../../core/message/index.ts";
import type { ContextBudget } from "../../core/overflow/index.ts";
import { planPrune } from "../../core/prune/index.ts";
import { estimator } from "../../core/tokens/estimator.ts";
import { createMessageMeter } from "../../core/tokens/index.ts";
import type { Conversation } from "../../transcripts/index.ts";

/** What kind of piece pruning would take. */
export type PrunableKind = "duplicate" | "superseded" | "old output" | "old input";

export interface PrunablePieces {
  readonly kind: PrunableKind;
  readonly pieces: number;
  /** Tokens that would come back. */
  readonly tokens: number;
}

const KINDS: readonly PrunableKind[] = ["duplicate", "superseded", "old output", "old input"];

/**
 * What pruning alone (T9) would bring back if everything that may go went, by kind.
 * @param scale The provider's tokens for one estimated token.
 */
export function prunablePieces(
  { messages }: Conversation,
  { window, usable }: ContextBudget,
  scale: number,
): PrunablePieces[] {
  const pruned = planPrune(repairMessages(messages).messages, {
    options: { minimumSaving: 0 },
    window,
    usable,
    excess: Infinity,
    counter: estimator,
    meter: createMessageMeter(estimator),
    digest: sha256Hex,
    now: 0,
  });
  const kinds = pruned.map(({ edit, saving }) => {
    const isRepeat = edit.reason === "duplicate" || edit.reason === "superseded";
    const old = edit.type === "replace-input" ? "old input" : "old output";
    return { kind: isRepeat ? edit.reason : old, saving };
  });
  return KINDS.map((kind) => {
    const own = kinds.filter((piece) => piece.kind === kind);
    const saved = own.reduce((total, piece) => total + piece.saving, 0);
    return { kind, pieces: own.length, tokens: Math.round(saved * scale) };
  }).filter(({ pieces }) => pieces > 0);
}

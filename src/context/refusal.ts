import type { Emitter } from "./events.ts";
import type { Prepared } from "./report.ts";
import type { ContextBudget } from "../core/overflow/budget.ts";
import { type ProviderOverflow, recogniseOverflow } from "../core/overflow/provider-error.ts";
import { unreachableMedia } from "../core/overflow/unreachable-media.ts";

/** Why a provider refused a request, where another one may pass: at most one of both. */
export interface Refusal {
  readonly overflow?: ProviderOverflow;
  /** What it says about a link that it could not load. */
  readonly unreachable?: string;
}

export function recogniseRefusal(
  refused: unknown,
  { isWindowKnown, window }: ContextBudget,
): Refusal {
  const overflow = recogniseOverflow(refused, isWindowKnown ? window : undefined);
  return overflow === undefined ? { unreachable: unreachableMedia(refused) } : { overflow };
}

/** What to send instead of what was refused: nothing where only failures came of it, which are told. */
export function unlessFailed(
  prepared: Prepared | undefined,
  events: Emitter,
): Prepared | undefined {
  const failed = prepared?.report.action === "none" ? prepared.report.failures : [];
  for (const failure of failed) events.emit("failed", failure);
  return failed.length > 0 ? undefined : prepared;
}

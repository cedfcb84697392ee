import { type DialectTraits, NEUTRAL_TRAITS, type PlanOptions } from "../../core/plan/index.ts";
import { ESTIMATE_MARGIN } from "../../core/overflow/index.ts";
import { isEstimator } from "../../core/tokens/index.ts";
import type { Session } from "../session.ts";
import type { View } from "../view/view.ts";

/** What the planner needs; the provider's figures become the counter's. */
export function planOptions(session: Session, view: View): PlanOptions {
  const { budget, counter, meter, beside, options } = session;
  const scaled = (tokens: number): number => Math.floor(session.usage.estimated(tokens));
  return {
    budget: { ...budget, usable: scaled(budget.usable), target: scaled(budget.target) },
    counter,
    meter,
    digest: session.digest,
    now: view.startedAt,
    fixedTokens: beside.tokens,
    usedTokens: usedTokens(session, view, scaled),
    requestLimits: options.requestLimits,
    traits: traitsOf(session),
    prune: options,
    toolKinds: options.toolKinds,
    continuation: options.continuation,
    unansweredMedia: options.unansweredMedia,
  };
}

/**
 * What was reported, with the margin of what is newer; an estimate is better made anew than taken
 * from the running sum.
 */
function usedTokens(
  { counter }: Session,
  { measured }: View,
  scaled: (tokens: number) => number,
): number | undefined {
  if (measured.source === "estimated") return undefined;
  const margin = isEstimator(counter) ? measured.estimatedPart * ESTIMATE_MARGIN : 0;
  return scaled(measured.tokens + margin);
}

function traitsOf({ beside, options }: Session): DialectTraits | undefined {
  const { boundReasoning } = beside;
  if (boundReasoning === undefined) return options.traits;
  return { ...(options.traits ?? NEUTRAL_TRAITS), boundReasoning };
}

import { NEUTRAL_TRAITS, type PlanOptions, type PlanTraits } from "../core/plan/index.ts";
import type { Session } from "./session.ts";
import type { View } from "./view.ts";

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
    // An estimate is better made anew than taken from the running sum.
    usedTokens: view.measured.source === "reported" ? scaled(view.measured.tokens) : undefined,
    limits: options.limits,
    traits: traitsOf(session),
    prune: options,
    toolKinds: options.toolKinds,
    continuation: options.continuation,
    unansweredMedia: options.unansweredMedia,
  };
}

function traitsOf({ beside, options }: Session): PlanTraits | undefined {
  const { boundReasoning } = beside;
  if (boundReasoning === undefined) return options.traits;
  return { ...(options.traits ?? NEUTRAL_TRAITS), boundReasoning };
}

import { isContextError } from "../../core/error.ts";
import { leadingSystemCount } from "../../core/message/index.ts";
import { planContext } from "../../core/plan/index.ts";
import { summaryCap } from "../../core/summary/index.ts";
import { hasWorkedSince } from "./model-summary-for.ts";
import { planOptions } from "../edit/plan-options.ts";
import type { Session } from "../session.ts";
import { startSummary } from "./summary-task.ts";
import type { View } from "../view/view.ts";

/** After a plan that needs no summary, so much of usable must come before the next look. */
const NEXT_LOOK = 0.03;

/** Starts a summary while the agent works, when the window is getting full; never throws. */
export function prepareAhead(session: Session, view: View): void {
  const { ahead, budget, aheadShare, summarizer, breaker } = session;
  const { tokens } = view.measured;
  if (summarizer === undefined || ahead.isUnderWay || !breaker.allows) return;
  if (!hasWorkedSince(session, view)) return;
  const isDue = tokens >= session.overflowLimit(view.measured) * aheadShare;
  if (!isDue || !ahead.isTimeToLook(tokens, budget.usable * NEXT_LOOK)) return;
  const { messages } = view;
  if (session.groundwork.booksOf(view).check.issues().length > 0) return;
  const tailStart = wouldStartTail(session, view);
  if (tailStart === undefined) return;
  const stretch = {
    messages,
    system: leadingSystemCount(messages),
    tailStart,
    cap: summaryCap(planOptions(session, view).budget.usable),
  };
  ahead.begin(stretch, (signal) => startSummary(session, stretch, { signal }));
}

/** Where the tail would start if the window were full now; `undefined` if no summary were needed. */
function wouldStartTail(session: Session, view: View): number | undefined {
  const options = planOptions(session, view);
  try {
    const plan = planContext(view.messages, { ...options, usedTokens: options.budget.usable });
    return plan.compaction?.tailStart;
  } catch (error) {
    // What cannot be compacted now is said when it must be.
    if (isContextError(error)) return undefined;
    throw error;
  }
}

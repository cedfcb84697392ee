import type { Message } from "../../core/message/index.ts";
import type { Session } from "../session.ts";
import type { Measured } from "./usage.ts";

/** The conversation as it stands before a request, and how full the window is. */
export interface View {
  /** What stands for the consumed part of the history. */
  readonly base: readonly Message[];
  /** What came since the last edit. */
  readonly fresh: readonly Message[];
  /** Both together. */
  readonly messages: readonly Message[];
  readonly measured: Measured;
  readonly warnings: readonly string[];
  /** When this call began, in ms since the epoch. */
  readonly startedAt: number;
}

/** Replays the journal on the caller's list and measures the result. */
export function viewOf(session: Session, input: readonly Message[]): View {
  const startedAt = session.now();
  const { base, fresh, dropped } = session.tracker.recognise(input);
  const messages = base.length === 0 ? fresh : [...base, ...fresh];
  session.groundwork.follow({ base, messages });
  // What was reported for a request with edits says nothing about one without them.
  const since = dropped > 0 ? messages.length : base.length;
  const measured = session.usage.measure(messages, since);
  const warnings: string[] = [];
  if (dropped > 0) warnings.push(`the history changed; ${dropped} earlier edits no longer apply`);
  if (!session.budget.isWindowKnown) {
    warnings.push(`the model's window is not known; ${session.budget.window} tokens are assumed`);
  }
  const view = { base, fresh, messages, measured, warnings, startedAt };
  const refilled = session.refill.check(session, view);
  return refilled === undefined ? view : { ...view, warnings: [...warnings, refilled] };
}

import { applyPlan } from "../core/plan/apply-plan.ts";
import { movedPlan, type ContextPlan } from "../core/plan/plan.ts";
import { requestTokens } from "../core/plan/size.ts";
import type { Chain } from "./chain.ts";
import type { History } from "./history.ts";
import type { JournalRecord } from "./journal.ts";
import type { Gauge, ProviderTokens } from "./measure.ts";
import type { View } from "./report.ts";
import type { RecordedSummary } from "./write-summary.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { Message } from "../core/message/index.ts";

/** What a record may rest on. */
export interface Recordable {
  /** How many messages at the end of the list it leaves to the next one. */
  readonly end: number;
  /** The facts of the messages that it consumes. */
  readonly facts: Ledger;
}

/** What was decided about a view, and what it is made of. */
export interface Decided extends Recordable {
  /** The legal list of the view, for which the plan was made. */
  readonly messages: readonly Message[];
  /** How many of them are the leading system messages of the view. */
  readonly lead: number;
  readonly plan: ContextPlan;
  /** What fulfils the plan's request for a summary. */
  readonly summary: RecordedSummary;
}

/** An edit: its record and the messages after it. */
export interface Edited {
  readonly record: JournalRecord;
  readonly messages: readonly Message[];
  /** What stands for the consumed messages, without leading system messages. */
  readonly base: readonly Message[];
}

/** Applies a plan to the newest view of a history, and makes the journal's record of it. */
export function makeRecord(
  view: View,
  { messages: legal, lead, plan: whole, end, facts, summary }: Decided,
  {
    history,
    chain,
    tokens,
    gauge,
  }: {
    readonly history: Pick<History, "keyOf">;
    readonly chain: Chain;
    readonly tokens: ProviderTokens;
    readonly gauge: Pick<Gauge, "window">;
  },
): Edited {
  const plan = { ...whole, length: whole.length - end };
  const written = summary.summary === undefined ? undefined : { summary: summary.summary };
  const messages = applyPlan(legal, plan, written);
  const base = messages.slice(lead, messages.length - end);
  const record: JournalRecord = {
    version: 2,
    at: view.startedAt,
    plan: movedPlan(plan, -lead),
    before: history.keyOf(view.messages.length - view.lead - end),
    after: { key: chain.keyOf(base), length: base.length },
    follows: view.records.at(-1)?.after.key,
    consumed: consumedBefore(view, end),
    ...summary,
    facts,
    tokens: {
      before: view.measured.tokens,
      after: requestTokens(messages, tokens),
    },
    window: gauge.window.learned(),
  };
  return { record, messages, base };
}

/** How many messages of the history come before so many at its end. */
function consumedBefore({ consumed, fresh }: View, end: number): number {
  return consumed + fresh.length - end;
}

/**
 * How much of a view a record and its summary may speak of. What was said after the newest step
 * stands in the list itself; the next request may have it in other words, or not at all.
 */
export function recordable(
  facts: Ledger,
  view: View,
  legal: readonly Message[],
  plan: ContextPlan,
): Recordable {
  const end = untouchedEnd(view.fresh, legal, plan);
  const consumed = consumedBefore(view, end);
  const instructions = facts.instructions.filter(({ at }) => at < consumed);
  return { end, facts: { ...facts, instructions } };
}

/**
 * How many messages at the end of a view a plan leaves alone: what was said after the newest step.
 * Agents put reminders there that are gone in the next request, so no record may rest on them; what
 * stays is new to the next one.
 */
function untouchedEnd(
  fresh: readonly Message[],
  legal: readonly Message[],
  { edits, compaction }: ContextPlan,
): number {
  if (compaction?.continuation !== undefined) return 0;
  const touched = Math.max(
    ...edits.map(({ message }) => message),
    compaction?.hadMedia ?? -1,
    (compaction?.tailStart ?? 0) - 1,
  );
  // A history is recognised by what was consumed of it.
  const most = Math.min(legal.length - 1 - touched, fresh.length - 1);
  let count = 0;
  while (count < most && isSaid(legal.at(-1 - count), fresh.at(-1 - count))) count++;
  return count;
}

function isSaid(message: Message | undefined, given: Message | undefined): boolean {
  return message === given && (message?.role === "user" || message?.role === "system");
}

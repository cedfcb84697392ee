import { sha256Hex } from "../../archive/digest.ts";
import { type Ledger, mergeLedgers } from "../../core/ledger/index.ts";
import type { Message } from "../../core/message/index.ts";
import type { ArchivedPlan, EditOptions } from "./edit-view.ts";
import { fingerprint, listDigest } from "../journal/fingerprint.ts";
import { applyRecord, type JournalRecord } from "../journal/journal.ts";
import { firstSaid } from "../journal/matcher.ts";
import type { ModelWork } from "../summaries/ask-model.ts";
import { earlierSummaries, type RecordedSummary, summaryOf } from "../summaries/write-summary.ts";
import type { Session } from "../session.ts";
import { untouchedEnd } from "./untouched-end.ts";
import type { View } from "../view/view.ts";

/** A plan and the facts of the messages that no record has consumed yet. */
export interface RecordedPlan extends ArchivedPlan {
  readonly facts: Ledger;
  readonly model: ModelWork;
  readonly edit: EditOptions;
}

/** Makes the journal's record of a plan; fulfils its request for a summary. */
export function makeRecord(session: Session, view: View, recorded: RecordedPlan): JournalRecord {
  const { tracker, usage, beside, meter } = session;
  const previous = tracker.records.at(-1);
  const { facts } = recorded;
  const end = untouchedEnd(view, recorded);
  const plan = { ...recorded.plan, length: recorded.plan.length - end };
  const consumed = tracker.consumed + view.fresh.length - end;
  const summary = writtenSummary(session, recorded);
  const edited = applyRecord(recorded.messages, { plan, ...summary });
  const after = edited.slice(0, edited.length - end);
  const tokens = beside.tokens + meter.total(edited);
  return {
    version: 1,
    at: view.startedAt,
    plan,
    consumed,
    first: previous?.first ?? fingerprintOf(firstSaid(view.messages)),
    last: fingerprintOf(view.fresh.at(-1 - end)) || (previous?.last ?? ""),
    ...summary,
    facts: { ...facts, instructions: facts.instructions.filter(({ at }) => at < consumed) },
    tokens: { before: view.measured.tokens, after: Math.ceil(usage.fitted(tokens)) },
    after: { length: after.length, digest: listDigest(after, sha256Hex) },
    ...(previous !== undefined && { follows: previous.after.digest }),
  };
}

function fingerprintOf(message: Message | undefined): string {
  return message === undefined ? "" : fingerprint(message, sha256Hex);
}

/** T12: the summary that a plan asks for. */
function writtenSummary(session: Session, recorded: RecordedPlan): RecordedSummary {
  const { counter, options, tracker } = session;
  const { plan, messages, isArchived, facts, model, edit } = recorded;
  const { compaction } = plan;
  if (compaction === undefined) return {};
  const { system, tailStart, handle, summary } = compaction;
  const head = messages.slice(system, tailStart);
  const earlier = earlierSummaries(head, (text) => tracker.recordsOf(text));
  const before = session.recordedFacts(earlier.records ?? tracker.records);
  const { cwd, constraints } = options;
  return summaryOf({
    head,
    headHandle: isArchived ? handle : undefined,
    earlier,
    ledger: mergeLedgers(before, facts, { cwd }),
    words: model.words,
    cap: summary.cap,
    count: (piece) => counter.count(piece),
    template: session.templateFor(edit.compactionTemplate),
    constraints,
    cwd,
  });
}

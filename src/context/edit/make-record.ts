import { sha256Hex } from "../../archive/digest.ts";
import { type Ledger, mergeAllLedgers } from "../../core/ledger/index.ts";
import type { Message } from "../../core/message/index.ts";
import {
  type ExtractiveInput,
  extractiveSummary,
  frameSummary,
  type MergeSummaryInput,
  mergeSummary,
} from "../../core/summary/index.ts";
import type { ArchivedPlan, EditOptions } from "./edit-view.ts";
import { fingerprint, listDigest } from "../journal/fingerprint.ts";
import { applyRecord, type JournalRecord, type SummarySource } from "../journal/journal.ts";
import { firstSaid } from "../journal/matcher.ts";
import type { ModelWork } from "../summaries/model-summary-for.ts";
import { earlierSummaries } from "../summaries/earlier-summaries.ts";
import { knownFacts } from "../summaries/known-facts.ts";
import { withRelativePaths } from "../summaries/relative-paths.ts";
import type { Session } from "../session.ts";
import { untouchedEnd } from "./untouched-end.ts";
import type { View } from "../view/view.ts";

/** A plan and the facts of the messages that no record has consumed yet. */
export interface RecordedPlan extends ArchivedPlan {
  readonly facts: Ledger;
  readonly model: ModelWork;
  readonly edit: EditOptions;
}

/** A summary and who wrote it. */
interface WrittenSummary {
  readonly text: string;
  readonly source: SummarySource;
  /** The same without a model's words, if it has any. */
  readonly extractive?: string;
}

/** Makes the journal's record of a plan; fulfils its request for a summary. */
export function makeRecord(session: Session, view: View, recorded: RecordedPlan): JournalRecord {
  const { tracker, usage, beside, meter } = session;
  const previous = tracker.records.at(-1);
  const { facts } = recorded;
  const end = untouchedEnd(view, recorded);
  const plan = { ...recorded.plan, length: recorded.plan.length - end };
  const consumed = tracker.consumed + view.fresh.length - end;
  const written = writeSummary(session, recorded);
  const summary = written && {
    summary: written.text,
    summarySource: written.source,
    ...(written.extractive !== undefined && { extractive: written.extractive }),
  };
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

/** T12: what the model wrote, completed with the facts, or the facts alone; framed. */
function writeSummary(session: Session, recorded: RecordedPlan): WrittenSummary | undefined {
  const { counter, options, tracker } = session;
  const { plan, messages, isArchived, facts, model, edit } = recorded;
  const { compaction } = plan;
  if (compaction === undefined) return undefined;
  const head = messages.slice(compaction.system, compaction.tailStart);
  const earlier = earlierSummaries(head, tracker);
  const headHandle = isArchived ? compaction.handle : undefined;
  const newest = tracker.records.findLastIndex((record) => record.summary !== undefined);
  const since = [...tracker.records.slice(newest + 1).map((one) => one.facts), facts];
  const input = {
    ledger: withRelativePaths(mergeAllLedgers(since, options), options.cwd),
    // Only a model can deny them.
    known: model.text === undefined ? undefined : knownFacts(session, facts),
    constraints: options.constraints,
    ...earlier.sources,
    cap: compaction.summary.cap,
    count: (piece: string) => counter.count(piece),
    headHandle,
    olderHandles: earlier.handles,
    template: session.templateFor(edit.template),
    ...(options.cwd !== undefined && { environment: [`working directory ${options.cwd}`] }),
  };
  const { text, source } = composed(input, model);
  return {
    text: frameSummary(text, { headHandle, headMessages: head.length }),
    source,
    ...(hasWords(input, source) && { extractive: withoutWords(input) }),
  };
}

/** Whether a summary holds words of a model: of the one that wrote it, or of one before. */
function hasWords({ previousFacts }: ExtractiveInput, source: SummarySource): boolean {
  return source !== "extractive" || previousFacts !== undefined;
}

function withoutWords({ previousFacts, ...input }: ExtractiveInput): string {
  return extractiveSummary({ ...input, previousSummary: previousFacts ?? input.previousSummary });
}

function composed(input: Omit<MergeSummaryInput, "model">, model: ModelWork): WrittenSummary {
  if (model.text === undefined) return { text: extractiveSummary(input), source: "extractive" };
  const { text, isWhole } = mergeSummary({ ...input, model: model.text });
  // The facts are also those of the tail, about which no model was asked: what it does not say of
  // those is no gap, but words that they deny are gone.
  return { text, source: model.hasGaps || !isWhole ? "repaired" : "model" };
}

import { sha256Hex } from "../archive/digest.ts";
import { EMPTY_LEDGER, type Ledger, mergeLedgers } from "../core/ledger/index.ts";
import type { Handle } from "../core/handle/index.ts";
import { type Message, messageText } from "../core/message/index.ts";
import type { CompactionPlan } from "../core/plan/index.ts";
import {
  extractiveSummary,
  frameSummary,
  resolveTemplate,
  unframeSummary,
} from "../core/summary/index.ts";
import type { ArchivedPlan } from "./edit-view.ts";
import { fingerprint } from "./fingerprint.ts";
import { applyRecord, type JournalRecord } from "./journal.ts";
import type { Session } from "./session.ts";
import type { View } from "./view.ts";

/** A plan and the facts of the messages that no record has consumed yet. */
export interface RecordedPlan extends ArchivedPlan {
  readonly facts: Ledger;
}

/** Makes the journal's record of a plan; fulfils its request for a summary. */
export function makeRecord(session: Session, view: View, recorded: RecordedPlan): JournalRecord {
  const { tracker, usage, fixedTokens, meter } = session;
  const previous = tracker.records.at(-1);
  const { plan, facts } = recorded;
  const summary = plan.compaction && writeSummary(session, recorded);
  const after = applyRecord(recorded.messages, { plan, ...(summary !== undefined && { summary }) });
  const tokens = fixedTokens + meter.total(after);
  return {
    version: 1,
    at: view.startedAt,
    plan,
    consumed: tracker.consumed + view.fresh.length,
    first: previous?.first ?? fingerprintOf(view.messages.at(0)),
    last: fingerprintOf(view.fresh.at(-1)) || (previous?.last ?? ""),
    ...(summary !== undefined && { summary }),
    facts,
    tokens: { before: view.measured.tokens, after: Math.ceil(tokens * usage.factor) },
  };
}

function fingerprintOf(message: Message | undefined): string {
  return message === undefined ? "" : fingerprint(message, sha256Hex);
}

/** T12: the extractive summary, framed; the previous one is merged into it. */
function writeSummary(
  { counter, options, tracker }: Session,
  { plan, messages, isArchived, facts }: RecordedPlan,
): string | undefined {
  const { compaction } = plan;
  if (compaction === undefined) return undefined;
  const earlier = earlierSummaries(messages, compaction);
  const headHandle = isArchived ? compaction.handle : undefined;
  const newest = tracker.records.findLastIndex((record) => record.summary !== undefined);
  const since = [...tracker.records.slice(newest + 1).map((one) => one.facts), facts];
  const text = extractiveSummary({
    ledger: withRelativePaths(mergeAll(since, options), options.cwd),
    previousSummary: earlier.text,
    cap: compaction.summary.cap,
    count: (piece) => counter.count(piece),
    headHandle,
    olderHandles: earlier.handles,
    template: resolveTemplate(options.template ?? {}),
    ...(options.cwd !== undefined && { environment: [`working directory ${options.cwd}`] }),
  });
  const headMessages = compaction.tailStart - compaction.system;
  return frameSummary(text, { headHandle, headMessages });
}

/** The facts of several records together, oldest first. */
export function mergeAll(ledgers: readonly Ledger[], { cwd }: { readonly cwd?: string }): Ledger {
  const [first = EMPTY_LEDGER, ...rest] = ledgers;
  return rest.reduce((older, newer) => mergeLedgers(older, newer, { cwd }), first);
}

/** Files by their path from the working directory, which the summary names once. */
function withRelativePaths(ledger: Ledger, cwd: string | undefined): Ledger {
  if (cwd === undefined) return ledger;
  const root = cwd.endsWith("/") ? cwd : `${cwd}/`;
  const relative = (path: string): string =>
    path.startsWith(root) && path.length > root.length ? path.slice(root.length) : path;
  return {
    ...ledger,
    files: ledger.files.map((file) => ({ ...file, path: relative(file.path) })),
    errors: ledger.errors.map((error) => ({ ...error, subject: relative(error.subject) })),
  };
}

interface EarlierSummaries {
  readonly text: string | undefined;
  readonly handles: readonly Handle[];
}

/** The summaries that the head holds: ours without its frame, another agent's as it is. */
function earlierSummaries(
  messages: readonly Message[],
  { system, tailStart }: CompactionPlan,
): EarlierSummaries {
  const texts: string[] = [];
  const handles: Handle[] = [];
  for (const message of messages.slice(system, tailStart)) {
    if (message.kind !== "summary") continue;
    const framed = unframeSummary(messageText(message));
    texts.push(framed?.text ?? messageText(message));
    if (framed?.headHandle !== undefined) handles.push(framed.headHandle);
  }
  return { text: texts.length === 0 ? undefined : texts.join("\n\n"), handles };
}

import { sha256Hex } from "../archive/digest.ts";
import { EMPTY_LEDGER, extractLedger, type Ledger, mergeLedgers } from "../core/ledger/index.ts";
import type { Handle } from "../core/handle/index.ts";
import { type Message, messageText } from "../core/message/index.ts";
import type { CompactionPlan } from "../core/plan/index.ts";
import { extractiveSummary, frameSummary, unframeSummary } from "../core/summary/index.ts";
import type { ArchivedPlan } from "./edit-view.ts";
import { fingerprint } from "./fingerprint.ts";
import { applyRecord, type JournalRecord } from "./journal.ts";
import type { Session } from "./session.ts";
import type { View } from "./view.ts";

/** Makes the journal's record of a plan: fulfils its request for a summary, gathers its facts. */
export function makeRecord(session: Session, view: View, archived: ArchivedPlan): JournalRecord {
  const { tracker, usage, fixedTokens, meter } = session;
  const previous = tracker.records.at(-1);
  const ledger = gatherLedger(session, view, previous);
  const consumed = tracker.consumed + view.fresh.length;
  const summary = writeSummary(session, archived, ledger);
  const { plan } = archived;
  const after = applyRecord(archived.messages, { plan, ...(summary !== undefined && { summary }) });
  const tokens = fixedTokens + meter.total(after);
  return {
    version: 1,
    at: view.startedAt,
    plan,
    consumed,
    first: previous?.first ?? fingerprintOf(view.messages.at(0)),
    last: fingerprintOf(view.fresh.at(-1)) || (previous?.last ?? ""),
    ...(summary !== undefined && { summary }),
    ledger,
    tokens: { before: view.measured.tokens, after: Math.ceil(tokens * usage.factor) },
  };
}

function fingerprintOf(message: Message | undefined): string {
  return message === undefined ? "" : fingerprint(message, sha256Hex);
}

/** The facts so far: those of earlier records and those of the messages that came since. */
function gatherLedger(
  { options, tracker }: Session,
  view: View,
  previous: JournalRecord | undefined,
): Ledger {
  const { toolKinds, cwd } = options;
  const newer = extractLedger(view.fresh, {
    offset: tracker.consumed,
    ...(toolKinds !== undefined && { toolKinds }),
    ...(cwd !== undefined && { cwd }),
  });
  return mergeLedgers(previous?.ledger ?? EMPTY_LEDGER, newer);
}

/** T12: the extractive summary, framed; the previous one is merged into it. */
function writeSummary(
  { counter, options }: Session,
  { plan, messages, isArchived }: ArchivedPlan,
  ledger: Ledger,
): string | undefined {
  const { compaction } = plan;
  if (compaction === undefined) return undefined;
  const earlier = earlierSummaries(messages, compaction);
  const headHandle = isArchived ? compaction.handle : undefined;
  const text = extractiveSummary({
    ledger,
    previousSummary: earlier.text,
    cap: compaction.summary.cap,
    count: (piece) => counter.count(piece),
    headHandle,
    olderHandles: earlier.handles,
    template: options.template,
  });
  const headMessages = compaction.tailStart - compaction.system;
  return frameSummary(text, { headHandle, headMessages });
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

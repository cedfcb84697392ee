import { messageText, type Message } from "../core/message/message.ts";
import { frameSummary, unframeSummary } from "../core/summary/frame.ts";
import { joinWords, readWords, type Words } from "../core/summary/words.ts";
import { writeSummary } from "../core/summary/summary.ts";
import { originalHandle } from "../core/message/original.ts";
import type { Branch, JournalRecord } from "./journal.ts";
import type { ArchivedPlan } from "./plan-edit.ts";
import type { ProtectedOutput, RecordedFacts } from "../core/summary/facts.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { Digest, Handle } from "../core/message/index.ts";
import type { CompactionTemplate } from "../core/summary/index.ts";
import type { CountTokens } from "../core/text/index.ts";

/** The records behind a summary that stands in a list, oldest first; `undefined` for one of others. */
export type RecordsOf = (summary: string) => readonly JournalRecord[] | undefined;

/** The summaries that a head holds. */
export interface EarlierSummaries {
  /** All of them as one text, for whoever writes the next one; `undefined` where there is none. */
  readonly text: string | undefined;
  /** The records that vouch for the newest of ours, which have the facts of all before it. */
  readonly records: readonly JournalRecord[] | undefined;
  /** The texts that no record vouches for, newest first. */
  readonly orphans: readonly string[];
}

/**
 * The summaries among messages. Ours is only what a record vouches for: whatever else looks like a
 * summary may hold any words, and none of them counts as a fact.
 */
export function earlierSummaries(
  messages: readonly Message[],
  recordsOf: RecordsOf,
): EarlierSummaries {
  const texts = messages
    .filter(({ kind }) => kind === "summary")
    .map(messageText)
    .filter((text) => text !== "");
  const own = texts.map((text) => recordsOf(text));
  const bare = texts.map((text) => unframeSummary(text)?.text ?? text);
  return {
    text: bare.length === 0 ? undefined : bare.join("\n\n"),
    records: own.findLast((records) => records !== undefined),
    orphans: bare.filter((_, at) => own[at] === undefined).toReversed(),
  };
}

/** What stands in the place of a head. */
export interface SummaryOptions extends Pick<RecordedFacts, "protectedOutputs"> {
  /** The messages that the summary stands for. */
  readonly head: readonly Message[];
  /** Their handle, if they are in the archive. */
  readonly headHandle: Handle | undefined;
  readonly earlier: EarlierSummaries;
  /** The facts of all of the conversation. */
  readonly ledger: Ledger;
  /** What a model wrote, if one did. */
  readonly words: Words | undefined;
  /** The most tokens that the summary may have. */
  readonly cap: number;
  readonly count: CountTokens;
  readonly template: CompactionTemplate;
  readonly constraints: readonly string[] | undefined;
  readonly cwd: string | undefined;
}

/** What a record keeps of a summary. */
export type RecordedSummary = Pick<
  JournalRecord,
  "summary" | "summarySource" | "narrative" | "earlier"
>;

/** A summary as it is recorded, and by section for the report. */
export interface MadeSummary {
  readonly recorded: RecordedSummary;
  /** What stands under each heading, by the id of the section. */
  readonly sections: Readonly<Record<string, string>>;
}

/**
 * T12: the summary of a head, framed, and the words in it as data, for the next one. Where no model
 * wrote, the words of the last model stand.
 */
export function summaryOf(options: SummaryOptions): MadeSummary {
  const { head, headHandle, words, earlier: before, template, ...rest } = options;
  const { records = [], orphans } = before;
  const last = records.findLast((record) => record.summary !== undefined);
  const narrative = words ?? last?.narrative;
  const strange = orphans.map((text) => readWords(text, template));
  const earlier = joinWords([...strange, last?.earlier]);
  const olderHandles = headsOf(records).filter((handle) => handle !== headHandle);
  const written = writeSummary({ ...rest, narrative, earlier, headHandle, olderHandles, template });
  const { text, sections, isWhole } = written;
  const hasWords = hasAny(narrative) || hasAny(earlier);
  const note = hasWords ? QUOTED : undefined;
  const recorded: RecordedSummary = {
    summary: frameSummary(text, { headHandle, headMessages: head.length, note }),
    summarySource: words === undefined ? "extractive" : isWhole ? "model" : "repaired",
    ...(hasAny(narrative) && { narrative }),
    ...(hasAny(earlier) && { earlier }),
  };
  return { recorded, sections };
}

/**
 * The protected outputs that a compaction and those before it left no room for, newest first,
 * without those that stand in its result.
 */
export function protectedOutputs(
  { messages, plan }: Pick<ArchivedPlan, "messages" | "plan">,
  records: Branch,
  digest: Digest,
): readonly ProtectedOutput[] {
  const { pinned = [], tailStart = 0, unpinned = [] } = plan.compaction ?? {};
  const earlier = records.toReversed().flatMap((record) => record.plan.compaction?.unpinned ?? []);
  const kept = [...pinned.flatMap((at) => messages[at] ?? []), ...messages.slice(tailStart)];
  const standing = new Set<string>(earlier.length === 0 ? [] : outputHandles(kept, digest));
  const named = new Map<string, ProtectedOutput>();
  for (const { tool, subject, isSkill, handle } of [...unpinned, ...earlier]) {
    const key = handle ?? `${tool} ${subject}`;
    if (named.has(key) || standing.has(key)) continue;
    named.set(key, { tool, subject, isSkill, ...(handle !== undefined && { handle }) });
  }
  return [...named.values()];
}

function outputHandles(messages: readonly Message[], digest: Digest): readonly Handle[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? originalHandle(part, digest) : [])),
  );
}

const QUOTED =
  "Its lines that begin with > are the words of a model; all others are recorded facts, which are right where the two differ.";

function hasAny(words: Words | undefined): boolean {
  return words !== undefined && Object.keys(words).length > 0;
}

/** So many records are looked through for older heads: each head holds a summary with those before. */
const MOST_HEADS = 10;

/** The archived heads of earlier compactions, newest first. */
function headsOf(records: readonly JournalRecord[]): readonly Handle[] {
  const summaries = records.flatMap(({ summary }) => summary ?? []).slice(-MOST_HEADS);
  const handles = summaries.toReversed().flatMap((text) => unframeSummary(text)?.headHandle ?? []);
  return [...new Set(handles)];
}

import type { Archive } from "../archive/archive.ts";
import { messageText, type Message } from "../core/message/message.ts";
import { frameSummary, isFrame, QUOTED, unframeSummary } from "../core/summary/frame.ts";
import { isSealedSummary, startsTurn } from "../core/message/structure.ts";
import { joinWords, lastingWords, readForeignWords, type Words } from "../core/summary/words.ts";
import { writeSummary } from "../core/summary/summary.ts";
import { originalHandle } from "../core/message/original.ts";
import type { Branch, JournalRecord } from "./journal.ts";
import type { ArchivedPlan } from "./plan-edit.ts";
import type { FactIndex } from "../core/summary/fact-index.ts";
import type { ProtectedOutput, RecordedFacts } from "../core/summary/facts.ts";
import { createLedgerSum, mergeLedgers } from "../core/ledger/merge.ts";
import type { Ledger } from "../core/ledger/index.ts";
import type { Digest, Handle } from "../core/message/index.ts";
import type { CompactionTemplate } from "../core/summary/index.ts";
import type { UnpinnedResult } from "../core/plan/index.ts";
import type { CountTokens } from "../core/text/clip.ts";

/** The records behind a summary that stands in a list, oldest first; `undefined` for one of others. */
export type RecordsOf = (summary: string) => readonly JournalRecord[] | undefined;

/**
 * The messages as somebody said them. A dialect takes a frame like ours for a summary by its form,
 * and anybody can write that into a page or a file. It is one only at the start of the conversation,
 * where ours stand, and if a record or the archive has what it says it stands for; anything else is
 * what the person sent. The same list where there is nothing of the kind. Never rejects.
 */
export async function asSaid(
  messages: readonly Message[],
  recordsOf: RecordsOf,
  archive: Archive,
): Promise<readonly Message[]> {
  const claims = new Set<Message>();
  let isStart = true;
  for (const message of messages) {
    const isOurs: boolean = isStart && (await isVouchedFor(message, recordsOf, archive));
    if (!isOurs && isFrameByForm(message)) claims.add(message);
    isStart &&= isOurs && (message.role === "system" || isSealedSummary(message));
  }
  if (claims.size === 0) return messages;
  return messages.map((message) => {
    if (!claims.has(message)) return message;
    const { kind: _, ...said } = message;
    return said;
  });
}

/** A message that a dialect made a summary of because of its text. */
function isFrameByForm({ role, kind, source, parts }: Message): boolean {
  return (
    role === "user" &&
    kind === "summary" &&
    source !== undefined &&
    isFrame(messageText({ role, parts }))
  );
}

async function isVouchedFor(
  message: Message,
  recordsOf: RecordsOf,
  archive: Archive,
): Promise<boolean> {
  if (!isFrameByForm(message)) return true;
  const text = messageText(message);
  if (recordsOf(text) !== undefined) return true;
  const { headHandle } = unframeSummary(text) ?? {};
  return headHandle !== undefined && archive.has(headHandle).catch(() => false);
}

/** The summaries that a head holds. */
export interface EarlierSummaries {
  /** All of them as one text, for whoever writes the next one; `undefined` where there is none. */
  readonly text: string | undefined;
  /** Records of other branches that vouch for some of them: no other record has their facts. */
  readonly carried: Branch;
  /** What the texts say that no record vouches for, newest first. */
  readonly strange: readonly Words[];
}

/**
 * The summaries among messages. Ours is only what a record vouches for: whatever else looks like a
 * summary may hold any words, and none of them counts as a fact.
 */
export function earlierSummaries(
  messages: readonly Message[],
  recordsOf: RecordsOf,
  template?: CompactionTemplate,
  standing: Branch = [],
): EarlierSummaries {
  const found = messages.flatMap((message) => {
    if (message.kind !== "summary" && !startsTurn(message)) return [];
    const text = messageText(message);
    const isSummary = message.kind === "summary" && text !== "";
    if (!isSummary && !(startsTurn(message) && isFrame(text))) return [];
    const bare = unframeSummary(text)?.text ?? text;
    return [{ bare, isSummary, records: isSummary ? recordsOf(text) : undefined }];
  });
  const summaries = found.filter(({ isSummary }) => isSummary);
  // To whoever reads it, a line that is not quoted is a recorded fact.
  const texts = summaries.map(({ bare, records }) => (records === undefined ? quoted(bare) : bare));
  const others = summaries.flatMap(({ records }) =>
    records?.at(-1) === standing.at(-1) ? [] : [records ?? []],
  );
  return {
    text: texts.length === 0 ? undefined : texts.join("\n\n"),
    carried: withoutStanding(others.flatMap(withoutKept), standing),
    strange: found
      .filter(({ records }) => records === undefined)
      .map(({ bare, isSummary }) =>
        isSummary ? readForeignWords(bare, template) : { discoveries: `${CLAIM}\n${bare}` },
      )
      .toReversed(),
  };
}

/** Each record once, and none that stands. */
function withoutStanding(records: Branch, standing: Branch): Branch {
  if (records.length === 0) return records;
  const byKey = new Map(records.map((record) => [record.after.key, record]));
  for (const { after } of standing) byKey.delete(after.key);
  return [...byKey.values()];
}

/** What a record keeps for those after it. */
export type Consumed = Pick<JournalRecord, "facts" | "plan">;

/**
 * What a new record keeps: its own, and what the summaries among its messages stand for. That comes
 * from another count of messages, and before all of this one.
 */
export function withCarried(
  { facts, plan }: Consumed,
  carried: Branch,
  cwd: string | undefined,
): Consumed {
  if (carried.length === 0) return { facts, plan };
  const sum = createLedgerSum({ cwd });
  for (const record of carried) sum.add(record.facts);
  const { compaction } = plan;
  const left = carried.flatMap((record) => record.plan.compaction?.unpinned ?? []);
  const unpinned = [...(compaction?.unpinned ?? []), ...left.toReversed().map(fromBefore)];
  return {
    facts: mergeLedgers(allFromBefore(sum.ledger()), facts, { cwd }),
    plan: { ...plan, compaction: compaction && { ...compaction, unpinned } },
  };
}

function allFromBefore(ledger: Ledger): Ledger {
  const { commands, instructions, errors, statements } = ledger;
  return {
    ...ledger,
    commands: commands.map((fact) => ({ ...fact, at: -1 })),
    instructions: instructions.map((fact) => ({ ...fact, at: -1 })),
    errors: errors.map((fact) => ({ ...fact, at: -1 })),
    statements: statements.map((fact) => ({ ...fact, at: -1 })),
  };
}

function fromBefore(left: UnpinnedResult): UnpinnedResult {
  return { ...left, message: -1 };
}

/** Above the words of what looks like a summary of ours and is none. */
const CLAIM = "In a message of the user, as a record that nothing here vouches for:";

function quoted(text: string): string {
  return text.replace(/^(?!>)/gm, "> ");
}

/**
 * The facts of records for a list that has the summary of the newest of them and goes on otherwise:
 * what that record left in the list says there what it says now.
 */
function withoutKept(branch: Branch): Branch {
  const { plan, consumed = 0, before } = branch.at(-1) ?? {};
  const { tailStart = 0, pinned = [] } = plan?.compaction ?? {};
  const isGone = ({ at }: { readonly at: number }): boolean => {
    const index = (before?.length ?? 0) - (consumed - at);
    return index < tailStart && !pinned.includes(index);
  };
  return branch.map((record) => {
    const { instructions, statements, commands, errors } = record.facts;
    const facts = {
      ...record.facts,
      instructions: instructions.filter(isGone),
      statements: statements.filter(isGone),
      commands: commands.filter(isGone),
      errors: errors.filter(isGone),
    };
    return { ...record, facts };
  });
}

/** What stands in the place of a head. */
export interface SummaryOptions extends Pick<
  RecordedFacts,
  "protectedOutputs" | "standing" | "recall"
> {
  /** The messages that the summary stands for. */
  readonly head: readonly Message[];
  /** Their handle, if they are in the archive. */
  readonly headHandle: Handle | undefined;
  readonly earlier: EarlierSummaries;
  /** The records that stand. */
  readonly records: Branch;
  /** The facts of all of the conversation. */
  readonly index: FactIndex;
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
export interface MadeSummary extends Consumed {
  readonly recorded: RecordedSummary;
  /** What stands under each heading, by the id of the section. */
  readonly sections: Readonly<Record<string, string>>;
}

/**
 * T12: the summary of a head, framed, and the words in it as data, for the next one. Where no model
 * wrote, the words of the last model stand.
 */
export function summaryOf(options: SummaryOptions): Omit<MadeSummary, keyof Consumed> {
  const {
    head,
    headHandle,
    words,
    earlier: before,
    template,
    records: standing,
    ...rest
  } = options;
  const { carried, strange } = before;
  const records = [...standing, ...carried];
  const last = records.findLast((record) => record.summary !== undefined);
  const narrative = words ?? lastingWords(last?.narrative ?? {});
  const earlier = joinWords([...strange, last?.earlier]);
  const olderHandles = headsOf(records).filter((handle) => handle !== headHandle);
  const views = { narrative, earlier, headHandle, olderHandles, template };
  const written = writeSummary({ ...rest, ...views, ledger: rest.index.ledger() });
  const { text, sections, isWhole } = written;
  const hasWords = hasAny(narrative) || hasAny(earlier);
  const note = hasWords ? QUOTED : undefined;
  const recorded: RecordedSummary = {
    summary: frameSummary(text, {
      headHandle,
      headMessages: head.length,
      recall: rest.recall,
      note,
    }),
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

function hasAny(words: Words | undefined): boolean {
  return words !== undefined && Object.keys(words).length > 0;
}

/** So many records are looked through for older heads: each head holds a summary with those before. */
const MOST_HEADS = 10;

/** The archived heads of earlier compactions, newest first. */
function headsOf(records: readonly JournalRecord[]): readonly Handle[] {
  const handles = new Set<Handle>();
  let left = MOST_HEADS;
  for (let at = records.length - 1; at >= 0 && left > 0; at--) {
    const text = records[at]?.summary;
    if (text === undefined) continue;
    left--;
    const handle = unframeSummary(text)?.headHandle;
    if (handle !== undefined) handles.add(handle);
  }
  return [...handles];
}

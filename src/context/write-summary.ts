import { sha256Hex } from "../archive/digest.ts";
import { describeCall } from "../core/calls/describe-call.ts";
import { messageText, resultText, type Message } from "../core/message/message.ts";
import { originalHandle } from "../core/message/original.ts";
import { startsTurn } from "../core/message/structure.ts";
import { frameSummary, QUOTED } from "../core/summary/frame.ts";
import { writeSummary } from "../core/summary/summary.ts";
import { saidIn } from "../core/summary/typed.ts";
import { joinWords, lastingWords, type Words } from "../core/summary/words.ts";
import { jsonBytes } from "../core/tokens/meter.ts";
import { type Consumed, earlierSummaries, withCarried } from "./earlier-summaries.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import type { NameBook } from "../core/ledger/names.ts";
import type { Handle } from "../core/message/index.ts";
import type { ContextPlan, SummaryPlan } from "../core/plan/index.ts";
import type { ProtectedOutput } from "../core/summary/facts.ts";
import type { CompactionTemplate, Standing } from "../core/summary/index.ts";
import type { CountTokens } from "../core/text/clip.ts";
import type { TokenCounter } from "../core/tokens/index.ts";
import type { Bookkeeper } from "./books.ts";
import type { History } from "./history.ts";
import type { Branch, JournalRecord } from "./journal.ts";
import type { ContextOptions } from "./options.ts";
import type { ArchivedPlan } from "./plan-edit.ts";
import type { RecallChoice } from "./recall-choice.ts";

/** The part of a record that keeps a summary. */
export type RecordedSummary = Pick<
  JournalRecord,
  "summary" | "summarySource" | "narrative" | "earlier"
>;

/** A summary as it is recorded, and by section for the report. */
export interface MadeSummary extends Consumed {
  readonly recorded: RecordedSummary;
  /** The text under each heading, by the id of the section. */
  readonly sections: Readonly<Record<string, string>>;
}

/** A plan that may want a summary, and its sources: the facts that the record consumes, a model's words. */
interface WantedSummary extends Omit<ArchivedPlan, "failures">, Consumed {
  readonly words: Words | undefined;
  readonly template: CompactionTemplate;
}

interface SummaryParts {
  readonly options: Pick<ContextOptions, "constraints" | "cwd" | "toolKinds">;
  readonly books: Bookkeeper;
  readonly history: Pick<History, "records" | "recordsOf">;
  readonly counter: TokenCounter;
  readonly recall: RecallChoice;
}

/**
 * T12: the summary of a plan's head, framed, and the words in it as data, for the next one. Without
 * words of a model, those of the last model stand.
 */
export function summaryFor(wanted: WantedSummary, parts: SummaryParts): MadeSummary {
  const { messages, words, template } = wanted;
  const { compaction } = wanted.plan;
  if (compaction === undefined) return { ...wanted, recorded: {}, sections: {} };
  const { history, books, options, counter } = parts;
  const { constraints, cwd, toolKinds } = options;
  const head = messages.slice(compaction.system, compaction.tailStart);
  const before = earlierSummaries(head, history.recordsOf, template, history.records);
  const { facts, plan } = withCarried(wanted, before.carried, cwd);
  const index = books.factsOf(history.records, facts);
  const records = [...history.records, ...before.carried];
  const last = records.findLast((record) => record.summary !== undefined);
  const narrative = words ?? lastingWords(last?.narrative ?? {});
  const earlier = joinWords([...before.strange, last?.earlier]);
  const headHandle = compaction.handle;
  const recall = parts.recall.hasTool();
  const { text, sections, isWhole } = writeSummary({
    ledger: index.ledger(),
    index,
    narrative,
    earlier,
    template,
    headHandle,
    olderHandles: headsOf(records).filter((handle) => handle !== headHandle),
    cap: compaction.summary.cap,
    count: summaryCount(compaction.summary, counter),
    constraints,
    cwd,
    recall,
    protectedOutputs: protectedOutputs(messages, plan, history.records),
    standing: standingIn(messages, plan, { names: books.names, toolKinds }),
  });
  const note = hasAny(narrative) || hasAny(earlier) ? QUOTED : undefined;
  const recorded: RecordedSummary = {
    summary: frameSummary(text, { headHandle, headMessages: head.length, recall, note }),
    summarySource: words === undefined ? "extractive" : isWhole ? "model" : "repaired",
    ...(hasAny(narrative) && { narrative }),
    ...(hasAny(earlier) && { earlier }),
  };
  return { recorded, sections, facts, plan };
}

/** Counts what counts towards the cap: tokens, or bytes where a limit on them is nearer. */
function summaryCount({ cap, maxBytes }: SummaryPlan, counter: TokenCounter): CountTokens {
  if (maxBytes === undefined) return (text) => counter.count(text);
  return (text) => Math.max(counter.count(text), Math.ceil((jsonBytes(text) * cap) / maxBytes));
}

/** The messages beside a summary in the result of a plan: nothing of them needs to be said again. */
function standingIn(
  messages: readonly Message[],
  { compaction, edits }: ContextPlan,
  { names, toolKinds }: { readonly names: NameBook; readonly toolKinds?: ToolKinds },
): Standing {
  const { tailStart = 0, pinned = [] } = compaction ?? {};
  const tail = messages.slice(tailStart);
  // A clipped message does not stand as it was.
  const edited = new Set(edits.map(({ message }) => messages[message]));
  const kept = [...pinned.flatMap((at) => messages[at] ?? []), ...tail];
  const whole = kept.filter((message) => !edited.has(message) && message.kind === undefined);
  const parts = whole.flatMap((message) => message.parts);
  const calls = parts.filter((part) => part.type === "tool-call");
  const outputs = parts.filter((part) => part.type === "tool-result");
  return {
    names: new Set(names.namesIn(tail).map(({ name }) => name)),
    commands: new Set(calls.flatMap((call) => describeCall(call, toolKinds).commands)),
    typed: new Set(whole.filter(startsTurn).map((message) => saidIn(messageText(message)))),
    text: [...whole.map((message) => messageText(message)), ...outputs.map(resultText)].join("\n"),
  };
}

/**
 * The protected outputs that a compaction and those before it left no room for, newest first,
 * without those that stand in its result.
 */
function protectedOutputs(
  messages: readonly Message[],
  { compaction }: ContextPlan,
  records: Branch,
): readonly ProtectedOutput[] {
  const { pinned = [], tailStart = 0, unpinned = [] } = compaction ?? {};
  const earlier = records.toReversed().flatMap((record) => record.plan.compaction?.unpinned ?? []);
  const kept = [...pinned.flatMap((at) => messages[at] ?? []), ...messages.slice(tailStart)];
  const standing = new Set<string>(earlier.length === 0 ? [] : outputHandles(kept));
  const named = new Map<string, ProtectedOutput>();
  for (const { tool, subject, isSkill, handle } of [...unpinned, ...earlier]) {
    const key = handle ?? `${tool} ${subject}`;
    if (named.has(key) || standing.has(key)) continue;
    named.set(key, { tool, subject, isSkill, ...(handle !== undefined && { handle }) });
  }
  return [...named.values()];
}

function outputHandles(messages: readonly Message[]): readonly Handle[] {
  return messages.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.type === "tool-result" ? originalHandle(part, sha256Hex) : [])),
  );
}

function hasAny(words: Words): boolean {
  return Object.keys(words).length > 0;
}

/** Heads that a summary may name: each holds the summary of the one before. */
const MOST_HEADS = 10;

/** The archived heads of earlier compactions, newest first. */
function headsOf(records: Branch): readonly Handle[] {
  const heads = records.flatMap(({ plan }) => plan.compaction?.handle ?? []);
  return [...new Set(heads.slice(-MOST_HEADS).toReversed())];
}

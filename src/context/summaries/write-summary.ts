import { type Ledger, mergeAllLedgers } from "../../core/ledger/index.ts";
import type { Handle, Message } from "../../core/message/index.ts";
import {
  type CompactionTemplate,
  type ExtractiveInput,
  extractiveSummary,
  frameSummary,
  type MergeSummaryInput,
  mergeSummary,
} from "../../core/summary/index.ts";
import type { JournalRecord, SummarySource } from "../journal/journal.ts";
import { earlierSummaries } from "./earlier-summaries.ts";
import { withRelativePaths } from "./relative-paths.ts";

export interface WriteSummaryInput {
  /** The messages that the summary stands for. */
  readonly head: readonly Message[];
  /** Their handle, if they are in the archive. */
  readonly headHandle: Handle | undefined;
  /** The most tokens that the summary may have. */
  readonly cap: number;
  /** The facts of the messages that no record has consumed yet. */
  readonly facts: Ledger;
  /** The records that stand. */
  readonly records: readonly JournalRecord[];
  /** The facts of all records and of `facts`, with paths as summaries name them. */
  readonly known: () => Ledger;
  /** What a summary of ours says without a model's words. */
  readonly extractiveOf: (summary: string) => string | undefined;
  /** What a model wrote, if one did. */
  readonly model: { readonly text?: string; readonly hasGaps: boolean };
  readonly template: CompactionTemplate;
  readonly count: (text: string) => number;
  readonly constraints: readonly string[] | undefined;
  readonly cwd: string | undefined;
}

/** What a record keeps of a summary. */
export type WrittenSummary = Pick<JournalRecord, "summary" | "summarySource" | "extractive">;

/** T12: what the model wrote, completed with the facts, or the facts alone; framed. */
export function writeSummary(given: WriteSummaryInput): WrittenSummary {
  const { head, headHandle, records, facts, cwd, model, cap, count, template } = given;
  const earlier = earlierSummaries(head, given);
  const newest = records.findLastIndex((record) => record.summary !== undefined);
  const since = [...records.slice(newest + 1).map((one) => one.facts), facts];
  const input = {
    ledger: withRelativePaths(mergeAllLedgers(since, { cwd }), cwd),
    // Only a model can deny them.
    known: model.text === undefined ? undefined : given.known(),
    constraints: given.constraints,
    ...earlier.sources,
    cap,
    count,
    headHandle,
    olderHandles: earlier.handles,
    template,
    ...(cwd !== undefined && { environment: [`working directory ${cwd}`] }),
  };
  const { text, source } = composed(input, model);
  return {
    summary: frameSummary(text, { headHandle, headMessages: head.length }),
    summarySource: source,
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

function composed(
  input: Omit<MergeSummaryInput, "model">,
  model: WriteSummaryInput["model"],
): { readonly text: string; readonly source: SummarySource } {
  if (model.text === undefined) return { text: extractiveSummary(input), source: "extractive" };
  const { text, isWhole } = mergeSummary({ ...input, model: model.text });
  // The facts are also those of the tail, about which no model was asked: what it does not say of
  // those is no gap, but words that they deny are gone.
  return { text, source: model.hasGaps || !isWhole ? "repaired" : "model" };
}

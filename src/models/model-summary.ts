import type { SummaryPrompt } from "../core/summary/prompt/index.ts";
import type { SummaryUsage } from "./summarizer.ts";

/** One call of a model, for the report. */
export interface SummaryCall {
  readonly summarizer: string;
  /** `whole`: all of the head. `chunk`, `merge`: where it did not fit into one call. */
  readonly purpose: "whole" | "chunk" | "merge";
  /** 1, or 2 for the retry that names what was wrong. */
  readonly attempt: 1 | 2;
  /** What was really sent. */
  readonly prompt: SummaryPrompt;
  /** Whether the live request was the prefix; then `prompt.user` is what stood behind it. */
  readonly reusedPrompt: boolean;
  /** Absent when the provider reported none, e.g. because the call failed. */
  readonly usage?: SummaryUsage;
  readonly durationMs: number;
  /** Whether there was an answer at all, good or bad. */
  readonly isAnswered: boolean;
  /** What was wrong with the answer, or why there was none; empty when it was accepted. */
  readonly problems: readonly string[];
}

/** What models made of a head. */
export interface ModelSummary {
  /**
   * The text to build on: accepted, or good enough for the ledger to fill its gaps. Absent when
   * nothing usable came back; then the summary is extractive.
   */
  readonly text?: string;
  /** Whether `text` has gaps that the ledger must fill. */
  readonly hasGaps: boolean;
  readonly calls: readonly SummaryCall[];
  /** Why there is no text, or why it has gaps; one sentence. */
  readonly failure?: string;
}

import type { Ledger } from "../../ledger/index.ts";
import type { Message } from "../../message/index.ts";
import type { CompactionTemplate, CountTokens } from "../index.ts";

/** A prompt for a model, ready to be sent: one system text and one user message. */
export interface SummaryPrompt {
  readonly system: string;
  readonly user: string;
}

/** What a summary is to be written about. */
export interface SummaryInput {
  /** The messages to summarize, previous summary excluded. */
  readonly head: readonly Message[];
  /** The summary that stands now, without its frame; it is merged. */
  readonly previousSummary?: string;
  /** The facts of `head`, taken without a model. */
  readonly ledger: Ledger;
  /** The facts of all of the conversation, for judging what is said of earlier work. @default `ledger` */
  readonly known?: Ledger;
  /** The facts of a stretch of `head` that starts at `offset`. @default `extractLedger` */
  readonly ledgerOf?: ((stretch: readonly Message[], offset: number) => Ledger) | undefined;
  readonly template: CompactionTemplate;
  /** The most tokens that the summary may have. */
  readonly cap: number;
}

/** The window of whoever writes the summary. */
export interface PromptBudget {
  /** Tokens that one prompt may have, system text included. */
  readonly room: number;
  readonly count: CountTokens;
}

import type { Ledger } from "../core/ledger/index.ts";
import type { Message, Usage } from "../core/message/index.ts";
import type { CompactionTemplate, Words } from "../core/summary/index.ts";
import type { SummaryPrompt } from "../core/summary/prompt.ts";

/** Tokens of one call, as the provider reported them. */
export interface SummaryUsage {
  /** All input, what was read from a cache included. */
  readonly input: number;
  /** The part of `input` that came from the provider's prompt cache. @default 0 */
  readonly cached?: number;
  readonly output: number;
}

/** The usage that somebody says a call had; `undefined` for anything but whole figures. */
export function checkedUsage(usage: unknown): SummaryUsage | undefined {
  if (typeof usage !== "object" || usage === null) return undefined;
  const { input, cached, output } = usage as Readonly<Record<string, unknown>>;
  if (!isTokens(input) || !isTokens(output)) return undefined;
  return { input, cached: isTokens(cached) ? cached : undefined, output };
}

function isTokens(value: unknown): value is number {
  return typeof value === "number" && value >= 0 && Number.isFinite(value);
}

/** Why the model stopped. After `length`, `content-filter` and `error` no summary is whole. */
export type SummaryFinish = "stop" | "length" | "tool-calls" | "content-filter" | "error" | "other";

export const SUMMARY_FINISHES: readonly SummaryFinish[] =
  "stop length tool-calls content-filter error other".split(" ") as SummaryFinish[];

/** The request that the agent itself would send next, for a call that reuses its prompt cache. */
export interface LiveRequest {
  readonly system?: string;
  /** The tool schemas exactly as the agent sends them. */
  readonly tools?: unknown;
  /** The view up to the end of what is to be summarized, unedited. */
  readonly messages: readonly Message[];
}

export interface SummaryRequest {
  /** The whole request in words; `user` holds the conversation as data and the template. */
  readonly prompt: SummaryPrompt;
  /**
   * Present when the summarizer said `reusesPrompt`: send these messages as they are, with their
   * tools, and `instruction` as one user message behind them, instead of `prompt`.
   */
  readonly live?: LiveRequest & { readonly instruction: string };
  /** The messages that `prompt` renders. */
  readonly head: readonly Message[];
  readonly previousSummary?: string;
  readonly ledger: Ledger;
  readonly template: CompactionTemplate;
  /** The most tokens that the answer may have. */
  readonly cap: number;
  /** Aborts at the time limit, or when the caller gives up. */
  readonly signal: AbortSignal;
}

export interface SummaryAnswer {
  readonly text: string;
  readonly usage?: SummaryUsage;
  /** @default "stop" */
  readonly finish?: SummaryFinish;
  /** The number of tools that the model called instead of writing. @default 0 */
  readonly toolCalls?: number;
}

/**
 * Writes summaries with a language model. It may throw, hang until the signal aborts, or answer
 * anything: whoever calls it judges the answer. It must not retry on its own.
 */
export interface Summarizer {
  /** For reports, e.g. `anthropic:claude-haiku-4-5`. Never holds a key. */
  readonly name: string;
  /** Its own context window in tokens. @default 128000 */
  readonly window?: number;
  /** The most tokens that one answer of it may have; no longer summary is asked for. @default any */
  readonly maxTokens?: number;
  /** Whether it runs on the agent's own model and can send the live request as a prefix. */
  readonly reusesPrompt?: boolean;
  /**
   * Whether it can send this live request as it is, e.g. whether the tools are those of its API. Asked
   * before a request with `live` is made; where it cannot, or throws, there is only the prompt.
   * @default every one, if it `reusesPrompt`
   */
  canReuse?(live: LiveRequest): boolean | Promise<boolean>;
  summarize(request: SummaryRequest): Promise<SummaryAnswer>;
}

/** A function is a summarizer too; a bare string is an answer that stopped by itself. */
export type SummarizeFunction = (request: SummaryRequest) => Promise<SummaryAnswer | string>;

/** A function as a summarizer, under its own name; a summarizer as it is. */
export function asSummarizer(given: Summarizer | SummarizeFunction): Summarizer {
  if (typeof given !== "function") return given;
  return {
    name: given.name === "" ? "function" : given.name,
    summarize: async (request) => {
      const answer = await given(request);
      return typeof answer === "string" ? { text: answer } : answer;
    },
  };
}

/** One call of a model, for the report. */
export interface SummaryCall {
  readonly summarizer: string;
  /** 1, or 2 for the retry that names what was wrong. */
  readonly attempt: 1 | 2;
  /** The prompt as it was sent. */
  readonly prompt: SummaryPrompt;
  /** Whether the live request was the prefix; then `prompt.user` is what stood behind it. */
  readonly reusedPrompt: boolean;
  /** Absent when the provider reported none, e.g. because the call failed. */
  readonly usage?: SummaryUsage;
  readonly durationMs: number;
  /** Whether there was an answer at all, good or bad. */
  readonly isAnswered: boolean;
  /** The faults of the answer, or the reasons why there was none; empty when it was accepted. */
  readonly problems: readonly string[];
}

/** A model's summary of a head. */
export interface ModelSummary {
  /** The words by section. Absent when nothing usable came back; then the summary is extractive. */
  readonly words?: Words;
  readonly calls: readonly SummaryCall[];
  /** Why there are no words, one sentence. */
  readonly failure?: string;
}

/** The usage of a call, where the cache is a part of the input. */
export function summaryUsage(usage: Usage | undefined): SummaryUsage | undefined {
  if (usage === undefined) return undefined;
  const { input, cacheRead = 0, cacheWrite = 0, output } = usage;
  return { input: input + cacheRead + cacheWrite, cached: cacheRead, output };
}

import type { Archive } from "../archive/archive.ts";
import type { ContinuationPolicy } from "../core/continuation/index.ts";
import type { BudgetOptions } from "../core/overflow/index.ts";
import type { RequestLimits } from "../core/plan/index.ts";
import type { PruneOptions } from "../core/prune/index.ts";
import type { TemplateOverrides } from "../core/summary/index.ts";
import type { TokenCounter } from "../core/tokens/index.ts";
import type { ToolKinds } from "../core/tools/index.ts";
import type { ToolLimitOverrides } from "../core/truncate/index.ts";
import type { DialectTraits } from "../dialects/dialect.ts";
import type { JournalRecord } from "./journal.ts";

/** How a context behaves; every field has a default. */
export interface ContextOptions extends BudgetOptions, PruneOptions {
  /** Where originals go. @default a `memoryArchive()` of its own */
  readonly archive?: Archive;
  /** Counts tokens. @default the estimator */
  readonly counter?: TokenCounter;
  /** The system prompt that is sent beside the messages; it is counted, never changed. */
  readonly instructions?: string;
  /** The tool schemas that are sent; counted as JSON. */
  readonly tools?: unknown;
  /** Tokens that every request carries beside all this. @default 0 */
  readonly fixedTokens?: number;
  /** Limits on bytes and images of a request. @default none */
  readonly limits?: RequestLimits;
  /** What the messages will be encoded for. @default no rules beyond pairing */
  readonly traits?: DialectTraits;
  /** Names the kind of tools that the built-in table does not know. */
  readonly toolKinds?: ToolKinds;
  /** Limits and direction of truncation by tool name. @default 2000 lines, 50000 bytes, by kind */
  readonly toolLimits?: ToolLimitOverrides;
  /** What is added after a compaction so that the agent goes on. @default "auto" */
  readonly continuation?: ContinuationPolicy;
  /** Overrides of the summary's template. */
  readonly template?: TemplateOverrides;
  /** Working directory of the agent, so that one file has one name in the ledger. */
  readonly cwd?: string;
  /** A stored journal of this conversation, to go on from. @default empty */
  readonly journal?: readonly JournalRecord[];
  /** The clock, in ms since the epoch. @default Date.now */
  readonly now?: () => number;
}

import type { Archive } from "../archive/archive.ts";
import { ContextError } from "../core/error.ts";
import type { ToolKinds } from "../core/calls/index.ts";
import type { DescribeMedia } from "../core/compact/index.ts";
import type { ContinuationPolicy } from "../core/continuation/index.ts";
import type { BudgetOptions, NamedModel } from "../core/overflow/index.ts";
import type { RequestLimits } from "../core/plan/index.ts";
import type { PruneOptions } from "../core/prune/index.ts";
import { isProtectedBy, type ProtectedTools } from "../core/prune/protected-tools.ts";
import type { TemplateOverride } from "../core/summary/index.ts";
import type { TokenCounter } from "../core/tokens/index.ts";
import type { ToolLimitOverrides } from "../core/truncate/index.ts";
import type { DialectTraits } from "../dialects/dialect.ts";
import type { SummarizeFunction, Summarizer } from "../models/summarizer.ts";
import type { AnyContextEvent } from "./events.ts";
import type { JournalRecord } from "./journal.ts";

/** Settings of a context; every field has a default. */
export interface ContextOptions extends BudgetOptions, NamedModel, PruneOptions {
  /**
   * The place of originals: an archive, or in Node the address of one for many machines,
   * `postgres://user@host/database` or `s3://bucket/prefix`; passwords and keys come from the environment.
   * @default in Node a folder of its own in the archive of the state folder, else memory
   */
  readonly archive?: Archive | string;
  /** Counts tokens. @default the estimator */
  readonly counter?: TokenCounter;
  /** The system prompt that is sent beside the messages; it is counted, never changed. */
  readonly instructions?: string;
  /** The tool schemas that are sent; counted as JSON. */
  readonly tools?: unknown;
  /** Tokens that every request carries beside all this. @default 0 */
  readonly fixedTokens?: number;
  /** Limits on bytes and images of a request. @default none */
  readonly requestLimits?: RequestLimits;
  /** The rules of the dialect that the messages go out in. @default no rules beyond pairing */
  readonly traits?: DialectTraits;
  /** Names the kind of tools that the built-in table does not know. */
  readonly toolKinds?: ToolKinds;
  /**
   * Limits and direction of truncation by tool name. @default 2000 lines, 50000 bytes or a tenth of
   * a window below 125000 tokens, direction by kind
   */
  readonly toolLimits?: ToolLimitOverrides;
  /**
   * The agent has the tool `recall`. If not, notices and summaries name originals and tell it to
   * recall nothing.
   * @default whether one of that name is among the tools that the context is told
   */
  readonly recall?: boolean;
  /** The message after a compaction with which the agent goes on. @default "auto" */
  readonly continuation?: ContinuationPolicy;
  /**
   * Images and files of a user message without a reply when the context is compacted: described by
   * text and archived, or kept as they are.
   * @default "describe"
   */
  readonly unansweredMedia?: "describe" | "keep";
  /**
   * Images and files that every edit describes by text, wherever they stand, instead of leaving them:
   * `"links"` (their links may expire), `"all"`, or a function that says so of a file in its message.
   * An output of which one file goes becomes text as a whole. @default none
   */
  readonly describeMedia?: DescribeMedia;
  /** An override of the template of summaries; it stands above those of plugins. */
  readonly compactionTemplate?: TemplateOption;
  /**
   * The model that writes summaries, or a function. Its words stand above the recorded facts; where
   * it fails the summary holds those alone. @default "extractive", which asks nobody
   */
  readonly summarizer?: Summarizer | SummarizeFunction | "extractive";
  /**
   * The longest that one summary may take, all calls together, in ms.
   * @default `LONGHAUL_SUMMARIZER_TIMEOUT_MS`, else 60000
   */
  readonly summarizerTimeoutMs?: number;
  /**
   * The share of the overflow limit from which the model's summary is prepared while the agent
   * works; `false` to start only when it is needed. @default 0.85
   */
  readonly summarizeAhead?: number | false;
  /** Rules that hold whatever the conversation says; they stand in every summary word for word. */
  readonly constraints?: readonly string[];
  /** Bundles of settings; the context's own settings win. */
  readonly plugins?: readonly ContextPlugin[];
  /** Working directory of the agent, so that one file has one name in the ledger. */
  readonly cwd?: string;
  /**
   * The conversation's id, e.g. of a session. Its journal is then kept in the archive: every edit is
   * stored before it is used, and a context that is created with the same id and archive, in any
   * process, goes on with the same view. The archive must keep journals (`directoryArchive` does).
   */
  readonly conversation?: string;
  /** A stored journal of this conversation, to go on from. @default empty */
  readonly journal?: readonly JournalRecord[];
  /** The clock, in ms since the epoch. @default Date.now */
  readonly now?: () => number;
}

/**
 * An override of the template: as data, as Markdown (each heading is a section, the text below it
 * its purpose), or as a function that gives either when a summary is to be written.
 */
export type TemplateOption = TemplateOverride | string | TemplateFunction;

/**
 * Asked for each compaction, and when a summary is begun ahead of one. `undefined` changes nothing.
 * An error, or an answer that makes no sense, is a failure in the report; the summary then has the
 * sections that it would have without it.
 */
export type TemplateFunction = (request: TemplateRequest) => TemplateOverride | string | undefined;

/** The compaction that a template is wanted for. */
export interface TemplateRequest {
  /** The conversation's id, if the context has one. */
  readonly conversation?: string;
}

/** A bundle of settings and a listener that somebody else maintains. */
export interface ContextPlugin {
  /** For error messages. */
  readonly name: string;
  /** Stands above the default template and below the conversation's. */
  readonly compactionTemplate?: TemplateOption;
  /** Protected beside those of the context and of other plugins. */
  readonly protectedTools?: ProtectedTools;
  /** The context's own entries win. */
  readonly toolKinds?: ToolKinds;
  /** The context's own entries win. */
  readonly toolLimits?: ToolLimitOverrides;
  /** Used where the context has none; a later plugin wins, as in every field. */
  readonly summarizer?: Summarizer | SummarizeFunction;
  /** Gets every event of the context. Its errors are ignored. */
  readonly onEvent?: (event: AnyContextEvent) => void;
}

/** The options of a context with what its plugins bring; the context's own settings win. */
export function withPlugins(options: ContextOptions): ContextOptions {
  const { plugins = [] } = options;
  const named = [options, ...plugins]
    .map(({ protectedTools: tools }) => tools)
    .filter((tools) => tools !== undefined);
  // An iterable may give its entries only once.
  const protectedTools = named.length === 0 ? undefined : protectedByAny(named);
  if (plugins.length === 0) return { ...options, protectedTools };
  const { summarizer = plugins.findLast((plugin) => plugin.summarizer !== undefined)?.summarizer } =
    options;
  return {
    ...options,
    summarizer,
    toolKinds: Object.assign({}, ...plugins.map((plugin) => plugin.toolKinds), options.toolKinds),
    toolLimits: Object.assign({}, ...plugins.map((one) => one.toolLimits), options.toolLimits),
    protectedTools,
  };
}

function protectedByAny(sets: readonly ProtectedTools[]): ProtectedTools {
  const tests = sets.map(isProtectedBy);
  return (toolName, call) => tests.some((isProtected) => isProtected(toolName, call));
}

/** The template's overrides: those of the plugins, in their order, then the context's own. */
export function templatesOf({
  plugins = [],
  compactionTemplate,
}: ContextOptions): readonly (TemplateOption | undefined)[] {
  return [...plugins.map((plugin) => plugin.compactionTemplate), compactionTemplate];
}

/** The settings that hold for another conversation, too. */
export function withoutConversation({
  conversation: _c,
  journal: _j,
  instructions: _i,
  tools: _t,
  fixedTokens: _f,
  ...settings
}: ContextOptions): ContextOptions {
  return settings;
}

/** A pause that people accept; most models need less. */
const TIMEOUT_MS = 60_000;
const TIMEOUT_VARIABLE = "LONGHAUL_SUMMARIZER_TIMEOUT_MS";
/** Early enough for a model to answer while the agent fills the rest. */
const AHEAD_SHARE = 0.85;

/** The time limit in ms. Throws `invalid-options` for one that makes no sense. */
export function summarizerTimeout(option: number | undefined): number {
  // A runtime without a process, a browser's for instance, has no environment either.
  const variable = (globalThis as { process?: { env?: Record<string, string | undefined> } })
    .process?.env?.[TIMEOUT_VARIABLE];
  const named = option === undefined && variable !== undefined && variable !== "";
  const value = option ?? (named ? Number(variable) : TIMEOUT_MS);
  if (value > 0 && Number.isFinite(value)) return value;
  const name = named ? TIMEOUT_VARIABLE : "summarizerTimeoutMs";
  throw new ContextError(
    "invalid-options",
    `The option ${name} is ${String(named ? variable : option)}; it must be a number of milliseconds above 0.`,
    { details: { option: name, value: named ? variable : option } },
  );
}

/** The share of the limit at which summaries are begun; infinite for never. */
export function aheadShare(option: number | false | undefined): number {
  if (option === false) return Infinity;
  const share = option ?? AHEAD_SHARE;
  if (share > 0 && share <= 1) return share;
  throw new ContextError(
    "invalid-options",
    `The option summarizeAhead is ${String(option)}; it must be false, or above 0 and at most 1.`,
    { details: { option: "summarizeAhead", value: option } },
  );
}

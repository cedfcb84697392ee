import type { Archive } from "../archive/archive.ts";
import { rememberingDigest, sha256Hex } from "../archive/digest.ts";
import { memoryArchive } from "../archive/memory.ts";
import type { Digest } from "../core/message/index.ts";
import { ContextError } from "../core/error.ts";
import { createLedgerBook, type Ledger } from "../core/ledger/index.ts";
import {
  type ContextBudget,
  contextBudget,
  ESTIMATE_MARGIN,
  estimateLimit,
} from "../core/overflow/index.ts";
import {
  type CompactionTemplate,
  resolveTemplate,
  type TemplateOverride,
} from "../core/summary/index.ts";
import {
  createMessageMeter,
  isEstimator,
  type MessageMeter,
  type TokenCounter,
} from "../core/tokens/index.ts";
import { estimator } from "../core/tokens/estimator.ts";
import { type Breaker, createBreaker } from "../models/breaker.ts";
import { asSummarizer, type Summarizer } from "../models/summarizer.ts";
import { createEmitter, type Emitter } from "./events.ts";
import { checkGivenParts, checkOptions } from "./given-parts.ts";
import type { JournalRecord } from "./journal/journal.ts";
import { createPersistence, type Persistence } from "./journal/persistence.ts";
import { createRecordedFacts } from "./journal/recorded-facts.ts";
import { createTracker, type Tracker } from "./journal/tracker.ts";
import type { ContextOptions } from "./options.ts";
import { withPlugins } from "./plugins.ts";
import { type Ahead, createAhead } from "./summaries/ahead.ts";
import {
  aheadShare,
  createSpending,
  type Spending,
  summarizerTimeout,
} from "./summaries/summarizing.ts";
import { type Beside, createBeside } from "./view/beside.ts";
import { createGroundwork, type Groundwork } from "./view/groundwork.ts";
import { createRefillWatch, type RefillWatch } from "./view/refill.ts";
import { createUsageMeter, type Measured, type UsageMeter } from "./view/usage.ts";

/** Everything that one context remembers between two calls. */
export interface Session {
  readonly options: ContextOptions;
  /** Changes when a provider names another limit than the one we knew. */
  readonly budget: ContextBudget;
  /** Takes a smaller window than the one we knew, in the provider's tokens. */
  learnWindow(window: number): void;
  readonly archive: Archive;
  readonly digest: Digest;
  readonly counter: TokenCounter;
  readonly meter: MessageMeter;
  readonly usage: UsageMeter;
  readonly tracker: Tracker;
  readonly persistence: Persistence;
  /** The facts of all records together. */
  readonly recordedFacts: (records: readonly JournalRecord[]) => Ledger;
  readonly groundwork: Groundwork;
  readonly events: Emitter;
  /** What requests carry beside their messages. */
  readonly beside: Beside;
  readonly now: () => number;
  /** The model that writes summaries; absent where they are extractive. */
  readonly summarizer: Summarizer | undefined;
  /** In ms. */
  readonly summarizerTimeoutMs: number;
  readonly breaker: Breaker;
  readonly ahead: Ahead;
  readonly spending: Spending;
  /** Share of the overflow limit from which a summary is prepared; above 1 for never. */
  readonly aheadShare: number;
  readonly refill: RefillWatch;
  /** The tokens at which such a request overflows (T7): what is only estimated has a margin. */
  overflowLimit(measured: Measured): number;
  /** The template after all overrides, those of one call on top. Throws `invalid-options`. */
  templateFor(call: TemplateOverride | undefined): CompactionTemplate;
}

export function openSession(given: ContextOptions): Session {
  checkOptions(given);
  const options = withPlugins(given);
  checkGivenParts(options);
  // Here, and not when the window is full.
  templateOf(options, undefined);
  const digest = rememberingDigest(sha256Hex);
  const { counter = estimator, now = Date.now } = options;
  const archive = archiveOf(options, digest);
  const meter = createMessageMeter(counter);
  const beside = createBeside(options, counter);
  const tracker = createTracker(options.journal ?? [], sha256Hex);
  const { toolKinds, cwd } = options;
  let budget = contextBudget(options);
  return {
    options,
    get budget() {
      return budget;
    },
    learnWindow(window) {
      const { maxInput: _, ...rest } = options;
      if (window < budget.window) budget = contextBudget({ ...rest, window });
    },
    archive,
    digest,
    counter,
    meter,
    usage: createUsageMeter(meter, () => beside.tokens),
    tracker,
    persistence: createPersistence(
      options.conversation === undefined ? undefined : archive.journal,
      tracker,
    ),
    recordedFacts: createRecordedFacts({ cwd }),
    groundwork: createGroundwork(meter, () =>
      createLedgerBook({ offset: tracker.consumed, toolKinds, cwd }),
    ),
    events: emitterFor(options),
    beside,
    now,
    ...summarizing(options, now),
    refill: createRefillWatch(),
    overflowLimit({ source, estimatedPart }) {
      const { usable } = budget;
      if (!isEstimator(counter)) return usable;
      if (source === "estimated") return estimateLimit(usable);
      return Math.floor(usable - estimatedPart * ESTIMATE_MARGIN);
    },
    templateFor: (call) => templateOf(options, call),
  };
}

function templateOf(
  { plugins = [], compactionTemplate: conversation }: ContextOptions,
  call: TemplateOverride | undefined,
): CompactionTemplate {
  const own = plugins.flatMap((plugin) => plugin.compactionTemplate ?? []);
  return resolveTemplate([...own, conversation, call]);
}

/** The archive, or the part of it that belongs to the conversation. */
function archiveOf({ archive, conversation }: ContextOptions, digest: Digest): Archive {
  if (conversation === undefined) return archive ?? memoryArchive({ digest });
  const own = archive?.conversation?.(conversation);
  if (own?.journal !== undefined) return own;
  const problem =
    archive === undefined
      ? "There is no archive, so nothing of a conversation would be kept"
      : `The archive "${archive.name}" keeps no journals`;
  throw new ContextError(
    "invalid-options",
    `${problem}; with the option conversation, pass archive: directoryArchive(folder).`,
    { details: { option: "conversation", value: conversation } },
  );
}

type Summarizing = Pick<
  Session,
  "summarizer" | "summarizerTimeoutMs" | "breaker" | "ahead" | "spending" | "aheadShare"
>;

function summarizing(options: ContextOptions, now: () => number): Summarizing {
  const { summarizer } = options;
  const isModel = summarizer !== undefined && summarizer !== "extractive";
  return {
    summarizer: isModel ? asSummarizer(summarizer) : undefined,
    summarizerTimeoutMs: summarizerTimeout(options.summarizerTimeoutMs),
    breaker: createBreaker({ now }),
    ahead: createAhead(),
    spending: createSpending(),
    aheadShare: aheadShare(options.summarizeAhead),
  };
}

/** The listeners of plugins hear everything. */
function emitterFor({ plugins = [] }: ContextOptions): Emitter {
  const emitter = createEmitter();
  for (const { onEvent } of plugins) if (onEvent !== undefined) emitter.onAny(onEvent);
  return emitter;
}

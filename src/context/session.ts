import type { Archive } from "../archive/archive.ts";
import { rememberingDigest, sha256Hex } from "../archive/digest.ts";
import { memoryArchive } from "../archive/memory.ts";
import type { Digest } from "../core/handle/index.ts";
import { createLedgerBook } from "../core/ledger/index.ts";
import { type ContextBudget, contextBudget } from "../core/overflow/index.ts";
import {
  createMessageMeter,
  estimator,
  type MessageMeter,
  type TokenCounter,
  valueTokens,
} from "../core/tokens/index.ts";
import { createEmitter, type Emitter } from "./events.ts";
import { createGroundwork, type Groundwork } from "./groundwork.ts";
import type { ContextOptions } from "./options.ts";
import { createTracker, type Tracker } from "./tracker.ts";
import { createUsageMeter, type UsageMeter } from "./usage.ts";

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
  readonly groundwork: Groundwork;
  readonly events: Emitter;
  /** Tokens of the system prompt and the tool schemas, in the counter's tokens. */
  readonly fixedTokens: number;
  readonly now: () => number;
}

export function openSession(options: ContextOptions): Session {
  const digest = rememberingDigest(sha256Hex);
  const { archive = memoryArchive({ digest }), counter = estimator, now = Date.now } = options;
  const meter = createMessageMeter(counter);
  const fixedTokens =
    (options.fixedTokens ?? 0) +
    counter.count(options.instructions ?? "") +
    valueTokens(options.tools, counter);
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
    usage: createUsageMeter(meter, fixedTokens),
    tracker,
    groundwork: createGroundwork(meter, () =>
      createLedgerBook({ offset: tracker.consumed, toolKinds, cwd }),
    ),
    events: createEmitter(),
    fixedTokens,
    now,
  };
}

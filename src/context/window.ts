import type { JournalRecord } from "./journal.ts";
import type { BudgetOptions } from "../core/overflow/index.ts";
import { type ContextBudget, budgetOf, type NamedModel } from "../core/overflow/budget.ts";

/** A request that a provider refused as too large. */
export interface RefusedRequest {
  /** The limit that it names, if it names one. */
  readonly limit?: number;
  readonly tokens: number;
}

/** The size of the window: the options, and what providers have shown since. */
export interface LearnedWindow {
  readonly budget: () => ContextBudget;
  /** A request that asks for a shorter answer than usual leaves more room. */
  readonly note: (sent: { readonly maxOutput?: number }) => void;
  /** A provider has answered a request of so many tokens. */
  readonly accept: (tokens: number) => void;
  /**
   * A limit that is named holds from now on, if it can be true. A refusal that names none may have
   * many reasons: it holds until {@link settle}, unless another one confirms it.
   */
  refuse(refused: RefusedRequest): void;
  settle(): void;
  /** The limit that was named, for the record of the edit that it led to. */
  readonly learned: () => JournalRecord["window"];
  /** Takes the limit of a stored record, if it was learned under the same options. */
  restore(stored: JournalRecord["window"]): void;
}

/** A refused request that names no limit shows at least that less than this share of it is taken. */
const REFUSED_SHARE = 0.9;
/** A second refusal confirms the first if its request was not much smaller. */
const CONFIRMING_SHARE = 0.8;
/** No model has a smaller window. */
const LEAST_WINDOW = 1_000;

export function createWindow(options: BudgetOptions & NamedModel): LearnedWindow {
  const configured = budgetOf(options);
  const usual = configured.reserved;
  let reserved: number | undefined;
  let learned: number | undefined;
  let passing: number | undefined;
  let accepted = 0;
  let refusedAt: number | undefined;
  let current = configured;
  const update = (): void => {
    const window = passing ?? learned;
    const shrunk = window === undefined ? {} : { window, maxInput: undefined };
    current = budgetOf({ ...options, reserved: reserved ?? options.reserved, ...shrunk });
  };
  const learn = (window: number): void => {
    if (window < (learned ?? configured.window)) learned = window;
    update();
  };
  return {
    budget: () => current,
    note({ maxOutput }) {
      if (options.reserved !== undefined || !isCount(maxOutput)) return;
      const wanted = Math.min(maxOutput, usual);
      if (wanted === (reserved ?? usual)) return;
      reserved = wanted;
      update();
    },
    accept(tokens) {
      accepted = Math.max(accepted, tokens);
    },
    refuse({ limit = 0, tokens }) {
      if (limit >= Math.max(LEAST_WINDOW, accepted)) return learn(limit);
      const isConfirmed = refusedAt !== undefined && tokens >= refusedAt * CONFIRMING_SHARE;
      const guess = Math.max(LEAST_WINDOW, Math.floor(tokens * REFUSED_SHARE));
      refusedAt = tokens;
      if (isConfirmed && tokens > accepted) return learn(Math.max(guess, accepted));
      passing = Math.min(guess, learned ?? configured.window);
      update();
    },
    settle() {
      if (passing === undefined) return;
      passing = undefined;
      update();
    },
    learned: () =>
      learned === undefined ? undefined : { tokens: learned, insteadOf: configured.window },
    restore(stored) {
      if (stored?.insteadOf === configured.window && stored.tokens !== learned)
        learn(stored.tokens);
    },
  };
}

/** Requests are the caller's; what makes no sense there is for the provider to refuse. */
function isCount(value: number | undefined): value is number {
  return value !== undefined && Number.isFinite(value) && value > 0;
}

import { checkNames } from "../options.ts";
import { invalidOption } from "../rules.ts";
import {
  assertOptions,
  BUDGET_RULES,
  budgetOptions,
  type BudgetOptions,
  LEAST_SUMMARY,
} from "./budget-options.ts";

/** The original's reserve for the model's answer, in tokens. */
const DEFAULT_RESERVED = 20_000;

/**
 * Window taken when nobody says how large it is: the smallest that current hosted models share.
 * A provider's overflow error that names the limit replaces it.
 */
export const DEFAULT_WINDOW = 128_000;

/**
 * An estimate is no count: where tokens are estimated, overflow begins this share below usable, and
 * results stay below that. Whole conversations are estimated within about 3 % of an exact count.
 */
export const ESTIMATE_MARGIN = 0.05;

/** The model's id, where that is known. */
export interface NamedModel {
  /**
   * The model's id. It says how large the window is, where `window` does not, and how the model
   * counts, where neither `tokenFactor` nor a report does.
   */
  readonly model?: string;
}

/** The room of a window and its uses, in tokens. */
export interface ContextBudget {
  readonly window: number;
  /** False when the window is the default because nobody named one. */
  readonly isWindowKnown: boolean;
  readonly reserved: number;
  /** window (or max input) − reserved, at least 0. */
  readonly usable: number;
  /** The size that an edit aims for. */
  readonly target: number;
  /** T9: nothing is pruned for less. */
  readonly minimumSaving: number;
  /** T9: how many of the newest user turns are never pruned. */
  readonly protectedTurns: number;
  /** T9: the newest steps that are not pruned where turns give no boundary. */
  readonly recent: number;
  /** T8: what stays word for word at the end, and of how many units it consists at least. */
  readonly tail: number;
  readonly tailUnits: number;
  /** T8: steps of protected tools that stay word for word beside the tail. */
  readonly pinned: number;
  /** T12: the largest summary. */
  readonly summary: number;
}

/**
 * Computes the budget (T7). Throws `ContextError` code `invalid-options` for a number that makes no
 * sense.
 * @example
 * import { contextBudget } from "longhaul";
 *
 * const { reserved, usable, target } = contextBudget({ window: 128_000 });
 * console.log(reserved, usable, target); // 20000 108000 64800
 */
export function contextBudget(options: BudgetOptions & NamedModel = {}): ContextBudget {
  assertOptions(options);
  checkNames(options, { ...BUDGET_RULES, model: true });
  return budgetOf(options);
}

/** The same from options of which only some are about a budget. */
export function budgetOf(options: BudgetOptions & NamedModel): ContextBudget {
  const given = budgetOptions(options);
  const { model = "" } = options;
  if (typeof model !== "string") throw invalidOption("model", model, "a text");
  const known = given.window ?? modelWindow(model);
  const window = Math.floor(known ?? DEFAULT_WINDOW);
  const limit = Math.min(window, Math.floor(given.maxInput ?? window));
  const reserved = Math.min(Math.floor(given.reserved ?? DEFAULT_RESERVED), Math.floor(window / 2));
  const usable = Math.max(0, limit - reserved);
  const amount = (tokens: number | undefined, share: number | undefined, usual: number): number => {
    if (tokens === undefined && share === undefined) return usual;
    return Math.floor(Math.min(tokens ?? Infinity, (share ?? 1) * usable));
  };
  const share = (part: number): number => Math.floor(usable * part);
  const { targetTokens, recentTokens, tailTokens, pinnedTokens, summaryTokens } = given;
  const summary = amount(summaryTokens, given.summaryShare, between(800, share(0.25), 12_000));
  return {
    window,
    isWindowKnown: known !== undefined,
    reserved,
    usable,
    target: amount(targetTokens, given.targetShare, share(0.6)),
    minimumSaving: given.minimumSaving ?? Math.min(20_000, Math.floor(window * 0.1)),
    protectedTurns: given.protectedTurns ?? 2,
    recent: amount(recentTokens, given.recentShare, Math.min(40_000, share(0.4))),
    tail: amount(tailTokens, given.tailShare, between(2_000, share(0.25), 8_000)),
    // A tail of one unit would hold a tool result without what led to it.
    tailUnits: given.tailUnits ?? 2,
    pinned: amount(pinnedTokens, given.pinnedShare, share(0.25)),
    summary: Math.max(LEAST_SUMMARY, summary),
  };
}

function between(least: number, value: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

/**
 * T7: overflow when tokens >= usable, so that the edit happens before the provider refuses. A part of
 * a token counts as a whole one.
 */
export function isOverflow(tokens: number, budget: Pick<ContextBudget, "usable">): boolean {
  return wholeTokens(tokens) >= budget.usable;
}

/** The same fractions add up to a little more or less in another order. */
const NOISE = 1e-6;

/** A provider's factor makes fractions of tokens; whoever compares or tells a size does so in whole ones. */
export function wholeTokens(tokens: number): number {
  return Math.ceil(tokens - NOISE);
}

/** The tokens at which an estimated request overflows: usable less the margin. */
export function estimateLimit(usable: number, margin: number = ESTIMATE_MARGIN): number {
  return Math.floor(usable * (1 - margin));
}

/**
 * Windows of model families, in tokens, as their makers publish them, or the largest input where that
 * is less; the first pattern that fits counts. Only used where neither the person nor the session names the window.
 */
const MODEL_WINDOWS: readonly (readonly [RegExp, number])[] = [
  [/claude.*\[1m\]/i, 1_000_000],
  [/claude/i, 200_000],
  [/gpt-4\.1/i, 1_047_576],
  [/gpt-5[^/]*-chat/i, 128_000],
  // Sold with 400,000, of which 128,000 are for the answer: a longer input is refused.
  [/gpt-5/i, 272_000],
  [/gpt-4o|gpt-4-turbo/i, 128_000],
  [/\bo[134](?:-|$)/i, 200_000],
  [/gemini/i, 1_048_576],
  [/deepseek/i, 128_000],
  [/kimi|qwen3?-?coder/i, 256_000],
  [/glm-4\.[5-9]|glm-5/i, 200_000],
];

/** The window of a model by its id, in tokens; `undefined` for families that are not known here. */
export function modelWindow(model: string): number | undefined {
  return MODEL_WINDOWS.find(([pattern]) => pattern.test(model))?.[1];
}

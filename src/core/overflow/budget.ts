import { ContextError } from "../error.ts";

/** The original's reserve for the model's answer, in tokens. */
const DEFAULT_RESERVED = 20_000;

/**
 * Window taken when nobody says how large it is: the smallest that current hosted models share.
 * A provider's overflow error that names the limit replaces it.
 */
export const DEFAULT_WINDOW = 128_000;

/** Pruning that brings the context below this share of usable makes a summary needless. */
const DEFAULT_TARGET_RATIO = 0.6;

/**
 * An estimate is no count: where tokens are estimated, overflow begins this share below usable, and
 * results stay below that. Whole conversations are estimated within about 3 % of an exact count.
 */
export const ESTIMATE_MARGIN = 0.05;

/** What the caller knows about the model; all in tokens. */
export interface BudgetOptions {
  /** The model's context window. @default 128000, and the budget says that it was a guess */
  readonly window?: number;
  /** The largest input, if the model declares one below its window. */
  readonly maxInput?: number;
  /** Kept free for the answer. @default 20000, never more than half the window */
  readonly reserved?: number;
  /** Share of usable that an edit aims for. @default 0.6 */
  readonly targetRatio?: number;
}

/** How much room there is, in tokens. */
export interface ContextBudget {
  readonly window: number;
  /** False when the window is the default because nobody named one. */
  readonly isWindowKnown: boolean;
  readonly reserved: number;
  /** window (or max input) − reserved, at least 0. */
  readonly usable: number;
  /** What an edit aims for. */
  readonly target: number;
}

/**
 * Computes the budget (T7). Throws `ContextError` code `invalid-options` for a window, reserve or
 * ratio that is no sensible number.
 */
export function contextBudget(options: BudgetOptions = {}): ContextBudget {
  const window = positive("window", options.window ?? DEFAULT_WINDOW);
  const limit = Math.min(window, positive("maxInput", options.maxInput ?? window));
  const wanted = options.reserved ?? DEFAULT_RESERVED;
  if (!(wanted >= 0)) throw invalid("reserved", wanted, "a number of tokens, 0 or more");
  const ratio = options.targetRatio ?? DEFAULT_TARGET_RATIO;
  if (!(ratio > 0 && ratio <= 1)) throw invalid("targetRatio", ratio, "above 0 and at most 1");
  const reserved = Math.min(Math.floor(wanted), Math.floor(window / 2));
  const usable = Math.max(0, limit - reserved);
  return {
    window,
    isWindowKnown: options.window !== undefined,
    reserved,
    usable,
    target: Math.floor(usable * ratio),
  };
}

/** T7: overflow when tokens >= usable, so that the edit happens before the provider refuses. */
export function isOverflow(tokens: number, budget: Pick<ContextBudget, "usable">): boolean {
  return tokens >= budget.usable;
}

/** The tokens at which an estimated request overflows: usable less the margin. */
export function estimateLimit(usable: number, margin: number = ESTIMATE_MARGIN): number {
  return Math.floor(usable * (1 - margin));
}

function positive(name: string, value: number): number {
  if (!(value > 0 && Number.isFinite(value)))
    throw invalid(name, value, "a number of tokens above 0");
  return Math.floor(value);
}

function invalid(name: string, value: unknown, expected: string): ContextError {
  return new ContextError(
    "invalid-options",
    `The option ${name} is ${String(value)}; it must be ${expected}.`,
    { details: { option: name, value } },
  );
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

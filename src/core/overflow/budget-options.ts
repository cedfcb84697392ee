import { ContextError } from "../error.ts";
import { checkValues, invalidOption, is, type Rule, shownValue, whole } from "../rules.ts";
import { MAX_FACTOR, MIN_FACTOR } from "../tokens/calibrate.ts";

/**
 * The numbers of a context: tokens, or shares of usable from 0 to 1. Of tokens and a share
 * for one thing the smaller amount counts; one alone decides.
 */
export interface BudgetOptions {
  /** The model's context window. @default that of `model`, else 128000, a guess that is told */
  readonly window?: number;
  /** The largest input, if the model declares one below its window. */
  readonly maxInput?: number;
  /** Kept free for the answer. @default 20000, never more than half the window */
  readonly reserved?: number;
  /**
   * The provider's tokens for one that is estimated, from 0.5 to 2.5, until it has reported some.
   * @default what the family of `model` is known for, else 1
   */
  readonly tokenFactor?: number;
  /** The size that an edit aims for. @default 0.6 of usable */
  readonly targetTokens?: number;
  readonly targetShare?: number;
  /** T9: nothing is pruned for less. @default 20000, or 10 % of the window if that is less */
  readonly minimumSaving?: number;
  /**
   * T9: the newest user turns, of which nothing is pruned; with 0, turns never give the boundary.
   * @default 2
   */
  readonly protectedTurns?: number;
  /**
   * T9: the newest steps of which nothing is pruned, where turns give no boundary.
   * @default 40000, or 0.4 of usable if that is less
   */
  readonly recentTokens?: number;
  readonly recentShare?: number;
  /** T8: what stays word for word at the end. @default 0.25 of usable, 2000 to 8000 */
  readonly tailTokens?: number;
  readonly tailShare?: number;
  /** T8: steps and other messages of the tail, at least. @default 2 */
  readonly tailUnits?: number;
  /**
   * T8: steps of protected tools (skills) that stay word for word although they are older than the
   * tail. @default 0.25 of usable
   */
  readonly pinnedTokens?: number;
  readonly pinnedShare?: number;
  /** T12: the largest summary, at least 300. @default 0.25 of usable, 800 to 12000 */
  readonly summaryTokens?: number;
  readonly summaryShare?: number;
}

/** Fewer tokens have no room for five headings and what they leave out. */
export const LEAST_SUMMARY = 300;

function number(expected: string, fits: (value: number) => boolean): Rule {
  return is(expected, (value) => typeof value === "number" && fits(value));
}

const SIZE = number("a number of tokens above 0", (value) => value > 0 && Number.isFinite(value));
const TOKENS = number("a number of tokens, 0 or more", (value) => value >= 0);
const SHARE = number(
  "a share of usable from 0 to 1, e.g. 0.25",
  (value) => value >= 0 && value <= 1,
);

export const BUDGET_RULES: Readonly<Record<keyof BudgetOptions, Rule>> = {
  window: SIZE,
  maxInput: SIZE,
  reserved: TOKENS,
  tokenFactor: number(
    `a number from ${MIN_FACTOR} to ${MAX_FACTOR}`,
    (value) => value >= MIN_FACTOR && value <= MAX_FACTOR,
  ),
  targetTokens: SIZE,
  targetShare: number("above 0 and at most 1", (value) => value > 0 && value <= 1),
  minimumSaving: TOKENS,
  protectedTurns: whole(0),
  recentTokens: TOKENS,
  recentShare: SHARE,
  tailTokens: TOKENS,
  tailShare: SHARE,
  tailUnits: whole(1),
  pinnedTokens: TOKENS,
  pinnedShare: SHARE,
  summaryTokens: number(
    `a number of tokens, ${LEAST_SUMMARY} or more`,
    (value) => value >= LEAST_SUMMARY,
  ),
  summaryShare: SHARE,
};

export const BUDGET_OPTIONS = Object.keys(BUDGET_RULES) as readonly (keyof BudgetOptions)[];

/**
 * The budget options among those of an object, checked: from a settings file or from anybody else
 * whose types nobody knows. Throws `ContextError` code `invalid-options` for what makes no sense.
 */
export function budgetOptions(given: object): BudgetOptions {
  assertOptions(given);
  const values: Partial<Record<keyof BudgetOptions, number>> = {};
  for (const name of BUDGET_OPTIONS) {
    const value: unknown = (given as Readonly<Record<string, unknown>>)[name];
    if (value === undefined) continue;
    checkValues({ [name]: value }, BUDGET_RULES);
    values[name] = value as number;
  }
  return values;
}

/** Complains about options that are none, such as the id of a model. Throws `invalid-options`. */
export function assertOptions(options: unknown): asserts options is object {
  if (typeof options === "object" && options !== null && !Array.isArray(options)) return;
  throw new ContextError(
    "invalid-options",
    `The options are ${shownValue(options)}; they must be an object, e.g. { window: 200_000 }.`,
  );
}

export type Amount = "target" | "recent" | "tail" | "pinned" | "summary";

const UNITS: Readonly<Record<string, number>> = { "": 1, k: 1_000, m: 1_000_000 };

/**
 * An amount as a person writes it: tokens (`12000`, `12k`) or a share of usable (`25%`). Throws
 * `ContextError` code `invalid-options` for anything else.
 */
export function amountOption(amount: Amount, text: string): BudgetOptions {
  const [, digits = "", unit = ""] = /^(\d+(?:\.\d+)?)([km%]?)$/i.exec(text.trim()) ?? [];
  if (digits === "")
    throw invalidOption(amount, text, "tokens or a share of usable, e.g. 12k or 25%");
  return budgetOptions(
    unit === "%"
      ? { [`${amount}Share`]: Number(digits) / 100 }
      : { [`${amount}Tokens`]: Math.round(Number(digits) * (UNITS[unit.toLowerCase()] ?? 1)) },
  );
}

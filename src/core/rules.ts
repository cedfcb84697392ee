import { ContextError } from "./error.ts";
import { checkNames } from "./options.ts";
import { isRecord } from "./text/json.ts";

/** A value that a rule does not take, and where it stands. */
export interface Problem {
  readonly at: string;
  readonly expected: string;
  readonly value: unknown;
}

/** Looks at a value that stands at a place; `undefined` for one that fits. */
export type Rule = (value: unknown, at: string) => Problem | undefined;

/** Rules for fields or arguments, by their names. */
export type Rules = Readonly<Record<string, Rule>>;

/** Any value that a test takes. */
export function is(expected: string, test: (value: unknown) => boolean): Rule {
  return (value, at) => (test(value) ? undefined : { at, expected, value });
}

/** The same in other words, about the value as a whole. */
export function named(expected: string, rule: Rule): Rule {
  return is(expected, (value) => fits(rule, value));
}

/** Whether a value is as a rule wants it. */
export function fits(rule: Rule, value: unknown): boolean {
  return rule(value, "") === undefined;
}

export function optional(rule: Rule): Rule {
  return (value, at) => (value === undefined ? undefined : rule(value, at));
}

export function list(rule: Rule): Rule {
  return (value, at) => {
    if (!Array.isArray(value)) return { at, expected: "an array", value };
    return first(value.entries(), (one, index) => rule(one, `${at}[${index}]`));
  };
}

/** An object with these fields; others may stand beside them. */
export function record(rules: Rules, expected = "an object"): Rule {
  return (value, at) => {
    if (!isRecord(value)) return { at, expected, value };
    return first(Object.entries(rules), (rule, name) => rule(value[name], `${at}.${name}`));
  };
}

/** Options: every one that there is, and no other name. */
export function options<Options>(rules: {
  readonly [Name in keyof Required<Options>]: Rule;
}): Rule {
  const fields = record(rules);
  return (value, at) => {
    if (isRecord(value)) checkNames(value, rules);
    return fields(value, at);
  };
}

/** An object of any names. */
export function each(rule: Rule): Rule {
  return (value, at) => {
    if (!isRecord(value)) return { at, expected: "an object", value };
    return first(Object.entries(value), (one, name) => rule(one, `${at}.${name}`));
  };
}

function first<Key, One>(
  entries: Iterable<readonly [Key, One]>,
  look: (one: One, key: Key) => Problem | undefined,
): Problem | undefined {
  for (const [key, one] of entries) {
    const problem = look(one, key);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

export function oneOf(...values: readonly unknown[]): Rule {
  const shown = values.map((value) => (typeof value === "string" ? `"${value}"` : String(value)));
  return is(shown.join(" or "), (value) => values.includes(value));
}

export const ANYTHING: Rule = () => undefined;
export const TEXT: Rule = is("a string", (value) => typeof value === "string");
export const FLAG: Rule = is("true or false", (value) => typeof value === "boolean");
export const FUNCTION: Rule = is("a function", (value) => typeof value === "function");
export const NUMBER: Rule = is(
  "a number",
  (value) => typeof value === "number" && !Number.isNaN(value),
);
export const AMOUNT: Rule = is(
  "a number, 0 or more",
  (value) => typeof value === "number" && value >= 0,
);
export const INDEX: Rule = whole(0);

export function whole(least: number): Rule {
  return is(
    `a whole number, ${least} or more`,
    (value) => Number.isInteger(value) && (value as number) >= least,
  );
}

/** Throws `invalid-options` for the first value that its rule does not take; `undefined` was not given. */
export function checkValues(values: object, rules: Rules): void {
  for (const [name, value] of Object.entries(values)) {
    const problem = value === undefined ? undefined : rules[name]?.(value, name);
    if (problem !== undefined) throw invalidOption(name, value, problem.expected);
  }
}

/** The error for an option whose value makes no sense. */
export function invalidOption(option: string, value: unknown, expected: string): ContextError {
  const details = { option, ...(typeof value !== "object" && { value }) };
  const said = `The option ${option} is ${shownValue(value)}; it must be ${expected}.`;
  return new ContextError("invalid-options", said, { details });
}

/** A number or a text as it is, any other value in two or three words. */
export function shownValue(value: unknown): string {
  if (typeof value === "string") return `"${value}"`;
  return typeof value === "number" ? String(value) : describeValue(value);
}

/** A wrong value in two or three words. */
export function describeValue(value: unknown): string {
  if (value === undefined) return "none";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}

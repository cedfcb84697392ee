import { KINDS } from "../core/calls/tool-kind.ts";
import { ContextError } from "../core/error.ts";
import { checkNames } from "../core/options.ts";
import { isHandle } from "../core/message/handle.ts";
import { assertMessages, describeValue, shapeProblem } from "../core/message/shape.ts";
import { isRecord } from "../core/text/json.ts";

/** What is wrong with an argument, and where in it. */
interface Problem {
  readonly at: string;
  readonly expected: string;
  readonly value: unknown;
}

/** Looks at an argument, or at what stands at a place in it. */
export type Rule = (value: unknown, at: string) => Problem | undefined;

/** Arguments by their names, in their order. */
export type Rules = Readonly<Record<string, Rule>>;

/**
 * A public function that looks at its arguments first: whoever calls it from JavaScript, or with what
 * was read from a file, gets a `ContextError` that names the place instead of an error of the runtime.
 * Inside the package the functions are called as they are, which costs nothing.
 */
/* @__NO_SIDE_EFFECTS__ */
export function door<Inner extends (...args: never[]) => unknown>(
  inner: Inner,
  rules: Rules,
): Inner {
  const checked = (...args: unknown[]): unknown => {
    for (const [index, [name, rule]] of Object.entries(rules).entries()) {
      const problem = rule(args[index], name);
      if (problem !== undefined) throw refused(inner.name, problem);
    }
    return inner(...(args as never[]));
  };
  return Object.defineProperty(checked, "name", { value: inner.name }) as unknown as Inner;
}

function refused(name: string, { at, expected, value }: Problem): ContextError {
  return new ContextError(
    "invalid-options",
    `${name} needs ${expected} in ${at} and has ${describeValue(value)}.`,
    { details: { at, expected } },
  );
}

/** Any value that a test takes. */
export function is(expected: string, fits: (value: unknown) => boolean): Rule {
  return (value, at) => (fits(value) ? undefined : { at, expected, value });
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
  const fits = record(rules);
  return (value, at) => {
    if (isRecord(value)) checkNames(value, rules);
    return fits(value, at);
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

export const ANYTHING: Rule = () => undefined;
export const TEXT = is("a string", (value) => typeof value === "string");
export const FLAG = is("true or false", (value) => typeof value === "boolean");
export const FUNCTION = is("a function", (value) => typeof value === "function");
export const NUMBER = is("a number", (value) => typeof value === "number" && !Number.isNaN(value));
export const AMOUNT = is("a number, 0 or more", (value) => typeof value === "number" && value >= 0);
export const INDEX = is("a whole number, 0 or more", isIndex);
export const HANDLE = is("a handle", (value) => typeof value === "string" && isHandle(value));
export const TOOL_KINDS = each(
  is(`a kind of ${KINDS.join(", ")}`, (value) => isOneOf(KINDS, value)),
);

function isIndex(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return values.includes(value);
}

export function oneOf(...values: readonly string[]): Rule {
  return is(values.map((value) => `"${value}"`).join(" or "), (value) => isOneOf(values, value));
}

/** Neutral messages: what is none of them says so itself, and how it becomes one. */
export const MESSAGES: Rule = (value) => {
  assertMessages(value);
  return undefined;
};

/** A part as it may stand in a message of some role. */
export function part(...types: readonly string[]): Rule {
  const expected = types.length === 0 ? "a part of a message" : `a ${types.join(", ")} part`;
  return is(expected, (value) => {
    if (shapeProblem({ role: "user", parts: [value] }) !== undefined) return false;
    return types.length === 0 || isOneOf(types, (value as { readonly type: string }).type);
  });
}

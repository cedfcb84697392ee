import { KINDS } from "../core/calls/tool-kind.ts";
import { ContextError } from "../core/error.ts";
import { isHandle } from "../core/message/handle.ts";
import { assertMessages, shapeProblem } from "../core/message/shape.ts";
import { describeValue, each, is, type Problem, type Rule, type Rules } from "../core/rules.ts";

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

export const HANDLE = is("a handle", (value) => typeof value === "string" && isHandle(value));
const KIND_NAMES: ReadonlySet<unknown> = new Set(KINDS);
export const TOOL_KINDS = each(
  is(`a kind of ${KINDS.join(", ")}`, (value) => KIND_NAMES.has(value)),
);

/** Neutral messages: what is none of them says so itself, and how it becomes one. */
export const MESSAGES: Rule = (value) => {
  assertMessages(value);
  return undefined;
};

/** A part of one of these types, as it may stand in a message of some role. */
export function part(...types: readonly string[]): Rule {
  return is(`a ${types.join(", ")} part`, (value) => {
    if (shapeProblem({ role: "user", parts: [value] }) !== undefined) return false;
    return types.includes((value as { readonly type: string }).type);
  });
}

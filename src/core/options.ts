import { ContextError } from "./error.ts";

/** Every field of an interface of options; one that is missing here does not compile. */
export type OptionNames<Options> = Readonly<Record<keyof Options, unknown>>;

/**
 * Throws `invalid-options` for a name that there is not: it would do nothing, and nobody would say so.
 * An `undefined` value counts as not given.
 */
export function checkNames(options: object, names: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(names, name)) continue;
    throw unknownOption(name, Object.keys(names));
  }
}

/** The defaults with the given values over them; an `undefined` one was not given. */
export function withDefaults<Options extends object>(
  defaults: Options,
  given: Partial<Options> = {},
): Options {
  const values = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(values) };
}

/** The error for a name that is none, with the nearest one that is. */
export function unknownOption(name: string, names: readonly string[]): ContextError {
  const nearest = names
    .map((option) => ({
      option,
      far: distance(name.toLowerCase(), option.toLowerCase()),
    }))
    .toSorted((one, other) => one.far - other.far)[0];
  const isNear = nearest !== undefined && nearest.far <= Math.max(2, name.length / 3);
  const hint = isNear ? ` Did you mean ${nearest.option}?` : "";
  return new ContextError("invalid-options", `There is no option ${name}.${hint}`, {
    details: { option: name },
  });
}

/** The number of letters that two words differ by: added, left out or exchanged. */
function distance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (const [at, letter] of [...one].entries()) {
    const next = [at + 1];
    for (let column = 1; column <= other.length; column++) {
      const same = (row[column - 1] ?? 0) + (letter === other[column - 1] ? 0 : 1);
      next.push(Math.min(same, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

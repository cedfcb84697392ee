import { ContextError } from "../core/error.ts";

/** Throws `invalid-options` for an option that is set and no number above 0. */
export function checkAboveZero(options: Readonly<Record<string, number | undefined>>): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || value > 0) continue;
    throw new ContextError(
      "invalid-options",
      `${name} is ${value}; it must be a number above 0. Leave it out for the default.`,
      { details: { [name]: value } },
    );
  }
}

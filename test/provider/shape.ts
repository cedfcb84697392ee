import { type JsonObject, words } from "./json.ts";
import type { Problems } from "./refusal.ts";

/** The fields of an object that a provider knows, and whether each must be there. */
export type Shape = ReadonlyMap<string, boolean>;

/** A shape from the names of its fields; those with a `!` must be there. */
export function shape(...lines: readonly string[]): Shape {
  return new Map([...words(...lines)].map((name) => [name.replace("!", ""), name.endsWith("!")]));
}

/** Our dialects let unknown fields travel; the real servers refuse them. */
export function* shapeProblems(value: JsonObject, known: Shape, at: string): Problems {
  const prefix = at === "" ? "" : `${at}.`;
  for (const [field, isNeeded] of known) {
    if (isNeeded && value[field] === undefined) {
      yield { message: `${prefix}${field}: Field required`, param: `${prefix}${field}` };
    }
  }
  for (const field of Object.keys(value)) {
    if (known.has(field)) continue;
    const param = `${prefix}${field}`;
    yield { message: `${param}: Extra inputs are not permitted`, param };
  }
}

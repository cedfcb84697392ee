import { text, typeName } from "./json.ts";
import type { Problem, Problems } from "./refusal.ts";

const TOOL_NAME = /^[a-zA-Z0-9_-]+$/;
const MAX_NAME = 64;

export function* nameProblems(name: unknown, param: string): Problems {
  if (typeof name !== "string") yield missing(param);
  if (!TOOL_NAME.test(text(name))) {
    yield {
      message: `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '${TOOL_NAME.source}'.`,
      param,
      code: "invalid_value",
    };
  }
  if (text(name).length > MAX_NAME) yield tooLong(param, MAX_NAME, text(name).length);
}

export function missing(param: string): Problem {
  return {
    message: `Missing required parameter: '${param}'.`,
    param,
    code: "missing_required_parameter",
  };
}

export function wrongType(param: string, expected: string, found: unknown): Problem {
  const name = typeName(found);
  const article = /^[aeiou]/.test(name) ? "an" : "a";
  return {
    message: `Invalid type for '${param}': expected ${expected}, but got ${name === "null" ? name : `${article} ${name}`} instead.`,
    param,
    code: "invalid_type",
  };
}

export function invalidValue(param: string, found: string, supported: readonly string[]): Problem {
  const list = supported.map((value) => `'${value}'`);
  const values =
    list.length > 2 ? `${list.slice(0, -1).join(", ")}, and ${list.at(-1)}` : list.join(" and ");
  return {
    message: `Invalid value: '${found}'. Supported values are: ${values}.`,
    param,
    code: "invalid_value",
  };
}

export function emptyArray(param: string): Problem {
  return {
    message: `Invalid '${param}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
    param,
    code: "empty_array",
  };
}

export function tooLong(param: string, limit: number, length: number): Problem {
  return {
    message: `Invalid '${param}': string too long. Expected a string with maximum length ${limit}, but got a string with length ${length} instead.`,
    param,
    code: "string_above_max_length",
  };
}

import { ContextError } from "../../core/error.ts";
import { endpoint } from "./endpoint.ts";
import type { HttpSummarizerOptions } from "./options.ts";

/** The model's name; throws `ContextError` code `invalid-options` for options that make no sense. */
export function namedModel(options: HttpSummarizerOptions): string {
  const { model, baseURL } = options;
  if (typeof model !== "string" || model.trim() === "") {
    throw invalid("needs the name of a model, e.g. claude-haiku-4-5");
  }
  if (baseURL !== undefined) endpoint(baseURL, "");
  checkedTokens(options);
  return model;
}

/** Throws `ContextError` code `invalid-options` for numbers of tokens that make no sense. */
export function checkedTokens({ window, maxTokens }: Sizes): void {
  for (const [field, value] of Object.entries({ window, maxTokens })) {
    if (value !== undefined && !(Number.isSafeInteger(value) && value > 0)) {
      throw invalid(`has ${field} ${value}; give a whole number of tokens from 1 on`);
    }
  }
}

type Sizes = Pick<HttpSummarizerOptions, "window" | "maxTokens">;

function invalid(problem: string): ContextError {
  return new ContextError("invalid-options", `A summarizer ${problem}.`);
}

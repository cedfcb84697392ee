import { ContextError } from "../core/error.ts";
import { anthropicSummarizer } from "./anthropic.ts";
import type { HttpSummarizerOptions } from "./http-summarizer.ts";
import { openaiCompatibleSummarizer } from "./openai-compatible.ts";
import { type Environment, processEnvironment, variable, withoutSecrets } from "./secrets.ts";
import type { Summarizer } from "./summarizer.ts";

/** The forms of a name, for messages and help. */
export const SUMMARIZER_FORMS: readonly string[] = [
  "extractive",
  "anthropic:MODEL",
  "openai:MODEL",
  "openai-compatible:URL#MODEL",
];

/** Options that a name does not say. */
export type NamedSummarizerOptions = Pick<HttpSummarizerOptions, "window" | "maxTokens" | "fetch">;

/**
 * The summarizer that a person names, e.g. `anthropic:claude-haiku-4-5` or
 * `openai-compatible:http://localhost:8080/v1#qwen3`; keys come from the environment alone. Throws
 * `ContextError` code `invalid-options` for any other name, and where the key is missing.
 */
export function summarizerByName(
  name: string,
  env: Environment = processEnvironment(),
  options: NamedSummarizerOptions = {},
): Summarizer | "extractive" {
  if (name === "extractive") return name;
  const [, kind = "", rest = ""] = /^([a-z-]+):(.+)$/s.exec(name) ?? [];
  const [, baseURL, model] = /^([^#]+)#(.+)$/s.exec(rest) ?? [];
  if (kind === "openai-compatible" && baseURL !== undefined && model !== undefined) {
    return openaiCompatibleSummarizer({ ...options, baseURL, model, env });
  }
  if (kind !== "anthropic" && kind !== "openai") throw unknownName(name);
  const provider = kind.toUpperCase();
  if (variable(env, `${provider}_BASE_URL`) === undefined) {
    requireKey(name, `${provider}_API_KEY`, env);
  }
  const create = kind === "anthropic" ? anthropicSummarizer : openaiCompatibleSummarizer;
  return create({ ...options, model: rest, env });
}

function requireKey(given: string, name: string, env: Environment): void {
  if (variable(env, name) !== undefined) return;
  const summarizer = withoutSecrets(given);
  throw new ContextError("invalid-options", `${summarizer} needs a key; set ${name}.`, {
    details: { summarizer, variable: name },
  });
}

function unknownName(name: string): ContextError {
  const forms = SUMMARIZER_FORMS.join(", ");
  return new ContextError(
    "invalid-options",
    // A key may have been put in the place of a name, or into an address.
    `There is no summarizer ${JSON.stringify(withoutSecrets(name))}; give one of ${forms}.`,
  );
}

import type { Environment } from "./environment.ts";

/** Takes secrets out of a text that others wrote. */
export type Redact = (text: string) => string;

/** Shorter values are placeholders such as `ollama`, which servers without keys are given. */
const MIN_LENGTH = 8;
const REPLACEMENT = "[redacted]";

/** Replaces each secret wherever it stands, also as JSON or a URL would spell it. */
export function redactor(secrets: readonly (string | undefined)[]): Redact {
  const spellings = new Set<string>();
  for (const secret of secrets) {
    for (const text of secret === undefined ? [] : [secret, secret.trim()]) {
      if (text.length < MIN_LENGTH) continue;
      for (const spelled of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]) {
        spellings.add(spelled);
      }
    }
  }
  // A longer spelling may hold a shorter one.
  const longestFirst = [...spellings].sort((a, b) => b.length - a.length);
  return (text) => longestFirst.reduce((clean, one) => clean.replaceAll(one, REPLACEMENT), text);
}

const SECRET_VARIABLE = /(?:KEY|TOKEN|SECRET|PASSWORD)$/;

/** Keys that others look up in the environment by themselves. */
export function secretsOf(env: Environment): readonly (string | undefined)[] {
  return Object.entries(env).flatMap(([name, value]) =>
    SECRET_VARIABLE.test(name) ? [value] : [],
  );
}

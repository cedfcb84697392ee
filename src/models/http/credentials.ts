import { ContextError } from "../../core/error.ts";
import type { HttpSummarizerOptions } from "./options.ts";
import { processEnvironment, variable } from "./environment.ts";
import { type Redact, redactor } from "./redact.ts";

/** Where a driver's key comes from and goes to. */
export interface KeyPlace {
  /** Name of the summarizer. */
  readonly summarizer: string;
  readonly variable: string;
  /** Whether a call without a key is pointless. */
  readonly isNeeded: boolean;
  readonly header: (key: string) => Readonly<Record<string, string>>;
}

/** What a call sends to say who asks, and what must never be said. */
export interface Credentials {
  readonly headers: Readonly<Record<string, string>>;
  readonly redact: Redact;
  readonly keyHint: string;
}

const SECRET_HEADER = /auth|key|token|secret|cookie/i;

/**
 * Looks the key up, for one call. Throws `ContextError` code `invalid-options` if there is none
 * where one is needed: asking again would not help.
 */
export function credentials(
  options: HttpSummarizerOptions,
  url: URL,
  place: KeyPlace,
): Credentials {
  const { apiKey, headers = {}, env = processEnvironment() } = options;
  // A key that was read from a file often ends with a line break, which no header takes.
  const key = apiKey?.trim() || variable(env, place.variable);
  const secretHeaders = Object.entries(headers).filter(([name]) => SECRET_HEADER.test(name));
  if (key === undefined && place.isNeeded && secretHeaders.length === 0) {
    throw noKey(place);
  }
  const own = key === undefined ? {} : place.header(key);
  return {
    headers: { ...own, ...lowerCased(headers) },
    redact: redactor([
      key,
      ...secretHeaders.flatMap(([, value]) => [value, value.replace(/^\S+\s+/, "")]),
      ...url.searchParams.values(),
    ]),
    keyHint: apiKey === undefined ? `check ${place.variable}` : "check the apiKey",
  };
}

function noKey({ summarizer, variable }: Pick<KeyPlace, "summarizer" | "variable">): ContextError {
  return new ContextError(
    "invalid-options",
    `${summarizer} has no key; set ${variable}, or pass apiKey.`,
    { details: { summarizer, variable } },
  );
}

function lowerCased(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
}

import { ContextError } from "../core/error.ts";

/** What the drivers that speak HTTP have in common. */
export interface HttpSummarizerOptions {
  readonly model: string;
  /** @default the provider's variable in the environment, looked up at each call */
  readonly apiKey?: string;
  /** Where the API is, e.g. a gateway. */
  readonly baseURL?: string;
  /** The model's context window in tokens. */
  readonly window?: number;
  /**
   * The most tokens that the answer may have, thinking included.
   * @default twice what the summary may have and 8000 more, between 1.25 times that and 16000, as far as the window goes
   */
  readonly maxTokens?: number;
  /** Further headers; they win over our own. */
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Further fields of the request; they win over our own. With `reusesPrompt` whatever the agent
   * sends beside messages and tools belongs here (`thinking`, `tool_choice`, `prompt_cache_key`),
   * since a provider's cache is only hit where these are the same.
   */
  readonly body?: Readonly<Record<string, unknown>>;
  /** Whether it is the agent's own model, so that the agent's request can be its prefix. @default false */
  readonly reusesPrompt?: boolean;
  /**
   * Whether the answer comes as a stream. Without one nothing is on the wire while the model thinks,
   * and proxies close such connections. @default true
   */
  readonly stream?: boolean;
  /** Where keys and base URLs are looked up. @default the environment of the process */
  readonly env?: Environment;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/**
 * The further fields of one request. What they say about tools goes where it has none, because the
 * APIs refuse it then.
 */
export function furtherFields(
  { body = {} }: Pick<HttpSummarizerOptions, "body">,
  content: { readonly tools?: unknown },
): NonNullable<HttpSummarizerOptions["body"]> {
  if (content.tools !== undefined || body["tools"] !== undefined) return body;
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body;
  return rest;
}

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

/**
 * The address of a path below a base URL; a base URL that ends with the path already is taken as it
 * is. Throws `ContextError` code `invalid-options` for what is no HTTP address.
 */
export function endpoint(baseURL: string, path: string): URL {
  const url = URL.canParse(baseURL) ? new URL(baseURL) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    // It may be a key in the wrong place, so it is not repeated here.
    throw badAddress("is no address; give one such as https://api.example.com/v1");
  }
  if (url.username !== "" || url.password !== "") {
    throw badAddress("holds a user name or a password; put it into the headers");
  }
  const base = url.pathname.replace(/\/+$/, "");
  url.pathname = base.endsWith(path) ? base : base + path;
  url.hash = "";
  return url;
}

function badAddress(problem: string): ContextError {
  return new ContextError("invalid-options", `The base URL of the summarizer ${problem}.`);
}

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Those of this process; none where there is no process, e.g. in a browser. */
export function processEnvironment(): Environment {
  const { process } = globalThis as { readonly process?: { readonly env?: Environment } };
  return process?.env ?? {};
}

/** A variable; one that is set to nothing is not set. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name]?.trim();
  return value === "" ? undefined : value;
}

/** Where a driver's key comes from and goes to. */
interface KeyPlace {
  /** Name of the summarizer. */
  readonly summarizer: string;
  readonly variable: string;
  /** Whether a call without a key is pointless. */
  readonly isNeeded: boolean;
  readonly header: (key: string) => Readonly<Record<string, string>>;
}

/** What a call sends to say who asks, and what must never be said. */
interface Credentials {
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

import { ContextError, isContextError } from "../core/error.ts";
import { checkNames, type OptionNames } from "../core/options.ts";
import { DEFAULT_WINDOW } from "../core/overflow/budget.ts";
import type { SummaryPrompt } from "../core/summary/prompt.ts";
import type { WireObject } from "../dialects/wire.ts";
import { summarizerFailed } from "./failure.ts";
import { type ModelRequest, post } from "./http.ts";
import { inputTokens, type Live, outputLimit, wireTools } from "./live-request.ts";
import { type Environment, processEnvironment, redactor, variable } from "./secrets.ts";
import type { Summarizer, SummaryAnswer, SummaryRequest, SummaryUsage } from "./summarizer.ts";

/** The options of the drivers that speak HTTP. */
export interface HttpSummarizerOptions {
  readonly model: string;
  /** @default the provider's variable in the environment, looked up at each call */
  readonly apiKey?: string;
  /** The API's base URL, e.g. of a gateway. */
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
  /** The variables with keys and base URLs. @default the environment of the process */
  readonly env?: Environment;
  /** @default the global fetch */
  readonly fetch?: typeof globalThis.fetch;
}

/** One API over HTTP: what sets a driver apart from the others. */
export interface HttpApi {
  /** For reports. */
  readonly nameOf: (options: HttpSummarizerOptions) => string;
  /** The window of its models in tokens. @default 128000 */
  readonly window?: number;
  readonly placeOf: (options: HttpSummarizerOptions, env: Environment) => Place;
  /** The headers that carry a key. */
  readonly keyHeaders: (key: string) => Headers;
  readonly headers?: Headers;
  /** A tool of the agent that is one of this API. */
  readonly isTool: (tool: WireObject) => boolean;
  /** The part of a request that holds what is said: a prompt … */
  readonly promptContent: (prompt: SummaryPrompt) => HttpContent;
  /** … or the agent's own request up to what is to be summarized, and the instruction behind it. */
  readonly liveContent: (live: Live, tools: readonly WireObject[]) => HttpContent;
  /** The fields that limit an answer to so many tokens, and ask for a stream. */
  readonly answerFields: (limit: number, options: HttpSummarizerOptions, url: URL) => WireObject;
  /** The answer in the values that came: a whole one, or the events of a stream. */
  readonly answerOf: (values: readonly unknown[]) => HttpAnswer;
}

export interface HttpAnswer extends SummaryAnswer {
  /** The API has said that it was all. */
  readonly isComplete: boolean;
}

/** The address of a call, and the key that it takes along. */
interface Place {
  readonly url: URL;
  /** The environment's variable for the key. */
  readonly variable: string;
  /** A call without a key is pointless. */
  readonly needsKey: boolean;
}

type Headers = Readonly<Record<string, string>>;
interface HttpContent {
  readonly messages: readonly object[];
  readonly tools?: readonly WireObject[];
}

/** A summarizer over an API. Throws `invalid-options` for options that make no sense. */
export function httpSummarizer(api: HttpApi, options: HttpSummarizerOptions): Summarizer {
  checkOptions(options);
  const { window = api.window ?? DEFAULT_WINDOW, maxTokens, reusesPrompt = false } = options;
  const name = api.nameOf(options);
  return {
    name,
    window,
    maxTokens,
    reusesPrompt,
    canReuse: (live) => wireTools(live, api.isTool) !== undefined,
    async summarize(request) {
      const call = await requestFor({ api, options, name, window }, request);
      const values: unknown[] = [];
      try {
        for await (const value of post(call)) values.push(value);
        const { isComplete, ...answer } = api.answerOf(values);
        if (isComplete) return { ...answer, text: call.redact(answer.text) };
        throw summarizerFailed("broke off before its answer was complete.", { summarizer: name });
      } catch (error) {
        throw withUsage(error, api.answerOf(values).usage);
      }
    },
  };
}

/** An error that ended an answer, with what the provider had counted of it by then. */
function withUsage(error: unknown, usage: SummaryUsage | undefined): unknown {
  if (usage === undefined || !isContextError(error)) return error;
  const { code, message, details } = error;
  return new ContextError(code, message, { details: { ...details, usage } });
}

interface Caller {
  readonly api: HttpApi;
  readonly options: HttpSummarizerOptions;
  readonly name: string;
  readonly window: number;
}

async function requestFor(
  { api, options, name, window }: Caller,
  request: SummaryRequest,
): Promise<ModelRequest> {
  const { env = processEnvironment(), maxTokens, model } = options;
  const place = api.placeOf(options, env);
  const key = keyFor(place, options, { env, summarizer: name });
  const tools = request.live && wireTools(request.live, api.isTool);
  const live = tools && request.live;
  const content = live ? api.liveContent(live, tools) : api.promptContent(request.prompt);
  const tokens = await inputTokens(request, live);
  const room = { cap: request.cap, maxTokens, window, inputTokens: tokens };
  return {
    summarizer: name,
    url: place.url.href,
    headers: {
      ...api.headers,
      ...(key === undefined ? {} : api.keyHeaders(key)),
      ...lowerCased(options.headers),
    },
    body: {
      model,
      ...api.answerFields(outputLimit(room), options, place.url),
      ...content,
      ...furtherFields(options, content),
    },
    signal: request.signal,
    fetch: options.fetch,
    redact: redactor([
      key,
      ...secretHeaders(options).flatMap((value) => [value, value.replace(/^\S+\s+/, "")]),
      ...place.url.searchParams.values(),
    ]),
    keyHint: options.apiKey === undefined ? `check ${place.variable}` : "check the apiKey",
  };
}

/** Throws `invalid-options` where a key is needed and there is none: asking again would not help. */
function keyFor(
  place: Place,
  options: HttpSummarizerOptions,
  { env, summarizer }: { readonly env: Environment; readonly summarizer: string },
): string | undefined {
  // A key that was read from a file often ends with a line break, which no header takes.
  const key = options.apiKey?.trim() || variable(env, place.variable);
  if (key === undefined && place.needsKey && secretHeaders(options).length === 0) {
    throw new ContextError(
      "invalid-options",
      `${summarizer} has no key; set ${place.variable}, or pass apiKey.`,
      { details: { summarizer, variable: place.variable } },
    );
  }
  return key;
}

/** The values of the caller's headers that may hold a key. */
function secretHeaders({ headers = {} }: HttpSummarizerOptions): readonly string[] {
  const secret = /auth|key|token|secret|cookie/i;
  return Object.entries(headers).flatMap(([name, value]) => (secret.test(name) ? [value] : []));
}

function lowerCased(headers: Headers = {}): Headers {
  const entries = Object.entries(headers);
  return Object.fromEntries(entries.map(([name, value]) => [name.toLowerCase(), value]));
}

/** The further fields of a request; without those about tools where it has none: APIs refuse that. */
export function furtherFields(
  { body = {} }: Pick<HttpSummarizerOptions, "body">,
  content: { readonly tools?: unknown },
): NonNullable<HttpSummarizerOptions["body"]> {
  if (content.tools !== undefined || body["tools"] !== undefined) return body;
  const { tool_choice: _choice, parallel_tool_calls: _parallel, ...rest } = body;
  return rest;
}

const HTTP_OPTIONS: OptionNames<HttpSummarizerOptions> = {
  model: true,
  apiKey: true,
  baseURL: true,
  window: true,
  maxTokens: true,
  headers: true,
  body: true,
  reusesPrompt: true,
  stream: true,
  env: true,
  fetch: true,
};

function checkOptions(options: HttpSummarizerOptions): void {
  checkNames(options, HTTP_OPTIONS);
  const { model, baseURL } = options;
  if (typeof model !== "string" || model.trim() === "") {
    throw invalid("needs the name of a model, e.g. claude-haiku-4-5");
  }
  if (baseURL !== undefined) endpoint(baseURL, "");
  checkedTokens(options);
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

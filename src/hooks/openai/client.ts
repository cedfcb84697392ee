import type { Context } from "../../context/index.ts";
import { ContextError } from "../../core/error.ts";
import { type Fetch, PARAMS } from "./preparing-fetch.ts";
import { wrapRunnables } from "./runnable-tools.ts";

/** A client of the package `openai`, version 5 or later, as far as it is used here. */
export interface OpenAIClient {
  withOptions(options: { fetch: Fetch }): unknown;
  readonly chat: { readonly completions: object };
  readonly responses?: object;
}

export interface PreparingClientOptions {
  readonly context: Context;
  readonly wrapFetch: (fetch: Fetch) => Fetch;
}

/**
 * A copy of a client that sends through our `fetch`. The SDK itself makes the copy, so everything
 * works as it does on the original. Throws `invalid-options` for a client that it cannot copy.
 */
export function preparingClient<Client extends OpenAIClient>(
  client: Client,
  { context, wrapFetch }: PreparingClientOptions,
): Client {
  if (typeof client.withOptions !== "function") {
    throw new ContextError(
      "invalid-options",
      "The client has no withOptions, so it cannot be copied; pass a client of the package openai, version 5 or later, or use context.fetch.",
    );
  }
  const fetch = wrapFetch(fetchOf(client));
  const own = client.withOptions({ ...azureOptions(client), fetch }) as Client;
  const completions = own.chat.completions as Resource;
  handOver(completions);
  if (own.responses !== undefined) handOver(own.responses as Resource);
  replace(completions, "runTools", (runTools) => (body, ...rest) => {
    const { tools } = body as { readonly tools?: unknown };
    return runTools({ ...body, tools: wrapRunnables(tools, context.truncation) }, ...rest);
  });
  warnThrough(own, context);
  return own;
}

/** What `AzureOpenAI` wants to hear again when it is copied. */
function azureOptions(client: object): object {
  const { apiVersion, deploymentName } = client as Readonly<Record<string, unknown>>;
  if (typeof apiVersion !== "string") return {};
  return { apiVersion, ...(typeof deploymentName === "string" && { deployment: deploymentName }) };
}

type Method = (body: object, ...rest: unknown[]) => unknown;
type Resource = { [name: string]: unknown };

/** Lets the parameters of `create`, through which all helpers go, arrive at our `fetch`. */
function handOver(resource: Resource): void {
  replace(resource, "create", (create) => (body, ...rest) => {
    const options = rest[0] as { readonly fetchOptions?: object } | undefined;
    const fetchOptions = { ...options?.fetchOptions, [PARAMS]: body };
    return create(body, { ...options, fetchOptions }, ...rest.slice(1));
  });
}

/** Replaces a method of our own client. */
function replace(resource: Resource, name: string, by: (method: Method) => Method): void {
  const method = resource[name];
  if (typeof method !== "function") return;
  const bound: Method = (...args) => Reflect.apply(method, resource, args) as unknown;
  Object.defineProperty(resource, name, { value: by(bound), writable: true, configurable: true });
}

/** The `fetch` that the client was made with. */
function fetchOf(client: object): Fetch {
  const own: unknown = Reflect.get(client, "fetch");
  return typeof own === "function" ? (own as Fetch) : (input, init) => fetch(input, init);
}

/** The levels of the SDK at which its log says what is a warning. */
const WARNING_LEVELS: ReadonlySet<unknown> = new Set(["warn", "info", "debug"]);

/** What fails is said once in the client's own log, for those who listen to no events. */
function warnThrough(client: object, context: Context): void {
  const { logger, logLevel } = client as {
    readonly logger?: { readonly warn?: (text: string) => void };
    readonly logLevel?: unknown;
  };
  const said = new Set<string>();
  context.on("failed", ({ code, message }) => {
    if (said.has(code) || !WARNING_LEVELS.has(logLevel)) return;
    said.add(code);
    logger?.warn?.(`longhaul: ${message}`);
  });
}

import type { Context } from "../../context/index.ts";
import { ContextError } from "../../core/error.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { type Fetch, PARAMS } from "./preparing-fetch.ts";
import { wrapRunnable } from "./tools.ts";

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

/** Whether that is a client, and nothing else that has a `chat`. */
export function isClient(given: unknown): given is OpenAIClient {
  return isWireObject(fieldsOf(fieldsOf(given)["chat"])["completions"]);
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
    const wrapped = Array.isArray(tools)
      ? tools.map((tool: object) => wrapRunnable(tool, context.truncation))
      : tools;
    return runTools({ ...body, tools: wrapped }, ...rest);
  });
  return own;
}

/** Options that a copy of `AzureOpenAI` needs again. */
function azureOptions(client: object): object {
  const { apiVersion, deploymentName: deployment } = client as Readonly<Record<string, unknown>>;
  return typeof apiVersion === "string" ? { apiVersion, deployment } : {};
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

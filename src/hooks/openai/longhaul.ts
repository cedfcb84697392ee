import type { Fetch } from "./preparing-fetch.ts";
import {
  createOpenAIContext,
  type OpenAIContext,
  type OpenAIContextOptions,
} from "./openai-context.ts";
import { PARAMS } from "./preparing-fetch.ts";
import { wrapRunnableTools } from "./runnable-tools.ts";

/** A client of the package `openai`, version 5 or later, as far as it is used here. */
export interface OpenAIClient {
  withOptions(options: { fetch: Fetch }): unknown;
  readonly chat: { readonly completions: object };
  readonly responses?: object;
}

/** A client whose requests are prepared. */
export type LonghaulClient<Client extends OpenAIClient> = Client & {
  /** The context of its conversation: events, recall, truncation, and the rest. */
  readonly longhaul: OpenAIContext;
};

/**
 * A client for one conversation, of the same class and with the same options as the one that is
 * given, which stays as it is. Every request to Chat Completions and Responses is prepared before it
 * goes out: `create`, `parse`, `stream` and `runTools`, whose tools are truncated on arrival too.
 * Throws `ContextError` code `invalid-options` like `createContext`.
 */
export function longhaul<Client extends OpenAIClient>(
  client: Client,
  options: OpenAIContextOptions = {},
): LonghaulClient<Client> {
  const context = createOpenAIContext(options);
  const own = client.withOptions({ fetch: context.wrapFetch(fetchOf(client)) }) as Client;
  const completions = own.chat.completions as Resource;
  handOver(completions);
  if (own.responses !== undefined) handOver(own.responses as Resource);
  replace(completions, "runTools", (runTools) => (body, ...rest) => {
    const { tools } = body as { readonly tools?: unknown };
    return runTools({ ...body, tools: wrapRunnableTools(tools, context.truncation) }, ...rest);
  });
  return Object.defineProperty(own, "longhaul", { value: context }) as LonghaulClient<Client>;
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

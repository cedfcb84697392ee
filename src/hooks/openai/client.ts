import type { Context } from "../../context/index.ts";
import { ContextError } from "../../core/error.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { isWireObject, parseInput } from "../../dialects/wire.ts";
import { wrapRunnable } from "./tools.ts";
import type { PreparedEndpoint } from "./endpoint.ts";

/** A client of the package `openai`, version 5 or later, as far as it is used here. */
export interface OpenAIClient {
  withOptions(options: { fetch: Fetch }): unknown;
  readonly chat: { readonly completions: object };
  readonly responses?: object;
}

/** Other values may have a `chat`, too. */
export function isClient(given: unknown): given is OpenAIClient {
  return isWireObject(fieldsOf(fieldsOf(given)["chat"])["completions"]);
}

/**
 * A copy of a client that sends through our `fetch`. The SDK itself makes the copy, so everything
 * works as it does on the original. Throws `invalid-options` for a client that it cannot copy.
 */
export function preparingClient<Client extends OpenAIClient>(
  client: Client,
  { context, wrapFetch }: { readonly context: Context; readonly wrapFetch: (own: Fetch) => Fetch },
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

function fetchOf(client: object): Fetch {
  const own: unknown = Reflect.get(client, "fetch");
  return typeof own === "function" ? (own as Fetch) : (input, init) => fetch(input, init);
}

export type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>;

/** Hands over the very parameters of a request, so that unchanged messages are the same objects. */
const PARAMS = Symbol("longhaul.params");

/**
 * Prepares the requests of these APIs, and sends a refused one again, shorter. Everything else
 * passes.
 */
export function createPreparingFetch(endpoints: readonly PreparedEndpoint[], fetch: Fetch): Fetch {
  return async (input, init = {}) => {
    const endpoint = endpoints.find(({ path }) => pathOf(input).endsWith(path));
    const params = endpoint && (await paramsOf(input, init));
    if (endpoint === undefined || params === undefined) return fetch(input, init);
    const signal = init.signal ?? (isRequest(input) ? input.signal : undefined);
    const send = (body: object): Promise<Response> =>
      fetch(input, body === params ? init : withBody(input, init, body));
    return endpoint.ask(params, send, signal);
  };
}

type Input = Parameters<Fetch>[0];

function isRequest(input: Input): input is Request {
  return typeof input === "object" && "url" in input;
}

function pathOf(input: Input): string {
  return new URL(isRequest(input) ? input.url : String(input), "http://localhost").pathname;
}

/** The parameters of a request: the client's own, or what its body says. */
async function paramsOf(input: Input, init: RequestInit): Promise<object | undefined> {
  const asked = isRequest(input) ? input : undefined;
  if ((init.method ?? asked?.method)?.toUpperCase() !== "POST") return undefined;
  // A body can be read once, and the request has to be sent.
  const body = init.body ?? (await asked?.clone().text());
  if (typeof body !== "string") return undefined;
  const given = (init as { readonly [PARAMS]?: object })[PARAMS];
  const params = given ?? parseInput(body);
  return isWireObject(params) ? params : undefined;
}

function withBody(input: Input, init: RequestInit, body: object): RequestInit {
  const headers = new Headers(init.headers ?? (isRequest(input) ? input.headers : undefined));
  headers.delete("content-length");
  return { ...init, headers, body: JSON.stringify(body) };
}

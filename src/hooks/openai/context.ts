import type { Context } from "../../context/index.ts";
import { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
import type { Summarizer } from "../../models/summarizer.ts";
import { createHook, type Hook, type HookOptions, type HookSdk } from "../hook.ts";
import { createManagedCheck } from "../managed.ts";
import { clientSummarizer, openaiById } from "../summarizer.ts";
import { mapTools, type Mutable } from "../tools.ts";
import {
  createPreparingFetch,
  type Fetch,
  isClient,
  type OpenAIClient,
  preparingClient,
} from "./client.ts";
import {
  chatCompletions,
  type ChatParams,
  type ChatUsage,
  prepareEndpoint,
  type PrepareParamsOptions,
  responses,
  type ResponsesParams,
  type ResponsesUsage,
} from "./endpoint.ts";
import {
  chatRecall,
  responsesRecall,
  type ResponsesTool,
  type RunnableTool,
  wrapRunnable,
} from "./tools.ts";

/** `summarizer` may be a client of the SDK; it then asks `model`. */
export type OpenAIContextOptions = HookOptions<string, OpenAIClient, ChatParams | ResponsesParams>;

export interface PrepareChatOptions extends PrepareParamsOptions {
  /** `completion.usage` of the answer that came last. */
  readonly usage?: ChatUsage | null;
}

export interface PrepareResponsesOptions extends PrepareParamsOptions {
  /** `response.usage` of the answer that came last. */
  readonly usage?: ResponsesUsage | null;
}

/** A context with the hooks of the OpenAI SDK. */
export interface OpenAIContext extends Omit<Context, "subAgent"> {
  /**
   * A client of the same class and with the same options, whose requests to Chat Completions and
   * Responses are prepared: `create`, `parse`, `stream` and `runTools`, whose tools are truncated
   * on arrival (T15). A request that the API refuses as too long is compacted and sent once more.
   * The client that is given stays as it is. Throws `invalid-options` for a client of the package
   * `openai` before version 5.
   */
  client<Client extends OpenAIClient>(client: Client): Client;
  /**
   * The parameters of a chat completion with messages that fit; the very parameters if nothing had
   * to be done. Never rejects, except by the signal: what went wrong is a `failed` event.
   */
  prepareChat<Params extends ChatParams>(
    params: Params,
    options?: PrepareChatOptions,
  ): Promise<Params>;
  /** The same for the `input` of a response. */
  prepareResponses<Params extends ResponsesParams>(
    params: Params,
    options?: PrepareResponsesOptions,
  ): Promise<Params>;
  /**
   * For a chat completion that was refused: what to send instead, once, if the error says that it
   * was too long; else `undefined`: pass the error on.
   */
  recoverChat<Params extends ChatParams>(
    params: Params,
    error: unknown,
  ): Promise<Params | undefined>;
  /** The same for a response. */
  recoverResponses<Params extends ResponsesParams>(
    params: Params,
    error: unknown,
  ): Promise<Params | undefined>;
  /**
   * A `fetch` that does to requests what the client does, for clients and loops that take one. It
   * leaves alone what goes elsewhere.
   */
  readonly fetch: Fetch;
  /** Tools for `runTools` whose outputs are truncated on arrival (T15), as the client's own are. */
  tools<Tools extends readonly object[] | []>(tools: Tools): Mutable<Tools>;
  /** `recall` and `search_archive` for Chat Completions and `runTools`. */
  readonly recallTools: RunnableTool[];
  /** The same for Responses. */
  readonly responsesRecallTools: ResponsesTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: OpenAIContextOptions): OpenAIContext;
}

/**
 * Creates the context of an agent. Throws `invalid-options` like `createContext`.
 *
 * @example
 * // needs: OPENAI_API_KEY
 * import OpenAI from "openai";
 * import { openaiContext } from "longhaul/openai";
 *
 * const openai = openaiContext({ model: "gpt-5" }).client(new OpenAI());
 */
export function openaiContext(options: OpenAIContextOptions = {}): OpenAIContext {
  return contextOn(createHook(options, SDK));
}

const SDK: HookSdk = {
  // Both APIs have the same traits.
  traits: openaiChat.traits,
  summarizerOf,
  summarizerById: openaiById,
};

function contextOn(hook: Hook<ChatParams | ResponsesParams>): OpenAIContext {
  const { context } = hook;
  const isManaged = createManagedCheck(context);
  const chat = prepareEndpoint(chatCompletions, hook, isManaged);
  const answers = prepareEndpoint(responses, hook, isManaged);
  const wrapFetch = (fetch: Fetch): Fetch => createPreparingFetch([chat, answers], fetch);
  return {
    ...context,
    client: (client) => preparingClient(client, { context, wrapFetch }),
    prepareChat: async (params, prepare) => (await chat.prepare(params, prepare)).params,
    prepareResponses: async (params, prepare) => (await answers.prepare(params, prepare)).params,
    recoverChat: (params, error) => chat.recover(params, error),
    recoverResponses: (params, error) => answers.recover(params, error),
    fetch: wrapFetch((input, init) => globalThis.fetch(input, init)),
    tools: (tools) => mapTools(tools, (tool) => wrapRunnable(tool, context.truncation)),
    recallTools: chatRecall(context.archive),
    responsesRecallTools: responsesRecall(context.archive),
    subAgent: (own = {}) => contextOn(hook.subAgent(own)),
  };
}

function summarizerOf(given: unknown, model: unknown): Summarizer | undefined {
  if (!isClient(given)) return undefined;
  const completions = given.chat.completions as {
    create(params: object, options: object): PromiseLike<unknown>;
  };
  return clientSummarizer("openai", model, async ({ prompt, signal }, id) => {
    const messages = [
      { role: "system", content: prompt.system },
      { role: "user", content: prompt.user },
    ];
    const { chatAnswer } = await import("../../models/openai-compatible.ts");
    return chatAnswer(await completions.create({ model: id, messages }, { signal }));
  });
}

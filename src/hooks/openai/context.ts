import { recallTools } from "../../archive/recall-tools.ts";
import { type Context, type ContextOptions, createContext } from "../../context/index.ts";
import { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
import { hookOptions, subAgentSettings } from "../hook-options.ts";
import { createStandBack } from "../stand-back.ts";
import { chatCompletions } from "./chat.ts";
import { type OpenAIClient, preparingClient } from "./client.ts";
import { prepareEndpoint, type PrepareParamsOptions } from "./prepared-endpoint.ts";
import { createPreparingFetch, type Fetch } from "./preparing-fetch.ts";
import { responses } from "./responses.ts";
import {
  responsesTool,
  type ResponsesTool,
  runnableTool,
  type RunnableTool,
} from "./runnable-tools.ts";
import type { ChatParams, ChatUsage, ResponsesParams, ResponsesUsage } from "./wire.ts";

export interface OpenAIContextOptions extends ContextOptions {
  /**
   * The agent's model. Where `window` is not given, that of the model's family is taken: the table
   * of the command line, 128,000 for families that it does not know.
   */
  readonly model?: string;
}

export interface PrepareChatOptions extends PrepareParamsOptions {
  /** `completion.usage` of the answer that came last. */
  readonly usage?: ChatUsage | null;
}

export interface PrepareResponsesOptions extends PrepareParamsOptions {
  /** `response.usage` of the answer that came last. */
  readonly usage?: ResponsesUsage | null;
}

/** A context with the hooks of the OpenAI SDK; one for each conversation. */
export interface OpenAIContext extends Omit<Context, "subAgent"> {
  /**
   * A client of the same class and with the same options, whose requests to Chat Completions and
   * Responses are prepared: `create`, `parse`, `stream` and `runTools`, whose tools are truncated on
   * arrival (T15). What the API refuses as too long is compacted and sent once more. The client that
   * is given stays as it is. Throws `invalid-options` for a client of the package `openai` before
   * version 5.
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
  /** `recall` and `search_archive` for Chat Completions and `runTools`. */
  readonly recallTools: readonly RunnableTool[];
  /** The same for Responses. */
  readonly responsesRecallTools: readonly ResponsesTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: OpenAIContextOptions): OpenAIContext;
}

/**
 * Creates the context of one conversation. Throws `invalid-options` like `createContext`.
 *
 * @example
 * const openai = openaiContext({ model: "gpt-5" }).client(new OpenAI());
 */
export function openaiContext(options: OpenAIContextOptions = {}): OpenAIContext {
  // Both APIs have the same traits.
  const settings = { traits: openaiChat.traits, ...hookOptions(options) };
  return withHooks(createContext(settings), settings);
}

function withHooks(context: Context, settings: ContextOptions): OpenAIContext {
  const endpointOptions = { context, settings, standsBack: createStandBack(context) };
  const chat = prepareEndpoint(chatCompletions, endpointOptions);
  const answers = prepareEndpoint(responses, endpointOptions);
  const wrapFetch = (fetch: Fetch): Fetch => createPreparingFetch([chat, answers], fetch);
  const recall = Object.entries(recallTools(context.archive));
  return {
    ...context,
    client: (client) => preparingClient(client, { context, wrapFetch }),
    prepareChat: async (params, prepare) => (await chat.prepare(params, prepare)).params,
    prepareResponses: async (params, prepare) => (await answers.prepare(params, prepare)).params,
    recoverChat: (params, error) => chat.recover(params, error),
    recoverResponses: (params, error) => answers.recover(params, error),
    fetch: wrapFetch((input, init) => globalThis.fetch(input, init)),
    recallTools: recall.map(runnableTool),
    responsesRecallTools: recall.map(responsesTool),
    subAgent(own = {}) {
      const options = hookOptions(own);
      return withHooks(context.subAgent(options), subAgentSettings(settings, context, options));
    },
  };
}

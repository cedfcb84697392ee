import { type Context, type ContextOptions, createContext } from "../../context/index.ts";
import { modelWindow } from "../../core/overflow/index.ts";
import { openaiChat } from "../../dialects/openai-chat/index.ts";
import { createStandBack } from "../stand-back.ts";
import { chatCompletions } from "./chat.ts";
import { createPreparingFetch, type Fetch } from "./preparing-fetch.ts";
import { prepareEndpoint, type PrepareParamsOptions } from "./prepared-endpoint.ts";
import { responses } from "./responses.ts";
import type { ChatParams, ChatUsage, ResponsesParams, ResponsesUsage } from "./wire.ts";

export interface OpenAIContextOptions extends ContextOptions {
  /** The model's id. Where `window` is not given, the window of its family is taken, if known. */
  readonly model?: string;
}

export interface PrepareChatOptions extends PrepareParamsOptions {
  /** `completion.usage` of the answer that came last. */
  readonly usage?: ChatUsage | null | undefined;
}

export interface PrepareResponsesOptions extends PrepareParamsOptions {
  /** `response.usage` of the answer that came last. */
  readonly usage?: ResponsesUsage | null | undefined;
}

/** A context of one conversation that speaks the two APIs of OpenAI. */
export interface OpenAIContext extends Context {
  /**
   * The parameters of a chat completion with messages that fit; the very parameters if nothing had
   * to be done. Never rejects, except by the signal: what went wrong is a `failed` event.
   */
  prepareChat<Params extends ChatParams>(
    params: Params,
    options?: PrepareChatOptions,
  ): Promise<Params>;
  /** The same for the `input` of a response. With `previous_response_id` nothing is done. */
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
   * A `fetch` that does all of this to the requests of both APIs, and nothing to any other, for
   * clients that can be given one.
   */
  readonly fetch: Fetch;
  /** The same around another `fetch`. */
  wrapFetch(fetch: Fetch): Fetch;
}

/**
 * Creates the context of one conversation. Throws `ContextError` code `invalid-options` like
 * `createContext`.
 */
export function createOpenAIContext({
  model,
  ...options
}: OpenAIContextOptions = {}): OpenAIContext {
  const window = options.window ?? (model === undefined ? undefined : modelWindow(model));
  const context = createContext({
    // Both APIs have the same.
    traits: openaiChat.traits,
    ...options,
    ...(window !== undefined && { window }),
  });
  const standsBack = createStandBack(context);
  const chat = prepareEndpoint(context, chatCompletions, standsBack);
  const answers = prepareEndpoint(context, responses, standsBack);
  const wrapFetch = (fetch: Fetch): Fetch => createPreparingFetch([chat, answers], fetch);
  return {
    ...context,
    prepareChat: (params, prepare) => chat.prepare(params, prepare),
    prepareResponses: (params, prepare) => answers.prepare(params, prepare),
    recoverChat: (params, error) => chat.recover(params, error),
    recoverResponses: (params, error) => answers.recover(params, error),
    fetch: wrapFetch((input, init) => globalThis.fetch(input, init)),
    wrapFetch,
  };
}

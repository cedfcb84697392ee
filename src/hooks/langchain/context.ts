import { checkOptions } from "../../context/given-parts.ts";
import {
  type Context,
  type ContextOptions,
  createContext,
  type PrepareOptions,
} from "../../context/index.ts";
import { langchain } from "../../dialects/langchain/langchain.ts";
import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { isWireObject } from "../../dialects/wire.ts";
import { hookOptions } from "../hook-options.ts";
import { conversationOn } from "./conversation.ts";
import { createToolCounter } from "./counted-tools.ts";
import { managedByModel, windowOfModel } from "./model.ts";
import { langchainRecallTools, type LangChainTool } from "./recall-tools.ts";
import { type ChatModelLike, type LangChainSummarizer, summarizerOf } from "./summarizer.ts";
import { createThinkingOf } from "./thinking.ts";

export interface LangChainContextOptions extends Omit<ContextOptions, "traits" | "summarizer"> {
  /**
   * Who writes summaries; a chat model may be given as it is.
   * @default "extractive", which asks nobody
   */
  readonly summarizer?: LangChainSummarizer;
  /**
   * The chat model that is called, with or without bound tools. Where `window` is not given, the
   * `maxInputTokens` of its profile are taken, else the window of its family.
   */
  readonly model?: object;
}

/** A context for the nodes of one's own graph; one for each conversation. */
export interface LangChainContext extends Omit<Context, "subAgent"> {
  /**
   * Invokes a chat model with messages that fit; if it refuses them as too long, once more with
   * fewer. Rejects with what the model rejects with, and never because of its own work.
   */
  invoke<Answer>(
    model: ChatModelLike<Answer>,
    messages: readonly LangChainMessage[],
    config?: object,
  ): Promise<Answer>;
  /** Only the messages to send: the very list if nothing had to be done. */
  prepareMessages<Native extends LangChainMessage>(
    messages: readonly Native[],
    options?: PrepareOptions,
  ): Promise<readonly Native[]>;
  /** `recall` and `search_archive`: with them an agent gets back what left its context. */
  readonly recallTools: readonly LangChainTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: LangChainContextOptions): LangChainContext;
}

/**
 * Creates the context of one conversation, for LangGraph graphs and loops that call a chat model
 * themselves; for `createAgent` there is `longhaulMiddleware`. Throws `ContextError` code
 * `invalid-options` for options that make no sense.
 *
 * @example
 * const context = langchainContext({ model });
 * const answer = await context.invoke(model, state.messages);
 */
export function langchainContext(options: LangChainContextOptions = {}): LangChainContext {
  return withHooks(createContext({ ...contextOptions(options), traits: langchain.traits }));
}

function withHooks(context: Context): LangChainContext {
  const conversation = conversationOn(context);
  const countTools = createToolCounter();
  const thinkingOf = createThinkingOf();
  return {
    ...context,
    async invoke<Answer>(
      model: ChatModelLike<Answer>,
      messages: readonly LangChainMessage[],
      config?: object,
    ) {
      const { signal } = (config ?? {}) as { readonly signal?: AbortSignal };
      const tools = boundTools(model);
      const thinking = thinkingOf(model);
      const sent = await conversation.prepare(messages, {
        ...(tools !== undefined && { tools: countTools(tools) }),
        boundReasoning: thinking.boundReasoning,
        managedBy: managedByModel(model, config),
        ...(signal !== undefined && { signal }),
      });
      const call = async (list: typeof messages): Promise<Answer> => {
        const isEdited = context.journal().length > 0;
        const called = isEdited ? ((await thinking.afterEdits()) as typeof model) : model;
        const answer = await called.invoke([...list] as never, config as never);
        conversation.answered(answer);
        return answer;
      };
      try {
        return await call(sent);
      } catch (error) {
        const recovered = await conversation.recover(messages, error);
        if (recovered === undefined) throw error;
        return call(recovered);
      }
    },
    async prepareMessages<Native extends LangChainMessage>(
      messages: readonly Native[],
      options?: PrepareOptions,
    ) {
      return (await conversation.prepare(messages, options)) as readonly Native[];
    },
    recallTools: langchainRecallTools(() => context.archive),
    subAgent: (own = {}) => withHooks(context.subAgent(contextOptions(own))),
  };
}

/** Where `bindTools` leaves the tools. */
function boundTools(model: unknown): readonly unknown[] | undefined {
  if (!isWireObject(model)) return undefined;
  for (const place of [model["config"], model["kwargs"], model["defaultOptions"]]) {
    if (isWireObject(place) && Array.isArray(place["tools"])) return place["tools"];
  }
  return undefined;
}

function contextOptions(given: LangChainContextOptions): ContextOptions {
  checkOptions(given);
  const { model, summarizer, ...options } = given;
  const window = options.window ?? (model === undefined ? undefined : windowOfModel(model));
  const written = summarizer && summarizerOf(summarizer);
  return hookOptions({
    ...options,
    ...(window !== undefined && { window }),
    ...(written && { summarizer: written }),
  });
}

import type { Context } from "../../context/index.ts";
import { langchain } from "../../dialects/langchain/langchain.ts";
import type { LangChainMessage } from "../../dialects/langchain/wire.ts";
import { fieldsOf } from "../../core/text/json.ts";
import { type AboutModel, createHook, type Hook, type HookOptions } from "../hook.ts";
import { createThreads } from "../threads.ts";
import { mapTools, type Mutable } from "../tools.ts";
import {
  type Conversation,
  conversationOn,
  type LangChainRequest,
  type ModelRequestLike,
  type RunnableConfigLike,
  threadOf,
} from "./conversation.ts";
import {
  aboutChatModel,
  type ChatModelLike,
  createThinkingOf,
  managedByModel,
  maxOutputOf,
  summarizerOf,
} from "./model.ts";
import {
  createToolCounter,
  langchainRecallTools,
  type LangChainTool,
  type ToolConfigLike,
  truncatingTool,
} from "./tools.ts";

/**
 * `model` and `summarizer` may be chat models, with or without bound tools; a model's window is the
 * `maxInputTokens` of its profile, else that of its family.
 */
export type LangChainContextOptions = HookOptions<object, ChatModelLike<unknown>, LangChainRequest>;

/** A context with the hooks of LangChain and LangGraph. */
export interface LangChainContext extends Omit<Context, "subAgent"> {
  /**
   * For `createAgent({ middleware: [context.middleware] })`: keeps every request of an agent inside
   * the window of its model, and gives it {@link recallTools}. The state keeps the whole history.
   * Each thread has a context of its own. Put it last in the list, so that it sees what is sent.
   */
  readonly middleware: LangChainMiddleware;
  /**
   * For the nodes of one's own graph: invokes a chat model with messages that fit; if it refuses them
   * as too long, once more with fewer. It is one conversation, unless `conversationOf` tells several.
   * Rejects with what the model rejects with, and never because of its own work.
   */
  invoke<Answer>(
    model: ChatModelLike<Answer>,
    messages: readonly LangChainMessage[],
    config?: object,
  ): Promise<Answer>;
  /**
   * Tools whose outputs are truncated before they enter the state (T15). Without it they are
   * truncated in what is sent.
   */
  tools<Tools extends readonly object[] | []>(tools: Tools): Mutable<Tools>;
  /** `recall` and `search_archive`: with them an agent gets back what left its context. */
  readonly recallTools: LangChainTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: LangChainContextOptions): LangChainContext;
}

/**
 * Creates the context of an agent or a graph. Throws `ContextError` code `invalid-options` for
 * options that make no sense.
 *
 * @example
 * // needs: a chat `model`, and the agent's `tools`
 * import { createAgent } from "langchain";
 * import { langchainContext } from "longhaul/langchain";
 *
 * const agent = createAgent({ model, tools, middleware: [langchainContext().middleware] });
 */
export function langchainContext(options: LangChainContextOptions = {}): LangChainContext {
  const sdk = { traits: langchain.traits, aboutModel: aboutChatModel, summarizerOf };
  return contextOn(createHook(options, sdk));
}

function contextOn(hook: Hook<LangChainRequest>): LangChainContext {
  const { context } = hook;
  const own = conversationOn(context);
  const threads = createThreads(hook, conversationOn);
  let isInvoked = false;
  const threadFor = (request: LangChainRequest): ReturnType<typeof threadOf> => {
    const id = hook.conversationOf(request);
    return id === undefined ? threadOf(request) : { id, isLasting: true };
  };
  const conversationFor = (request: LangChainRequest): Conversation => {
    const id = hook.conversationOf(request);
    isInvoked ||= id === undefined;
    return id === undefined ? own : threads.of({ id, isLasting: true });
  };
  const contextOf = (config: ToolConfigLike): Context => {
    const thread = threadFor({ messages: config.state?.messages ?? [], config });
    const known = threads.find(thread.id)?.context;
    return known ?? (isInvoked ? context : threads.of(thread).context);
  };
  const tools = langchainRecallTools((config) => contextOf(config).archive);
  return {
    ...context,
    middleware: {
      name: "LonghaulMiddleware",
      tools,
      wrapModelCall: createWrapModelCall(
        (request, about) => threads.of(threadFor(request), about),
        tools,
      ),
    },
    invoke: createInvoke(conversationFor),
    tools: (list) => mapTools(list, (tool) => truncatingTool(tool, contextOf)),
    recallTools: tools,
    subAgent: (options = {}) => contextOn(hook.subAgent(options)),
  };
}

function createInvoke(
  conversationFor: (request: LangChainRequest) => Conversation,
): LangChainContext["invoke"] {
  const countTools = createToolCounter();
  const thinkingOf = createThinkingOf();
  return async (model, messages, config: RunnableConfigLike = {}) => {
    const tools = boundTools(model);
    const options = {
      tools: tools && countTools(tools),
      maxOutput: maxOutputOf(model, config),
      managedBy: managedByModel(model, config),
      signal: config.signal,
    };
    const request = { messages, thinking: thinkingOf(model), options };
    return conversationFor({ messages, config }).send(request, (sent, called) =>
      (called as typeof model).invoke([...sent] as never, config as never),
    );
  };
}

function boundTools(model: unknown): readonly unknown[] | undefined {
  const { config, kwargs, defaultOptions } = fieldsOf(model);
  const places = [config, kwargs, defaultOptions].map((place) => fieldsOf(place)["tools"]);
  return places.find((tools) => Array.isArray(tools));
}

/** A middleware for `createAgent({ middleware: [...] })`. */
export interface LangChainMiddleware {
  readonly name: "LonghaulMiddleware";
  /** The agent's own tools win over these: one that has the same name keeps its own. */
  readonly tools: readonly LangChainTool[];
  wrapModelCall<Request extends ModelRequestLike, Answer>(
    request: Request,
    handler: (request: Request) => Answer | Promise<Answer>,
  ): Promise<Answer>;
}

/** `conversationFor` gives the conversation of a request; `about` is the model that is called. */
function createWrapModelCall(
  conversationFor: (request: LangChainRequest, about: AboutModel) => Conversation,
  ownTools: readonly LangChainTool[],
): LangChainMiddleware["wrapModelCall"] {
  const countTools = createToolCounter();
  const thinkingOf = createThinkingOf();
  return async (given, handler) => {
    const request = withoutDoubles(given, ownTools);
    const { model, messages, modelSettings, runtime, systemPrompt } = request;
    const asked = { messages: request.state?.messages ?? messages, config: runtime };
    const options = {
      instructions: systemPrompt ?? "",
      tools: countTools(request.tools),
      maxOutput: maxOutputOf(model, modelSettings),
      managedBy: managedByModel(model, modelSettings),
      signal: runtime?.signal,
    };
    const conversation = conversationFor(asked, aboutChatModel(model));
    const sent = { messages, thinking: thinkingOf(model), options };
    return conversation.send(sent, async (list, called) => {
      const isSame = list === messages && called === model;
      return handler(isSame ? request : { ...request, model: called, messages: [...list] });
    });
  };
}

/** The agent's own tools win over ours: no provider takes two of the same name. */
function withoutDoubles<Request extends ModelRequestLike>(
  request: Request,
  ownTools: readonly LangChainTool[],
): Request {
  const { tools = [] } = request;
  const own = new Set<unknown>(ownTools);
  const nameOf = (tool: unknown): unknown => fieldsOf(tool)["name"];
  const names = new Set(tools.filter((tool) => !own.has(tool)).map(nameOf));
  const isDouble = (tool: unknown): boolean => own.has(tool) && names.has(nameOf(tool));
  return tools.some(isDouble)
    ? { ...request, tools: tools.filter((tool) => !isDouble(tool)) }
    : request;
}

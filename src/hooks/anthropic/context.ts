import { recallTools } from "../../archive/recall-tools.ts";
import { type Context, type ContextOptions, createContext } from "../../context/index.ts";
import { anthropic } from "../../dialects/anthropic/anthropic.ts";
import type { AnthropicConversation } from "../../dialects/anthropic/wire.ts";
import { createConversations } from "../conversations.ts";
import { hookOptions, subAgentSettings } from "../hook-options.ts";
import { createStandBack } from "../stand-back.ts";
import { type AnthropicMiddleware, createMiddleware } from "./middleware.ts";
import { type RunnableTool, runnableTool, wrapRunnables } from "./runnable-tools.ts";

export interface AnthropicContextOptions extends Omit<ContextOptions, "traits"> {
  /**
   * The agent's model. Where `window` is not given, that of the model's family is taken: the table
   * of the command line, 128,000 for families that it does not know.
   */
  readonly model?: string;
}

/** A context with the hooks of the Anthropic SDK; one for each conversation. */
export interface AnthropicContext extends Omit<Context, "subAgent"> {
  /**
   * For `new Anthropic({ middleware: [context.middleware] })`, or for the requests of one
   * conversation: `messages.create(params, { middleware: [context.middleware] })`. It sees what
   * `messages.create`, `messages.stream` and the tool runner send, also those of `beta`, prepares it,
   * and sends it once more, compacted, if the API says that the prompt is too long.
   */
  readonly middleware: AnthropicMiddleware;
  /** Tools for the tool runner whose outputs are truncated on arrival (T15); `run` is wrapped. */
  tools<Tools extends readonly object[]>(tools: Tools): Tools;
  /** `recall` and `search_archive` for the tool runner: the agent gets back what left its context. */
  readonly recallTools: readonly RunnableTool[];
  /** {@link Context.subAgent}, with hooks of its own. */
  subAgent(options?: AnthropicContextOptions): AnthropicContext;
}

/**
 * Creates the context of one conversation. Throws `invalid-options` like `createContext`.
 *
 * @example
 * const context = anthropicContext({ model: "claude-opus-5-5" });
 * const client = new Anthropic({ middleware: [context.middleware] });
 */
export function anthropicContext(options: AnthropicContextOptions = {}): AnthropicContext {
  const settings = { ...hookOptions(options), traits: anthropic.traits };
  return withHooks(createContext(settings), settings);
}

type AnthropicNative = AnthropicConversation["messages"][number];

function withHooks(context: Context, settings: ContextOptions): AnthropicContext {
  const conversationOf = createConversations<AnthropicNative, AnthropicConversation>({
    context,
    settings,
    format: {
      dialect: anthropic,
      messagesOf: ({ messages }) => messages,
      withoutMessages: ({ system }) => ({ ...(system !== undefined && { system }), messages: [] }),
    },
  });
  return {
    ...context,
    middleware: createMiddleware(conversationOf, createStandBack(context)),
    tools: (tools) => wrapRunnables(tools, context.truncation),
    recallTools: Object.entries(recallTools(context.archive)).map(runnableTool),
    subAgent(own = {}) {
      const options = hookOptions(own);
      return withHooks(context.subAgent(options), subAgentSettings(settings, context, options));
    },
  };
}

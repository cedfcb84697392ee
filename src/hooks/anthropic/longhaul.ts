import type { Context, ContextOptions } from "../../context/index.ts";
import { anthropic, type AnthropicConversation } from "../../dialects/anthropic/index.ts";
import { createNativeContext } from "../native-context.ts";
import { type AnthropicMiddleware, createMiddleware } from "./middleware.ts";
import { wrapRunnables } from "./runnable-tools.ts";

/** Options of the context; the window is the model's, e.g. 200000. */
export type AnthropicContextOptions = Omit<ContextOptions, "traits">;

/** Keeps one conversation with the Anthropic SDK inside its window. */
export interface AnthropicContext {
  /**
   * For `new Anthropic({ middleware: [context.middleware] })`, or for the requests of one
   * conversation: `messages.create(params, { middleware: [context.middleware] })`. It sees what
   * `messages.create`, `messages.stream` and the tool runner send, also those of `beta`, prepares it,
   * and sends it once more, compacted, if the API says that the prompt is too long.
   */
  readonly middleware: AnthropicMiddleware;
  /** Tools for the tool runner whose outputs are truncated on arrival (T15); `run` is wrapped. */
  tools<Tools extends readonly object[]>(tools: Tools): Tools;
  /** Journal, recall, events, sub-agents. */
  readonly context: Context;
}

/**
 * Creates the context of one conversation. Throws `invalid-options` like `createContext`.
 *
 * @example
 * const context = longhaul({ window: 200_000 });
 * const client = new Anthropic({ middleware: [context.middleware] });
 */
export function longhaul(options: AnthropicContextOptions = {}): AnthropicContext {
  const native = createNativeContext<
    AnthropicConversation,
    AnthropicConversation["messages"][number]
  >(
    {
      dialect: anthropic,
      messagesOf: ({ messages }) => messages,
      withoutMessages: ({ system }) => ({ ...(system !== undefined && { system }), messages: [] }),
    },
    options,
  );
  const { context } = native;
  return {
    context,
    middleware: createMiddleware(native),
    tools: (tools) => wrapRunnables(tools, context.truncation),
  };
}

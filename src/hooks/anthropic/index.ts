export { anthropicContext } from "./context.ts";
export type {
  AnthropicClient,
  AnthropicContext,
  AnthropicContextOptions,
  RecallBlock,
  RunnableTool,
} from "./context.ts";
export type { AnthropicMiddleware, AnthropicRequest } from "./middleware.ts";
export type { MessageBody } from "./wire.ts";

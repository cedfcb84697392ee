export { anthropicContext } from "./context.ts";
export type { AnthropicClient, AnthropicContext, AnthropicContextOptions } from "./context.ts";
export type { AnthropicMiddleware, AnthropicRequest } from "./middleware.ts";
export type { RunnableTool } from "./tools.ts";
export type { MessageBody } from "./wire.ts";

export { anthropicContext } from "./context.ts";
export type { AnthropicContext, AnthropicContextOptions } from "./context.ts";
export type { RunnableTool } from "./runnable-tools.ts";
export type { AnthropicMiddleware, AnthropicRequest } from "./middleware.ts";

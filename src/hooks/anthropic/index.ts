export * from "../../dialects/anthropic/index.ts";
export { longhaul } from "./longhaul.ts";
export type { AnthropicContext, AnthropicContextOptions } from "./longhaul.ts";
export type { RunnableTool } from "./runnable-tools.ts";
export type { AnthropicMiddleware, AnthropicRequest } from "./middleware.ts";

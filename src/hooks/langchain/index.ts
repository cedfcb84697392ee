export { langchainContext } from "./context.ts";
export type { LangChainContext, LangChainContextOptions, LangChainMiddleware } from "./context.ts";
export type { ChatModelLike } from "./model.ts";
export type { LangChainTool } from "./tools.ts";
export type { LangChainRequest } from "./conversation.ts";

export { langchainContext } from "./context.ts";
export type { LangChainContext, LangChainContextOptions } from "./context.ts";
export type { LangChainMiddleware } from "./middleware.ts";
export type { ChatModelLike } from "./model.ts";
export type { LangChainTool } from "./tools.ts";
export type { LangChainRequest } from "./wire.ts";

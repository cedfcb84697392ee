export { langchainContext } from "./context.ts";
export type { LangChainContext, LangChainContextOptions } from "./context.ts";
export type { ChatModelLike, LangChainSummarizer } from "./summarizer.ts";
export { longhaulMiddleware } from "./middleware.ts";
export type { LonghaulMiddleware, LonghaulMiddlewareOptions } from "./middleware.ts";
export type { LangChainTool } from "./recall-tools.ts";

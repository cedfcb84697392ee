export * from "../../dialects/langchain/index.ts";
export { longhaul } from "./longhaul.ts";
export type { LangChainContext, LangChainContextOptions } from "./longhaul.ts";
export type { ChatModelLike, LangChainSummarizer } from "./summarizer.ts";
export { longhaulMiddleware } from "./middleware.ts";
export type { LonghaulMiddleware, LonghaulMiddlewareOptions } from "./middleware.ts";
export type { LangChainTool } from "./recall-tools.ts";

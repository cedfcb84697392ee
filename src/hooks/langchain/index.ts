export { langchain } from "../../dialects/langchain/langchain.ts";
export type {
  LangChainBlock,
  LangChainMessage,
  LangChainToolCall,
  LangChainType,
} from "../../dialects/langchain/wire.ts";
export { longhaul } from "./longhaul.ts";
export type { LangChainContext, LangChainContextOptions } from "./longhaul.ts";
export type { ChatModelLike, LangChainSummarizer } from "./summarizer.ts";
export { longhaulMiddleware } from "./middleware.ts";
export type { LonghaulMiddleware, LonghaulMiddlewareOptions } from "./middleware.ts";
export type { LangChainTool } from "./recall-tools.ts";

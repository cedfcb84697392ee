export * from "../../dialects/openai.ts";
export type { OpenAIClient } from "./client.ts";
export { longhaul } from "./longhaul.ts";
export type {
  OpenAIContext,
  OpenAIContextOptions,
  PrepareChatOptions,
  PrepareResponsesOptions,
} from "./longhaul.ts";
export type { PrepareParamsOptions } from "./prepared-endpoint.ts";
export type { Fetch } from "./preparing-fetch.ts";
export type { ResponsesTool, RunnableTool } from "./runnable-tools.ts";
export type { ChatParams, ChatUsage, ResponsesParams, ResponsesUsage } from "./wire.ts";

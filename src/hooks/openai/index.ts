export type { OpenAIClient } from "./client.ts";
export { openaiContext } from "./context.ts";
export type {
  OpenAIContext,
  OpenAIContextOptions,
  PrepareChatOptions,
  PrepareResponsesOptions,
} from "./context.ts";
export type {
  ChatParams,
  ChatUsage,
  PrepareParamsOptions,
  ResponsesParams,
  ResponsesUsage,
} from "./endpoint.ts";
export type { Fetch } from "./client.ts";
export type { ResponsesTool, RunnableTool } from "./tools.ts";

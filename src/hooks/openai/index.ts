/** The door `longhaul/openai`: both of OpenAI's APIs, and their formats. */
export { longhaul } from "./longhaul.ts";
export type { LonghaulClient, OpenAIClient } from "./longhaul.ts";
export { createOpenAIContext } from "./openai-context.ts";
export type {
  OpenAIContext,
  OpenAIContextOptions,
  PrepareChatOptions,
  PrepareResponsesOptions,
} from "./openai-context.ts";
export type { PrepareParamsOptions } from "./prepared-endpoint.ts";
export type { Fetch } from "./preparing-fetch.ts";
export type { ChatParams, ChatUsage, ResponsesParams, ResponsesUsage } from "./wire.ts";
export * from "../../dialects/openai.ts";

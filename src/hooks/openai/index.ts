export type { OpenAIClient } from "./client.ts";
export { openaiContext } from "./context.ts";
export type { OpenAIContext, OpenAIContextOptions } from "./context.ts";
export type { ChatParams, ResponsesParams } from "./endpoint.ts";
export type { Fetch } from "./client.ts";
export type { ResponsesTool, RunnableTool } from "./tools.ts";

export { openaiChat } from "../../dialects/openai-chat/openai-chat.ts";
export type {
  ChatAudioPart,
  ChatCustomToolCall,
  ChatFilePart,
  ChatFunction,
  ChatImagePart,
  ChatMessage,
  ChatPart,
  ChatTextPart,
  ChatToolCall,
} from "../../dialects/openai-chat/wire.ts";
export { openaiResponses } from "../../dialects/openai-responses/openai-responses.ts";
export type {
  ResponsesCallOutput,
  ResponsesCustomToolCall,
  ResponsesFunctionCall,
  ResponsesInputFile,
  ResponsesInputImage,
  ResponsesInputPart,
  ResponsesInputText,
  ResponsesItem,
  ResponsesMessage,
} from "../../dialects/openai-responses/wire.ts";
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

export { aiSdk } from "./ai-sdk/ai-sdk.ts";
export type {
  AiSdkFilePart,
  AiSdkMessage,
  AiSdkOptions,
  AiSdkOutput,
  AiSdkOutputPart,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from "./ai-sdk/wire.ts";
export { anthropic } from "./anthropic/anthropic.ts";
export type {
  AnthropicContentBlock,
  AnthropicConversation,
  AnthropicDocumentBlock,
  AnthropicImageBlock,
  AnthropicImageType,
  AnthropicMessage,
  AnthropicTextBlock,
  AnthropicToolResultBlock,
  AnthropicToolUseBlock,
} from "./anthropic/wire.ts";
export type { CheckOptions, Decoder, Dialect, DialectIssue, DialectTraits } from "./dialect.ts";
export { langchain } from "./langchain/langchain.ts";
export type {
  LangChainBlock,
  LangChainMessage,
  LangChainToolCall,
  LangChainType,
} from "./langchain/wire.ts";
export { neutral } from "./neutral/neutral.ts";
export type { NeutralMessage } from "./neutral/neutral.ts";
export { openaiChat } from "./openai-chat/openai-chat.ts";
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
} from "./openai-chat/wire.ts";
export { openaiResponses } from "./openai-responses/openai-responses.ts";
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
} from "./openai-responses/wire.ts";
export type { WireBlock, WireObject } from "./wire.ts";

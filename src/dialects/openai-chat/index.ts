export { checkOpenAIChat } from "./check.ts";
export { createOpenAIChatDecoder, decodeOpenAIChat } from "./decode.ts";
export { encodeOpenAIChat } from "./encode.ts";
export { openaiChat } from "./openai-chat.ts";
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
} from "./wire.ts";

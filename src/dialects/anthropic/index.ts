export { anthropic } from "./anthropic.ts";
export { checkAnthropic } from "./check.ts";
export { createAnthropicDecoder, decodeAnthropic } from "./decode.ts";
export { encodeAnthropic } from "./encode.ts";
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
} from "./wire.ts";

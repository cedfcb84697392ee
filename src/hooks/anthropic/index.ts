export { anthropic } from "../../dialects/anthropic/anthropic.ts";
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
} from "../../dialects/anthropic/wire.ts";
export { longhaul } from "./longhaul.ts";
export type { AnthropicContext, AnthropicContextOptions } from "./longhaul.ts";
export type { RunnableTool } from "./runnable-tools.ts";
export type { AnthropicMiddleware, AnthropicRequest } from "./middleware.ts";

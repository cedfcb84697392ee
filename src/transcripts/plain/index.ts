export { anthropicMessages, anthropicMessagesLines } from "./anthropic-messages.ts";
export { openaiChat, openaiChatLines } from "./openai-chat.ts";

export { aiSdk, aiSdkLines } from "./ai-sdk.ts";
export { anthropicMessages, anthropicMessagesLines } from "./anthropic-messages.ts";
export { neutral, neutralLines, NEUTRAL_VERSION } from "./neutral.ts";
export { openaiChat, openaiChatLines } from "./openai-chat.ts";
export { openaiResponses, openaiResponsesLines } from "./openai-responses.ts";

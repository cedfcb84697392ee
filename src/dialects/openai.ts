/** Both of OpenAI's formats. */
export * from "./openai-chat/index.ts";
export * from "./openai-responses/index.ts";

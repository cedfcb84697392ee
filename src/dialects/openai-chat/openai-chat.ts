import type { Dialect } from "../dialect.ts";
import { checkOpenAIChat } from "./check.ts";
import { createOpenAIChatDecoder, decodeOpenAIChat } from "./decode.ts";
import { encodeOpenAIChat } from "./encode.ts";
import { type ChatMessage, OPENAI_CHAT } from "./wire.ts";

/** OpenAI Chat Completions: the `messages` array. */
export const openaiChat: Dialect<readonly ChatMessage[], ChatMessage> & {
  readonly encode: typeof encodeOpenAIChat;
} = {
  name: OPENAI_CHAT,
  traits: { summaryRole: "system", boundReasoning: false, endsWithInput: false },
  decode: decodeOpenAIChat,
  createDecoder: createOpenAIChatDecoder,
  encode: encodeOpenAIChat,
  check: checkOpenAIChat,
};

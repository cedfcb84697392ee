import type OpenAI from "openai";
import { expect, expectTypeOf, test } from "vitest";
import { openaiChat } from "../../src/dialects/openai-chat/openai-chat.ts";
import { encodeOpenAIChat } from "../../src/dialects/openai-chat/encode.ts";
import type {
  ChatAudioPart,
  ChatCustomToolCall,
  ChatFilePart,
  ChatImagePart,
  ChatTextPart,
  ChatToolCall,
} from "../../src/dialects/openai-chat/wire.ts";

type Param = OpenAI.Chat.ChatCompletionMessageParam;
type UserPart = OpenAI.Chat.ChatCompletionContentPart;
type ToolCall = OpenAI.Chat.ChatCompletionMessageToolCall;

test("the SDK's messages go in and come out", () => {
  const messages: Param[] = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: [{ type: "text", text: "hi" }] },
    { role: "assistant", content: [{ type: "refusal", refusal: "no" }] },
  ];
  const back: Param[] = encodeOpenAIChat<Param>(openaiChat.decode(messages));
  expect(back).toEqual(messages);
  expect(openaiChat.check(back)).toEqual([]);
});

test("the SDK's types fit ours, the answer of the API included", () => {
  expectTypeOf<Param[]>().toExtend<Parameters<typeof openaiChat.decode>[0]>();
  expectTypeOf<OpenAI.Chat.ChatCompletionMessage[]>().toExtend<
    Parameters<typeof openaiChat.decode>[0]
  >();
});

test("what we build fits the SDK's types", () => {
  expectTypeOf<ChatTextPart | ChatImagePart | ChatAudioPart | ChatFilePart>().toExtend<UserPart>();
  expectTypeOf<ChatToolCall | ChatCustomToolCall>().toExtend<ToolCall>();
});

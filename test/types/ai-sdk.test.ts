import type { ModelMessage, ToolResultPart } from "ai";
import type { ModelMessage as NewerMessage, ToolResultPart as NewerResult } from "ai7";
import { expect, expectTypeOf, test } from "vitest";
import { aiSdk } from "../../src/dialects/ai-sdk/ai-sdk.ts";
import { encodeAiSdk } from "../../src/dialects/ai-sdk/encode.ts";
import type {
  AiSdkFilePart,
  AiSdkReasoningPart,
  AiSdkTextPart,
  AiSdkToolCallPart,
  AiSdkToolResultPart,
} from "../../src/dialects/ai-sdk/wire.ts";

type Conversation = Parameters<typeof aiSdk.decode>[0];
type PartsOf<Message, Role> = Extract<
  Extract<Message, { readonly role: Role; readonly content: unknown }>["content"],
  readonly unknown[]
>[number];
type Built = AiSdkTextPart | AiSdkFilePart | AiSdkReasoningPart | AiSdkToolCallPart;

test("the SDK's messages go in and come out", () => {
  const messages: ModelMessage[] = [
    { role: "system", content: "Be brief." },
    { role: "user", content: [{ type: "image", image: new URL("https://example.com/a.png") }] },
  ];
  const back: ModelMessage[] = encodeAiSdk<ModelMessage>(aiSdk.decode(messages));
  expect(back).toEqual(messages);
  const newer: NewerMessage[] = encodeAiSdk<NewerMessage>(aiSdk.decode(messages));
  expect(aiSdk.check(newer)).toEqual([]);
});

test("the SDK's types of both versions fit ours", () => {
  expectTypeOf<ModelMessage[]>().toExtend<Conversation>();
  expectTypeOf<NewerMessage[]>().toExtend<Conversation>();
});

test("what we build fits the SDK's types of both versions", () => {
  expectTypeOf<Built>().toExtend<PartsOf<ModelMessage, "assistant">>();
  expectTypeOf<Built>().toExtend<PartsOf<NewerMessage, "assistant">>();
  expectTypeOf<AiSdkTextPart | AiSdkFilePart>().toExtend<PartsOf<ModelMessage, "user">>();
  expectTypeOf<AiSdkTextPart | AiSdkFilePart>().toExtend<PartsOf<NewerMessage, "user">>();
  expectTypeOf<AiSdkToolResultPart>().toExtend<ToolResultPart>();
  expectTypeOf<AiSdkToolResultPart>().toExtend<NewerResult>();
});

import type OpenAI from "openai";
import { expect, expectTypeOf, test } from "vitest";
import { encodeOpenAIResponses } from "../../src/dialects/openai-responses/encode.ts";
import { openaiResponses } from "../../src/dialects/openai-responses/openai-responses.ts";
import type {
  ResponsesCallOutput,
  ResponsesCustomToolCall,
  ResponsesFunctionCall,
  ResponsesInputPart,
  ResponsesMessage,
} from "../../src/dialects/openai-responses/wire.ts";

type Item = OpenAI.Responses.ResponseInputItem;
type Conversation = Parameters<typeof openaiResponses.decode>[0];

test("the SDK's items go in and come out", () => {
  const items: Item[] = [
    { role: "developer", content: "Be brief." },
    { role: "user", content: [{ type: "input_text", text: "hi" }] },
    { type: "function_call", call_id: "call_1", name: "now", arguments: "{}" },
    { type: "function_call_output", call_id: "call_1", output: "12:00" },
  ];
  const back: Item[] = encodeOpenAIResponses<Item>(openaiResponses.decode(items));
  expect(back).toEqual(items);
  expect(openaiResponses.check(back)).toEqual([]);
});

test("the SDK's types fit ours, the answer of the API included", () => {
  expectTypeOf<Item[]>().toExtend<Conversation>();
  expectTypeOf<OpenAI.Responses.ResponseInput>().toExtend<Conversation>();
  expectTypeOf<OpenAI.Responses.Response["output"]>().toExtend<Conversation>();
  expectTypeOf<OpenAI.Responses.ResponseItem[]>().toExtend<Conversation>();
});

test("what we build fits the SDK's types", () => {
  expectTypeOf<ResponsesMessage>().toExtend<Item>();
  expectTypeOf<ResponsesFunctionCall | ResponsesCustomToolCall>().toExtend<Item>();
  expectTypeOf<ResponsesInputPart>().toExtend<OpenAI.Responses.ResponseInputContent>();
});

test("an output fits the type of item that it says it is", () => {
  type Output<Type> = ResponsesCallOutput & { readonly type: Type };
  expectTypeOf<Output<"function_call_output">>().toExtend<Item>();
  expectTypeOf<Output<"custom_tool_call_output">>().toExtend<Item>();
});

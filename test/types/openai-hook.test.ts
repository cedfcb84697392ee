import OpenAI, { AzureOpenAI } from "openai";
import { expect, expectTypeOf, test } from "vitest";
import {
  type ChatParams,
  type Fetch,
  openaiContext,
  type OpenAIClient,
  type ResponsesParams,
} from "../../src/hooks/openai/index.ts";

type Chat = OpenAI.ChatCompletionCreateParams;
type Responses = OpenAI.Responses.ResponseCreateParams;

test("the SDK's parameters fit ours", () => {
  expectTypeOf<Chat>().toExtend<ChatParams>();
  expectTypeOf<Responses>().toExtend<ResponsesParams>();
});

test("the client has the type of the one that was given", () => {
  expectTypeOf<OpenAI>().toExtend<OpenAIClient>();
  const client = openaiContext().client(new OpenAI({ apiKey: "key" }));
  expectTypeOf(client).toEqualTypeOf<OpenAI>();
  const options = { apiKey: "key", apiVersion: "v", endpoint: "http://local" };
  const azure = openaiContext().client(new AzureOpenAI(options));
  expectTypeOf(azure).toEqualTypeOf<AzureOpenAI>();
});

test("the tools fit where tools are taken, and so does the fetch", () => {
  const { recallTools, responsesRecallTools, fetch, tools } = openaiContext();
  const list = [...recallTools] as const;
  const runnable: Parameters<OpenAI["chat"]["completions"]["runTools"]>[0]["tools"] = tools(list);
  const chat: OpenAI.ChatCompletionTool[] = tools(list);
  const responses: OpenAI.Responses.Tool[] = responsesRecallTools;
  expect([runnable, chat, responses].map(({ length }) => length)).toEqual([2, 2, 2]);
  expectTypeOf(fetch).toExtend<Fetch>();
  expectTypeOf(fetch).toExtend<NonNullable<ConstructorParameters<typeof OpenAI>[0]>["fetch"]>();
});

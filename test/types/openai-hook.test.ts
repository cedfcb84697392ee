import OpenAI, { AzureOpenAI } from "openai";
import { expect, expectTypeOf, test } from "vitest";
import {
  type ChatParams,
  type ChatUsage,
  type Fetch,
  openaiContext,
  type OpenAIClient,
  type ResponsesParams,
  type ResponsesUsage,
} from "../../src/hooks/openai/index.ts";

type Chat = OpenAI.ChatCompletionCreateParams;
type Responses = OpenAI.Responses.ResponseCreateParams;

test("the SDK's parameters and usage fit ours", () => {
  expectTypeOf<Chat>().toExtend<ChatParams>();
  expectTypeOf<Responses>().toExtend<ResponsesParams>();
  expectTypeOf<OpenAI.CompletionUsage>().toExtend<ChatUsage>();
  expectTypeOf<OpenAI.Responses.ResponseUsage>().toExtend<ResponsesUsage>();
});

test("prepared parameters have the type of those that were given", () => {
  const context = openaiContext();
  expectTypeOf(context.prepareChat<Chat>).returns.resolves.toEqualTypeOf<Chat>();
  expectTypeOf(context.prepareResponses<Responses>).returns.resolves.toEqualTypeOf<Responses>();
  expectTypeOf(context.recoverChat<Chat>).returns.resolves.toEqualTypeOf<Chat | undefined>();
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
